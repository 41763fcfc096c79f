// Pays what a signed payload says, whatever its version and network: at the paid door, and for other sellers as their facilitator.
import type { X402Endpoint, X402Payment } from '../../../generated/prisma/client.js';
import type { Claim } from '../../../ledger/posting.js';
import type { Ctx } from '../../../platform/ctx.js';
import { ApiError, Forbidden, NotFound } from '../../../platform/errors.js';
import type { WalletRef } from '../../accounts/wallet-ref.js';
import { parseAddress } from '../chain/address.js';
import { type Chain, chainOf, decidesLater } from '../chain/chain.js';
import { type ExactVerification, payerIn, readPayload, type SignedPayment, verifyExact } from '../chain/exact.js';
import { ledgerNetwork } from '../chain/network.js';
import { payableEndpoint } from '../endpoint/endpoint.js';
import { printPayload } from '../wire/offer-receipt.js';
import { identifierClaim, identifierIn, paymentBefore } from '../wire/payment-identifier.js';
import { mostHeaderLength, type PaymentPayload, printHeader, type Requirements, type SettlementResponse } from '../wire/wire.js';
import { askChain, type ChainPayment, payFromChain } from './chain-payment.js';
import { readAuthorization } from './ledger-authorization.js';
import { dryRunLedgerPayment, type MadePayment, payOnLedger, receiverOf } from './ledger-payment.js';

/** What a payload was signed for, as it says itself. */
export function signedPayment(payload: PaymentPayload): SignedPayment {
  if (payload.x402Version === 1) return { version: 1, ...payload };
  const { accepted } = payload;
  return { version: 2, scheme: accepted.scheme, network: accepted.network, payload: payload.payload };
}

/** A payload of version 1 with its network in the spelling of version 2, in which payments are kept. */
export function withNetwork(ctx: Ctx, payload: PaymentPayload): PaymentPayload {
  if (payload.x402Version === 2) return payload;
  return { ...payload, network: chainOf(ctx, payload.network)?.own.network ?? payload.network };
}

/** What came of a payload: a payment, or the reason for none. */
export interface SettlementOutcome {
  made: MadePayment | null;
  /** Why not, in the words of the specification; null where it was paid, or waits. */
  reason: string | null;
  payer: string | undefined;
  /** What refused it, where a rule of the platform did. */
  error?: ApiError;
  /** The transaction that may settle it, while nothing is decided. */
  transaction?: string;
}

/** Says whether a payload would pay what is required, and changes nothing. */
export async function verifyPayload(
  ctx: Ctx,
  payload: PaymentPayload,
  requirements: Requirements,
): Promise<ExactVerification | { isValid: true; payer: string }> {
  const payment = signedPayment(payload);
  const payer = payerIn(payment.payload);
  const refuse = (invalidReason: string): ExactVerification => ({ isValid: false, invalidReason, ...(payer !== undefined && { payer }) });
  try {
    checkMeasure(payload, requirements);
    if (requirements.network === ledgerNetwork(ctx)) return { isValid: true, payer: await verifyLedger(ctx, payment, requirements) };
    const chain = chainOf(ctx, requirements.network);
    if (chain === undefined) return refuse('invalid_network');
    const before = await underWay(ctx, chain, payload, { requirements, endpoint: null });
    if (before !== null && before.consumedAt === null) return { isValid: true, payer: before.payerWallet };
    await chain.admit(ctx);
    return await verifyExact(ctx, chain, payment, requirements);
  } catch (error) {
    return refuse(refusalText(error));
  }
}

async function verifyLedger(ctx: Ctx, payment: SignedPayment, requirements: Requirements): Promise<string> {
  const { order, payer } = await ledgerOrder(ctx, payment, requirements);
  const { decision } = await dryRunLedgerPayment(payer, order);
  if (decision.outcome === 'deny')
    throw new Reason(decision.code === 'insufficient_balance' ? 'insufficient_funds' : 'unexpected_verify_error');
  const used = { payerWallet: order.from.walletId, nonce: order.nonce, network: requirements.network };
  if ((await ctx.db.x402Payment.findFirst({ where: used, select: { id: true } })) !== null) throw new Reason('invalid_transaction_state');
  return order.from.walletId;
}

/** A word of the specification for why a payment is no good. */
class Reason extends Error {}

/** Throws for a payload that would be longer than a header may be, in which it is kept and read again, and for a payment of nothing. */
function checkMeasure(payload: PaymentPayload, { amount }: Requirements): void {
  if (printHeader(payload).length > mostHeaderLength) throw new Reason('invalid_payload');
  if (BigInt(amount) === 0n) throw new Reason('invalid_payment_requirements');
}

// Gap G-325: Operators and the paid agent settle an `upto` payment, never its payer.
/** An agent settles what its own wallet is paid: of an `upto` payment whoever settles it says how much. */
function checkSeller({ actor }: Ctx, { scheme }: X402Endpoint, to: WalletRef): void {
  if (scheme === 'upto' && actor.agent !== undefined && actor.agent.id !== to.agentId) {
    throw new Forbidden('Only the seller of a call can settle its payment.');
  }
}

