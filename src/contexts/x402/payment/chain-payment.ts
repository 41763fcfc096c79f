// A payment from a chain. Its row is the job: it is committed, with its nonce, before the chain hears of it; then the chain is told; then
// the money is posted, with the payment settled, in one transaction. What a crash leaves between them the due engine mends: it asks the
// chain, and hands the same authorization in again, which the contract carries out once (CONTRACT.md 9).
import { writeEvents } from '../../../events/event.js';
import type { X402Endpoint, X402Payment } from '../../../generated/prisma/client.js';
import { unboundedAccount } from '../../../ledger/account.js';
import type { Claim } from '../../../ledger/posting.js';
import { addSeconds } from '../../../platform/clock.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import { ringAt } from '../../../platform/due/due-bell.js';
import { systemCtx } from '../../../platform/due/step.js';
import { transact } from '../../../platform/idempotency.js';
import { answered, nextInquiry } from '../../../platform/inquiry.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { isUniqueViolation } from '../../../platform/postgres/failure.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { newId, printId } from '../../../platform/schema/id.js';
import { walletRef } from '../../accounts/wallet-ref.js';
import { postSpend } from '../../spending/pipeline/posting.js';
import { rulebook } from '../../spending/pipeline/rulebook.js';
import { type NewTransfer, transferPosting, transferRow } from '../../transfers/transfer.js';
import { withholdingOf } from '../../transfers/withholding.js';
import { type Chain, chainOf, type ExecutedAuthorization } from '../chain/chain.js';
import { walletOfDeposit } from '../chain/deposit.js';
import { readPayload } from '../chain/exact.js';
import { type ChainNetwork, ownChain } from '../chain/network.js';
import type { TransferAuthorization } from '../chain/transfer-authorization.js';
import { readPaymentHeader } from '../wire/wire.js';
import type { ByMpp } from './ledger-payment.js';
import { completedEvent, proofSeconds, subjectTypeOf } from './payment.js';
import { signProof } from './proof.js';

/** Whoever tells the chain has so long for it; then the due engine asks. */
const patienceSeconds = 30;
/** The chain is asked again so many seconds later at most. */
const longestAskSeconds = 600;

/** An authorization that was verified, and what it pays for. */
export interface ChainOrder {
  own: ChainNetwork;
  authorization: TransferAuthorization;
  signature: string;
  /** The payload in base64, as it is kept. */
  paymentSignature: string;
  endpoint: X402Endpoint | null;
  /** The payer's own id of it: what else the payment uses up. */
  identifier?: Claim | undefined;
  /** What a payment by MPP uses up beside the nonce. */
  byMpp?: ByMpp;
}

/**
 * Settles an authorization. Null when another payment has its nonce, or has answered its challenge. A payment that is still pending is
 * settled when the chain has said more.
 */
export async function payFromChain(asked: Ctx, order: ChainOrder): Promise<X402Payment | null> {
  const ctx = systemCtx(asked.platform, asked.workspace, asked.act ?? null, asked.effect);
  const row = await openPayment(ctx, order);
  if (row === null) return null;
  try {
    return await submit(ctx, row, order);
  } catch (error) {
    // The row is committed: the payer must not be told that nothing was changed.
    ctx.log.warn({ err: error }, 'a payment stays pending: what the chain did could not be written down yet');
    return row;
  }
}

// Gap G-305: A payment for an address without a wallet here moves on the chain only: no transfer, `endpoint_id` null.
/**
 * Writes the row with its nonce; null when that is taken. Without a wallet here it is a payment of the chain alone. The wallet that is paid
 * stays open as long as it is pending.
 */
