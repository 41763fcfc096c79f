// What a chain says of a payment, followed under the lock of its row, each step once. It is settled in a block: then the call is served. It is
// credited when that block is deep: then the money is posted. In the sandbox both come at once (CONTRACT.md 27 "x402 and MPP on a chain").
import { type EventRow, writeEvents } from '../../../events/event.js';
import type { X402Payment } from '../../../generated/prisma/client.js';
import { unboundedAccount } from '../../../ledger/account.js';
import { addSeconds } from '../../../platform/clock.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import { transact } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { printId } from '../../../platform/schema/id.js';
import { walletRef } from '../../accounts/wallet-ref.js';
import { postSpend } from '../../spending/pipeline/posting.js';
import { rulebook } from '../../spending/pipeline/rulebook.js';
import { type NewTransfer, transferPosting, transferRow } from '../../transfers/transfer.js';
import { withholdingOf } from '../../transfers/withholding.js';
import { type ChainAnswer, chainOf, decidesLater } from '../chain/chain.js';
import { event } from '../events.js';
import { completedEvent, proofSeconds, subjectTypeOf } from './payment.js';
import { signProof } from './proof.js';

/** The chain wakes a payment of which it knows more; without that it is asked so many seconds after it was settled. */
const creditSeconds = 60;

/** True while the chain has not said its last word on a payment from a chain. */
export function isOpenOnChain({ status, settledAt, creditedAt, transferId, dueAt }: X402Payment): boolean {
  if (transferId !== null) return false;
  return status === 'pending' || (status === 'settled' && settledAt !== null && creditedAt === null && dueAt !== null);
}

/** Takes the steps that an answer of the chain means. */
export function follow(ctx: Ctx, { id, status }: X402Payment, answer: ChainAnswer): Promise<X402Payment> {
  return transact(ctx, async (tx) => {
    const row = await lockRow(tx.x402Payment, id);
    if (!isOpenOnChain(row)) return row;
    switch (answer.state) {
      case 'pending':
        return row;
      case 'settled':
        return row.status === 'pending' ? settle(ctx, tx, row, answer.txHash) : row;
      case 'done':
        return credit(ctx, tx, row.status === 'pending' ? await settle(ctx, tx, row, answer.txHash) : row, answer.txHash);
      case 'refused':
        return row.status === status ? fail(ctx, tx, row, answer.reason) : row;
    }
  });
}

/** A block has the payment: it is proven, and told. */
async function settle(ctx: Ctx, tx: Tx, before: X402Payment, txHash: string): Promise<X402Payment> {
  const at = ctx.clock.now();
  const expiresAt = addSeconds(at, proofSeconds);
  const proof = await signProof(ctx.platform, { ...before, expiresAt });
  // Without an endpoint a facilitator was asked to settle it: its seller serves the call on the answer that says so (see G-320, G-892).
  const isTold = before.endpointId === null && !decidesLater(ctx, before);
  const consumedAt = isTold ? at : null;
  const dueAt = addSeconds(at, creditSeconds);
  const data = { status: 'settled', settledAt: at, txHash, proof, expiresAt, consumedAt, dueAt, leaseUntil: null } as const;
  const row = await tx.x402Payment.update({ where: rowKey(ctx, before.id), data });
  await writeEvents(tx, row.workspaceId, [completedEvent(ctx, row)]);
  return row;
}

/** The money has come: the wallet gets it. Without a wallet here it has come to somebody else. */
async function credit(ctx: Ctx, tx: Tx, { id, walletId }: X402Payment, txHash: string): Promise<X402Payment> {
  const at = ctx.clock.now();
  const credited = walletId === null ? {} : { creditedAt: at, transferId: id };
  const row = await tx.x402Payment.update({ where: rowKey(ctx, id), data: { ...credited, txHash, dueAt: null, leaseUntil: null } });
  if (walletId !== null) await post(ctx, tx, row, walletId);
  return row;
}

/** The wallet gets what has come, less what is kept back of it; the clearing account of the rail gives it. */
async function post(
  ctx: Ctx,
  tx: Tx,
  { id, amount, currency, rail, endpointId, payerWallet, creditedAt, protocol }: X402Payment,
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
    at: creditedAt ?? ctx.clock.now(),
    subject: { type: subjectTypeOf(protocol) },
    protocolMetadata: { payment_id: printId('x402Payment', id), payer: payerWallet, ...endpoint },
    withholding: await withholdingOf(reader, protocol, to),
  };
  const transfer = transferRow(ctx, value, id);
  const rules = await rulebook(reader);
  await postSpend(ctx, transferPosting(ctx, transfer, value, { limits: [], guards: [], rules }), { in: tx });
}

/** The chain does not carry it out, or has taken it back: nothing was posted. */
async function fail(ctx: Ctx, tx: Tx, before: X402Payment, failureReason: string): Promise<X402Payment> {
  const data = { status: 'failed', failureReason, dueAt: null, leaseUntil: null } as const;
  const row = await tx.x402Payment.update({ where: rowKey(ctx, before.id), data });
  if (before.status === 'settled') await writeEvents(tx, row.workspaceId, [reversedEvent(ctx, row)]);
  return row;
}

function reversedEvent(ctx: Ctx, { id, endpointId, amount, currency, txHash, failureReason, agentId }: X402Payment): EventRow {
  const data = {
    payment_id: printId('x402Payment', id),
    endpoint_id: endpointId === null ? null : printId('x402Endpoint', endpointId),
    amount: formatMinor(amount, currency),
    currency,
    tx_hash: txHash ?? '',
    reason: failureReason ?? '',
  };
  return event(ctx, 'x402.payment.reversed', data, { at: ctx.clock.now(), objectId: id, agentId });
}

/** How many blocks confirm a payment from a chain; null for one from the ledger. */
export async function confirmationsOf(ctx: Ctx, { id, network, status }: X402Payment): Promise<number | null> {
  return status === 'settled' ? ((await chainOf(ctx, network)?.confirmations(ctx, id)) ?? null) : null;
}

/** When the money of a payment reached the wallet: on the ledger when it was settled. */
export function creditedAt(row: X402Payment): Date | null {
  return row.creditedAt ?? (row.status === 'settled' && row.transferId !== null ? row.settledAt : null);
}
