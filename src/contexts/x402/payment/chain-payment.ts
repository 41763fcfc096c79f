// A payment from a chain. Its row is the job: it is committed, with its nonce, before the chain hears of it; then the chain is told; then
// what it says is followed. What a crash leaves between them the due engine mends: it hands the same authorization in again, which the
// contract carries out once, and hears what came of it (CONTRACT.md 9, 27).
import type { X402Endpoint, X402Payment } from '../../../generated/prisma/client.js';
import type { Claim } from '../../../ledger/posting.js';
import { addSeconds } from '../../../platform/clock.js';
import type { Ctx } from '../../../platform/ctx.js';
import { ringAt } from '../../../platform/due/due-bell.js';
import { systemCtx } from '../../../platform/due/step.js';
import { transact } from '../../../platform/idempotency.js';
import { answered, nextInquiry } from '../../../platform/inquiry.js';
import { isUniqueViolation } from '../../../platform/postgres/failure.js';
import { lockRow } from '../../../platform/postgres/row.js';
import { newId } from '../../../platform/schema/id.js';
import { walletRef } from '../../accounts/wallet-ref.js';
import { type Chain, type ChainAnswer, chainOf } from '../chain/chain.js';
import { walletOfDeposit } from '../chain/deposit.js';
import { readPayload } from '../chain/exact.js';
import type { TransferAuthorization } from '../chain/transfer-authorization.js';
import { readPaymentHeader } from '../wire/wire.js';
import { follow, isOpenOnChain } from './chain-outcome.js';
import type { ByMpp } from './ledger-payment.js';
import { proofSeconds } from './payment.js';

/** Whoever tells the chain has so long for it; then the due engine asks. */
const patienceSeconds = 30;
/** The chain is asked again so many seconds later at most. */
const longestAskSeconds = 600;

/** An authorization that was verified, and what it pays for. */
export interface Paid {
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

/** A payment from a chain as it stands. */
export interface ChainPayment {
  payment: X402Payment;
  /** What the chain says of one that it has not decided; null where it says nothing. */
  pending: { txHash: string | null } | null;
}

/**
 * Settles an authorization. Null when another payment has its nonce, or has answered its challenge. A payment that is still pending is
 * settled when the chain has said more.
 */
export async function payFromChain(asked: Ctx, chain: Chain, paid: Paid): Promise<ChainPayment | null> {
  const ctx = systemCtx(asked.platform, asked.workspace, asked.act ?? null, asked.effect);
  const row = await openPayment(ctx, chain, paid);
  if (row === null) return null;
  try {
    return await submit(ctx, chain, row, paid);
  } catch (error) {
    // The row is committed: the payer must not be told that nothing was changed.
    ctx.log.warn({ err: error }, 'a payment stays pending: what the chain did could not be written down yet');
    return { payment: row, pending: null };
  }
}

// Gap G-305: A payment for an address without a wallet here moves on the chain only: no transfer, `endpoint_id` null.
/**
 * Writes the row with its nonce; null when that is taken. Without a wallet here it is a payment of the chain alone. The wallet that is paid
 * stays open as long as it is pending.
 */
async function openPayment(
  ctx: Ctx,
  { own }: Chain,
  { authorization, paymentSignature, endpoint, identifier, byMpp }: Paid,
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
  chain: Chain,
  row: X402Payment,
  { authorization, signature }: Pick<Paid, 'authorization' | 'signature'>,
): Promise<ChainPayment> {
  const order = { paymentId: row.id, authorization, signature };
  const answer: ChainAnswer | null = await answered(ctx, () => chain.settle(ctx, order), null);
  if (answer === null) return { payment: row, pending: null };
  return { payment: await follow(ctx, row, answer), pending: answer.state === 'pending' ? answer : null };
}

/** The due step of a payment whose chain has not said its last word: it is asked, and told again while the authorization is good. */
export async function stepPayment(ctx: Ctx, id: string): Promise<void> {
  const row = await ctx.db.x402Payment.findFirst({ where: { id } });
  if (row === null || !isOpenOnChain(row) || row.dueAt === null || row.dueAt > ctx.clock.now()) return;
  const { payment } = await askChain(ctx, row);
  if (!isOpenOnChain(payment)) return;
  const dueAt = nextInquiry(ctx.clock.now(), row.asked, longestAskSeconds);
  const where = { id, status: payment.status, creditedAt: null };
  await ctx.db.x402Payment.updateMany({ where, data: { asked: row.asked + 1, dueAt, leaseUntil: null } });
  ringAt(ctx, 'x402_payment', dueAt);
}

/** Asks the chain of a payment how it stands, and follows what it says; without an answer nothing changes. */
export async function askChain(ctx: Ctx, row: X402Payment): Promise<ChainPayment> {
  const chain = chainOf(ctx, row.network);
  const signed = readPayload(readPaymentHeader(row.paymentSignature ?? '')?.payload ?? {});
  if (!isOpenOnChain(row) || chain === undefined || signed === null) return { payment: row, pending: null };
  return submit(ctx, chain, row, signed);
}
