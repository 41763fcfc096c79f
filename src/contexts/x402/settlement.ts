// Pays what a signed payload says, whatever its version and network: at the paid door, and for other sellers as their facilitator.
import type { X402Endpoint } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ApiError, NotFound } from '../../platform/errors.js';
import { payFromChain, servedChain } from './chain-payment.js';
import { payableEndpoint } from './endpoint.js';
import { payerIn, type SignedPayment, type Verdict, verifyExact } from './exact.js';
import { readAuthorization } from './ledger-authorization.js';
import { dryRunPayment, type MadePayment, payOnLedger } from './ledger-payment.js';
import { chainNetwork, ledgerNetwork } from './network.js';
import { type PaymentPayload, printHeader, type Requirements, type SettlementResponse } from './wire.js';

/** What a payload was signed for, as it says itself. */
export function signedPayment(payload: PaymentPayload): SignedPayment {
  if (payload.x402Version === 1) return { version: 1, ...payload };
  const { accepted } = payload;
  return { version: 2, scheme: accepted.scheme, network: accepted.network, payload: payload.payload };
}

/** What came of a payload: a payment, or the reason for none. */
export interface Outcome {
  made: MadePayment | null;
  /** Why not, in the words of the specification; null where it was paid, or waits. */
  reason: string | null;
  payer: string | undefined;
  /** What refused it, where a rule of the platform did. */
  error?: ApiError;
}

/** Says whether a payload would pay what is required, and changes nothing. */
export async function verifyPayload(
  ctx: Ctx,
  payload: PaymentPayload,
  requirements: Requirements,
): Promise<Verdict | { isValid: true; payer: string }> {
  const payment = signedPayment(payload);
  const payer = payerIn(payment.payload);
  const refuse = (invalidReason: string): Verdict => ({ isValid: false, invalidReason, ...(payer !== undefined && { payer }) });
  try {
    if (requirements.network === ledgerNetwork(ctx)) return { isValid: true, payer: await verifyLedger(ctx, payment, requirements) };
    const served = servedChain(ctx);
    if (served === null || chainNetwork(ctx, requirements.network) === undefined) return refuse('invalid_network');
    return await verifyExact(ctx, served, payment, requirements);
  } catch (error) {
    return refuse(reasonOf(error));
  }
}

async function verifyLedger(ctx: Ctx, payment: SignedPayment, requirements: Requirements): Promise<string> {
  const { order, payer } = await ledgerOrder(ctx, payment, requirements);
  const { decision } = await dryRunPayment(payer, order);
  if (decision.outcome === 'deny')
    throw new Reason(decision.code === 'insufficient_balance' ? 'insufficient_funds' : 'unexpected_verify_error');
  const used = { payerWallet: order.from.walletId, nonce: order.nonce, network: requirements.network };
  if ((await ctx.db.x402Payment.findFirst({ where: used, select: { id: true } })) !== null) throw new Reason('invalid_transaction_state');
  return order.from.walletId;
}

/** A word of the specification for why a payment is no good. */
class Reason extends Error {}

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
  return { payer, order: { endpoint, from, amount: authorized, nonce }, asked };
}

/**
 * Pays what is required by what was signed. `endpoint` is the one whose door was knocked at: a payload for another one is no good, and so
 * is one that was used (Gap G-289). A facilitator settles an `upto` payment for what is asked of it; at a door it is held until the seller
 * settles it.
 */
export async function settlePayload(
  ctx: Ctx,
  payload: PaymentPayload,
  requirements: Requirements,
  endpoint: X402Endpoint | null,
): Promise<Outcome> {
  const payment = signedPayment(payload);
  const payer = payerIn(payment.payload);
  const none = (reason: string, error?: unknown): Outcome => ({ made: null, reason, payer, ...(error instanceof ApiError && { error }) });
  try {
    const paymentSignature = printHeader(payload);
    if (requirements.network === ledgerNetwork(ctx)) {
      const { order, payer: as, asked } = await ledgerOrder(ctx, payment, requirements);
      if (endpoint !== null && endpoint.id !== order.endpoint.id) return none('invalid_payment_requirements');
      const used = endpoint === null ? { amount: asked, isFinal: true } : {};
      return { made: await payOnLedger(as, { ...order, ...used, paymentSignature }), reason: null, payer };
    }
    const served = servedChain(ctx);
    if (served === null || chainNetwork(ctx, requirements.network) === undefined) return none('invalid_network');
    const verdict = await verifyExact(ctx, served, payment, requirements);
    if (!verdict.isValid) return none(verdict.invalidReason);
    const made = await payFromChain(ctx, { ...verdict, own: served.own, paymentSignature, endpoint });
    if (made === null) return none('invalid_transaction_state');
    if (made.status === 'failed') return none(made.failureReason ?? 'unexpected_settle_error');
    const reason = made.status === 'pending' ? 'unexpected_settle_error' : null;
    return { made: { payment: made, approval: null }, reason, payer };
  } catch (error) {
    return none(reasonOf(error), error);
  }
}

/** What refuses a payment, in the words of the specification. Throws what is no refusal. */
function reasonOf(error: unknown): string {
  if (error instanceof Reason) return error.message;
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
  if (error.code === 'insufficient_balance') return 'insufficient_funds';
  if (error instanceof NotFound) return 'invalid_payment_requirements';
  const { reason } = (error.details ?? {}) as { reason?: unknown };
  if (error.code !== 'payment_invalid' || typeof reason !== 'string') return 'unexpected_settle_error';
  return reason === 'nonce_used' ? 'invalid_transaction_state' : reason;
}

/** What the protocol answers for an outcome; `network` in the spelling of whoever asks. */
export function settlementOf({ made, reason, payer }: Outcome, network: string): SettlementResponse {
  const settled = made !== null && reason === null && made.approval === null;
  const common = { ...(payer !== undefined && { payer }), network };
  if (!settled) return { success: false, errorReason: reason ?? 'approval_required', transaction: '', ...common };
  const { payment } = made;
  return { success: true, transaction: payment.txHash ?? '', ...common, amount: payment.amount.toString() };
}