async function openPayment(
  ctx: Ctx,
  { own, authorization, paymentSignature, endpoint, identifier, byMpp }: ChainOrder,
): Promise<X402Payment | null> {
  const { from, to, value, nonce } = authorization;
  const walletId = await walletOfDeposit(ctx, own.network, to);
  const receiver = walletId === null ? null : await walletRef(ctx, walletId);
  const at = ctx.clock.now();
  const id = newId(at);
  try {
    return await transact(ctx, async (tx) => {
      if (byMpp !== undefined) await tx.claim.createMany({ data: [{ ...byMpp.claim, reference: id }] });
      if (walletId !== null) await lockRow(tx.wallet, walletId, { where: { status: { not: 'closed' } } });
      const row = await tx.x402Payment.create({
        data: {
          id,
          endpointId: endpoint?.id ?? null,
          walletId,
          payeeAgentId: receiver?.agentId ?? null,
          amount: value,
          currency: own.currency,
          payerWallet: from,
          payTo: to,
          network: own.network,
          asset: own.token.address,
          scheme: 'exact',
          protocol: byMpp === undefined ? 'x402' : 'mpp',
          nonce,
          status: 'pending',
          paymentSignature,
          rail: walletId === null ? null : own.rail,
          expiresAt: addSeconds(at, proofSeconds),
          createdAt: at,
          dueAt: addSeconds(at, patienceSeconds),
        },
      });
      if (identifier !== undefined) await tx.claim.createMany({ data: [{ ...identifier, reference: row.id }] });
      return row;
    });
  } catch (error) {
    if (isUniqueViolation(error)) return null;
    throw error;
  }
}

/** Hands the authorization to the chain, and follows what it says. */
async function submit(
  ctx: Ctx,
  row: X402Payment,
  { authorization, signature }: Pick<ChainOrder, 'authorization' | 'signature'>,
): Promise<X402Payment> {
  const chain = chainOf(ctx, row.network);
  const answer =
    chain === undefined ? null : await answered(ctx, () => chain.transferWithAuthorization(ctx, authorization, signature), null);
  if (chain === undefined || answer === null) return row;
  if (answer.state === 'done') return arrive(ctx, row.id, answer.txHash);
  if (answer.reason === 'insufficient_funds') return failChainPayment(ctx, row.id, 'insufficient_funds');
  const used = await answered(ctx, () => chain.authorizationState(ctx, authorization.from, authorization.nonce), null);
  return used === null ? row : followUse(ctx, row, authorization, used);
}

/**
 * The nonce was used: by us, by somebody who handed the same authorization in, or by its owner for something else, which pays nobody here.
 */
function followUse(ctx: Ctx, row: X402Payment, { to, value }: TransferAuthorization, used: ExecutedAuthorization): Promise<X402Payment> {
  return used.to === to && used.value === value
    ? arrive(ctx, row.id, used.txHash)
    : failChainPayment(ctx, row.id, 'invalid_transaction_state');
}

/** The money has come: it is posted, and the payment settled with it, once. */
function arrive(ctx: Ctx, id: string, txHash: string): Promise<X402Payment> {
  return transact(ctx, async (tx) => {
    const before = await lockRow(tx.x402Payment, id);
    if (before.status !== 'pending') return before;
    const at = ctx.clock.now();
    const expiresAt = addSeconds(at, proofSeconds);
    const proof = await signProof(ctx.platform, { ...before, expiresAt });
    const transferId = before.walletId === null ? null : id;
    // Without an endpoint a facilitator was asked to settle it: its seller serves the call on that answer (see G-320).
    const consumedAt = before.endpointId === null ? at : null;
    const row = await tx.x402Payment.update({
      where: rowKey(ctx, id),
      data: { status: 'settled', settledAt: at, txHash, proof, expiresAt, transferId, consumedAt, dueAt: null, leaseUntil: null },
    });
    await writeEvents(tx, row.workspaceId, [completedEvent(ctx, row)]);
    if (row.walletId !== null) await credit(ctx, tx, row, row.walletId);
    return row;
  });
}