/** Reads what an authorization of the ledger network pays for; the schemes of endpoint, requirements and payload must be one. */
async function ledgerOrder(ctx: Ctx, payment: SignedPayment, requirements: Requirements) {
  if (payment.scheme !== requirements.scheme) throw new Reason('unsupported_scheme');
  if (payment.network !== requirements.network) throw new Reason('invalid_network');
  const { payer, from, endpointId, amount: authorized, nonce } = await readAuthorization(ctx, payment.payload, requirements);
  const endpoint = await payableEndpoint(ctx, endpointId);
  if (endpoint.scheme !== payment.scheme) throw new Reason('unsupported_scheme');
  if (endpoint.receiverWalletId !== requirements.payTo) throw new Reason('invalid_payment_requirements');
  const asked = BigInt(requirements.amount);
  // Of what an `upto` payment authorizes, its seller asks for a part.
  if (endpoint.scheme === 'upto' ? asked > authorized : asked !== authorized) throw new Reason('invalid_payment_requirements');
  return { payer, order: { endpoint, from, amount: asked, nonce } };
}

// Gap G-303: A payment that is repeated at the paid door is 402 `invalid_transaction_state`.
/**
 * Pays what is required by what was signed. `endpoint` is the one whose door was called: a payload for another one is no good, and so is
 * one that was used. A facilitator settles an `upto` payment for what is asked of it; at a door that is held until the seller settles it.
 */
export async function settlePayload(
  ctx: Ctx,
  payload: PaymentPayload,
  requirements: Requirements,
  endpoint: X402Endpoint | null,
): Promise<SettlementOutcome> {
  const outcome = await settleOrRepeat(ctx, payload, requirements, endpoint);
  return endpoint === null ? tellOnce(ctx, outcome) : outcome;
}

// Gap G-892: On a chain that decides later one answer of a facilitator says that a payment was made: its seller serves the call on that.
/** The same payload may be asked about many times at once while its chain has not decided: one of those who ask is told that it has paid. */
async function tellOnce(ctx: Ctx, outcome: SettlementOutcome): Promise<SettlementOutcome> {
  const { made, reason, payer } = outcome;
  if (made === null || reason !== null || !decidesLater(ctx, made.payment)) return outcome;
  const where = { id: made.payment.id, status: 'settled', consumedAt: null } as const;
  const { count } = await ctx.db.x402Payment.updateMany({ where, data: { consumedAt: ctx.clock.now() } });
  return count === 1 ? outcome : { made: null, reason: 'invalid_transaction_state', payer };
}

async function settleOrRepeat(
  ctx: Ctx,
  payload: PaymentPayload,
  requirements: Requirements,
  endpoint: X402Endpoint | null,
): Promise<SettlementOutcome> {
  const [identifier, payer] = [identifierIn(payload), payerIn(signedPayment(payload).payload)];
  if (identifier === undefined || payer === undefined) return settleNew(ctx, payload, requirements, { endpoint });
  const claim = identifierClaim({ network: requirements.network, payer, identifier });
  const repeated = async () => {
    const before = await paymentBefore(ctx, claim, payload);
    return before === null ? null : outcomeAgain(ctx, before, { requirements, endpoint });
  };
  const again = await repeated();
  if (again !== null) return again;
  const outcome = await settleNew(ctx, payload, requirements, { endpoint, identifier: claim });
  // The same payload may have come twice at once.
  return outcome.reason === 'invalid_transaction_state' ? ((await repeated()) ?? outcome) : outcome;
}

/** What a payload is to pay for. */
interface Asked {
  requirements: Requirements;
  /** Null for a facilitator. */
  endpoint: X402Endpoint | null;
}

/** True for a payment from a chain that was made for what is asked, in all that money hangs on. */
function isFor({ endpointId, scheme, amount, asset, payTo }: X402Payment, { requirements, endpoint }: Asked): boolean {
  const isSame = scheme === requirements.scheme && amount === BigInt(requirements.amount);
  return (
    isSame &&
    parseAddress(requirements.asset) === asset &&
    parseAddress(requirements.payTo) === payTo &&
    endpointId === (endpoint?.id ?? null)
  );
}

/** What came of a payment that was made before; none for something else, nor when its proof has ended or was used at a door. */
async function outcomeAgain(ctx: Ctx, before: X402Payment, asked: Asked): Promise<SettlementOutcome> {
  const { endpoint } = asked;
  const { payerWallet: payer, status, expiresAt, consumedAt, transferId } = before;
  // On the ledger the endpoint of what a facilitator settles is not known beforehand.
  const isOther = decidesLater(ctx, before) ? !isFor(before, asked) : endpoint !== null && before.endpointId !== endpoint.id;
  const isOver = (status === 'settled' && expiresAt <= ctx.clock.now()) || (endpoint !== null && consumedAt !== null);
  if (isOver || isOther) return { made: null, reason: 'invalid_transaction_state', payer };
  if (before.network !== ledgerNetwork(ctx)) return chainOutcome(await askChain(ctx, before), payer);
  if (status === 'failed') return { made: null, reason: before.failureReason ?? 'unexpected_settle_error', payer };
  if (status === 'settled') return { made: { payment: before, approval: null }, reason: null, payer };
  const { approvalId } = await ctx.db.transfer.findFirstOrThrow({ where: { id: transferId ?? '' }, select: { approvalId: true } });
  // Whoever has the payload is told of what it waits for, as at first; what was approved and is pending its seller settles.
  const approval = approvalId === null ? null : await ctx.db.approval.findFirst({ where: { id: approvalId, status: 'pending' } });
  return { made: { payment: before, approval }, reason: null, payer };
}

/** What came of a payment from a chain, which may not have decided yet. */
function chainOutcome({ payment, pending }: ChainPayment, payer: string | undefined): SettlementOutcome {
  if (payment.status === 'failed') return { made: null, reason: payment.failureReason ?? 'unexpected_settle_error', payer };
  const made = { payment, approval: null };
  if (payment.status !== 'pending') return { made, reason: null, payer };
  if (pending === null) return { made, reason: 'unexpected_settle_error', payer };
  return { made, reason: 'settlement_pending', payer, ...(pending.txHash !== null && { transaction: pending.txHash }) };
}

// Gap G-890: On a chain that decides later the same payload is answered as its payment stands, until its proof ends or is used.
/** The payment that the same payload has begun for the same on a chain that decides later: whoever sends it again hears how it stands. */
async function underWay(ctx: Ctx, { own }: Chain, payload: PaymentPayload, asked: Asked): Promise<X402Payment | null> {
  const signed = own.decidesLater ? readPayload(signedPayment(payload).payload) : null;
  if (signed === null) return null;
  const { from: payerWallet, nonce } = signed.authorization;
  const where = { network: own.network, asset: own.token.address, payerWallet, nonce, status: { not: 'failed' as const } };
  const row = await ctx.db.x402Payment.findFirst({ where: { ...where, paymentSignature: printPayload(payload) } });
  return row !== null && isFor(row, asked) ? row : null;
}

/** For whom a payload is settled, and the payer's own id of it. */
interface Settling extends Pick<Asked, 'endpoint'> {
  identifier?: Claim | undefined;
}

async function settleNew(
  ctx: Ctx,
  payload: PaymentPayload,
  requirements: Requirements,
  { endpoint, identifier }: Settling,
): Promise<SettlementOutcome> {
  const payment = signedPayment(payload);
  const payer = payerIn(payment.payload);
  const none = (reason: string, error?: unknown): SettlementOutcome => ({
    made: null,
    reason,
    payer,
    ...(error instanceof ApiError && { error }),
  });
  try {
    checkMeasure(payload, requirements);
    const paymentSignature = printPayload(payload);
    if (requirements.network === ledgerNetwork(ctx)) {
      const { order, payer: as } = await ledgerOrder(ctx, payment, requirements);
      if (endpoint !== null && endpoint.id !== order.endpoint.id) return none('invalid_payment_requirements');
      if (endpoint === null) checkSeller(ctx, order.endpoint, await receiverOf(ctx, order.endpoint));
      const made = await payOnLedger(as, { ...order, isFinal: endpoint === null, paymentSignature, identifier });
      return { made, reason: null, payer };
    }
    const chain = chainOf(ctx, requirements.network);
    if (chain === undefined) return none('invalid_network');
    const asked = { requirements, endpoint };
    const before = await underWay(ctx, chain, payload, asked);
    if (before !== null) return await outcomeAgain(ctx, before, asked);
    await chain.admit(ctx);
    const verification = await verifyExact(ctx, chain, payment, requirements);
    if (!verification.isValid) return none(verification.invalidReason);
    const made = await payFromChain(ctx, chain, { ...verification, paymentSignature, endpoint, identifier });
    if (made === null) return none('invalid_transaction_state');
    return chainOutcome(made, payer);
  } catch (error) {
    return none(refusalText(error), error);
  }
}

/** What refuses a payment, in the words of the specification. Throws what is no refusal. */
function refusalText(error: unknown): string {
  if (error instanceof Reason) return error.message;
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
  if (error.code === 'insufficient_balance') return 'insufficient_funds';
  if (error instanceof NotFound) return 'invalid_payment_requirements';
  const { reason } = (error.details ?? {}) as { reason?: unknown };
  if (error.code !== 'payment_invalid' || typeof reason !== 'string') return 'unexpected_settle_error';
  return reason === 'nonce_used' ? 'invalid_transaction_state' : reason;
}

/** What the protocol answers for an outcome; `network` in the spelling of whoever asks. */
export function settlementOf({ made, reason, payer, transaction = '' }: SettlementOutcome, network: string): SettlementResponse {
  const settled = made !== null && reason === null && made.approval === null;
  const common = { ...(payer !== undefined && { payer }), network };
  if (!settled) return { success: false, errorReason: reason ?? 'approval_required', transaction, ...common };
  const { payment } = made;
  return { success: true, transaction: payment.txHash ?? '', ...common, amount: payment.amount.toString() };
}