/** The wallet gets what has come, less what is kept back of it; the clearing account of the rail gives it. */
async function credit(
  ctx: Ctx,
  tx: Tx,
  { id, amount, currency, rail, endpointId, payerWallet, settledAt, protocol }: X402Payment,
  walletId: string,
): Promise<void> {
  const reader = within(ctx, tx);
  const to = await walletRef(reader, walletId);
  if (to === null) throw new Error(`the wallet ${walletId} of an x402 payment is gone`);
  const endpoint = endpointId === null ? {} : { endpoint_id: printId('x402Endpoint', endpointId) };
  const value: NewTransfer = {
    type: 'internal',
    protocol,
    from: { ledgerAccountId: await unboundedAccount(reader, `rail.clearing:${rail}`, currency) },
    to,
    amount,
    currency,
    at: settledAt ?? ctx.clock.now(),
    subject: { type: subjectTypeOf(protocol) },
    protocolMetadata: { payment_id: printId('x402Payment', id), payer: payerWallet, ...endpoint },
    withholding: await withholdingOf(reader, protocol, to),
  };
  const transfer = transferRow(ctx, value, id);
  const rules = await rulebook(reader);
  await postSpend(ctx, transferPosting(ctx, transfer, value, { limits: [], guards: [], rules }), { in: tx });
}

function failChainPayment(ctx: Ctx, id: string, failureReason: string): Promise<X402Payment> {
  return transact(ctx, async (tx) => {
    const before = await lockRow(tx.x402Payment, id);
    if (before.status !== 'pending') return before;
    return tx.x402Payment.update({ where: rowKey(ctx, id), data: { status: 'failed', failureReason, dueAt: null, leaseUntil: null } });
  });
}

/** The due step of a payment whose chain has not answered: it is asked, and told again while the authorization is good. */
export async function stepPayment(ctx: Ctx, id: string): Promise<void> {
  const row = await ctx.db.x402Payment.findFirst({ where: { id } });
  if (row?.status !== 'pending' || row.dueAt === null || row.dueAt > ctx.clock.now()) return;
  const after = await pollChain(ctx, row);
  if (after.status !== 'pending') return;
  const dueAt = nextInquiry(ctx.clock.now(), row.asked, longestAskSeconds);
  await ctx.db.x402Payment.updateMany({ where: { id, status: 'pending' }, data: { asked: row.asked + 1, dueAt, leaseUntil: null } });
  ringAt(ctx, 'x402_payment', dueAt);
}

/** Polls the chain of a payment that is pending, and applies its answer; without an answer nothing changes. */
export async function pollChain(ctx: Ctx, row: X402Payment): Promise<X402Payment> {
  const chain = chainOf(ctx, row.network);
  const signed = readPayload(readPaymentHeader(row.paymentSignature ?? '')?.payload ?? {});
  if (chain === undefined || signed === null) return row;
  const state = await stateOf(ctx, chain, signed.authorization);
  if (state === null) return row;
  if (state.used !== null) return followUse(ctx, row, signed.authorization, state.used);
  const now = BigInt(Math.floor(ctx.platform.clock.now().getTime() / 1000));
  // The contract takes it no more, and has not taken it.
  if (signed.authorization.validBefore <= now) return failChainPayment(ctx, row.id, 'invalid_exact_evm_payload_authorization_valid_before');
  return submit(ctx, row, signed);
}

/** Whether the contract has used the nonce of an authorization, and for what; null where nobody knows. */
async function stateOf(
  ctx: Ctx,
  chain: Chain,
  { from, nonce }: TransferAuthorization,
): Promise<{ used: ExecutedAuthorization | null } | null> {
  return answered(ctx, async () => ({ used: await chain.authorizationState(ctx, from, nonce) }), null);
}

/** The chain that serves the environment of the workspace, with its network; null where none does. */
export function servedChain(ctx: Pick<Ctx, 'platform' | 'workspace'>): { chain: Chain; own: ChainNetwork } | null {
  const own = ownChain(ctx);
  const chain = chainOf(ctx, own.network);
  return chain === undefined ? null : { chain, own };
}
