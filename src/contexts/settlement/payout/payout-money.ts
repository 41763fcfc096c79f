// What becomes of the money of a payout: it goes to the clearing account of the rail, or back to the wallet (CONTRACT.md 2 "Fees", 12).
// Each function returns the legs and limits of a posting, in the transaction that holds the lock of the payout.
import type { Hold, Payout, Transfer } from '../../../generated/prisma/client.js';
import { unboundedAccount } from '../../../ledger/account.js';
import { givenBack, resolve, usesOf } from '../../../ledger/hold.js';
import { type Leg, type LimitUse, move } from '../../../ledger/posting.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { walletRef } from '../../accounts/wallet-ref.js';
import { exchangeAccounts, leavingOf } from '../../transfers/exchange.js';
import type { NewOperation } from '../../usage/operation.js';

/** What a posting moves, and which limits it settles. */
export interface Movement {
  legs: Leg[];
  limits: LimitUse[];
}

const moving = (legs: readonly Leg[]): Leg[] => legs.filter(({ amount }) => amount !== 0n);

async function openHold(tx: Tx, { id, holdId }: Transfer): Promise<Hold> {
  const hold = await tx.hold.findFirst({ where: { id: holdId ?? '', status: 'held' } });
  if (hold === null) throw new Error(`the transfer ${id} of a payout holds nothing`);
  return hold;
}

/** The rail has paid: what was held goes to clearing, and of it the fee to fees. */
export async function settlePayout(ctx: Ctx, tx: Tx, payout: Payout, transfer: Transfer, at: Date): Promise<Movement> {
  const hold = await openHold(tx, transfer);
  const { legs, limits } = await resolve(tx, hold, { capture: hold.amount, at });
  const { currency, feeAmount } = transfer;
  const reader = within(ctx, tx);
  const fees = await unboundedAccount(reader, 'fees', currency);
  const fee = move(currency, feeAmount, hold.toAccountId, fees);
  if (transfer.quoteId === null) return { legs: moving([...legs, ...fee]), limits };
  // The hold was for what is changed: the other currency comes out of its clearing.
  const { paid } = await exchangeAccounts(reader, currency, payout.currency);
  const clearing = await unboundedAccount(reader, `rail.clearing:${payout.rail}`, payout.currency);
  return { legs: moving([...legs, ...fee, ...move(payout.currency, payout.amount, paid, clearing)]), limits };
}

/** Nothing was paid: all that was held goes back, the fee too. */
export async function release(tx: Tx, transfer: Transfer, at: Date): Promise<Movement> {
  return resolve(tx, await openHold(tx, transfer), { capture: 0n, at });
}

/** The rail took the order and gave it back before it was paid: what was held goes back, but for the fee. */
export async function releaseLessFee(ctx: Ctx, tx: Tx, transfer: Transfer, at: Date): Promise<Movement> {
  const hold = await openHold(tx, transfer);
  const fees = await unboundedAccount(within(ctx, tx), 'fees', transfer.currency);
  return resolve(tx, hold, { capture: transfer.feeAmount, to: fees, at });
}

/** What comes back of a payout that was paid, minor units of the currency that was sent: all but the fee. */
export function returnedOf({ amount, feeAmount, quoteId }: Transfer): bigint {
  return quoteId === null ? amount : amount - feeAmount;
}

// Gap G-164: A payout that comes back to a closed wallet is `returned`; its money stays in the rail's clearing account.
/**
 * The rail gives back what it has paid: it goes to the wallet, and the limits with it, in the windows in which they were used. Null when
 * the wallet was closed meanwhile: the money stays in clearing.
 */
export async function reversePayout(ctx: Ctx, tx: Tx, payout: Payout, transfer: Transfer): Promise<Movement | null> {
  const reader = within(ctx, tx);
  const wallet = await tx.wallet.findFirst({ where: { id: payout.walletId, status: { not: 'closed' } }, select: { id: true } });
  const ref = wallet === null ? null : await walletRef(reader, wallet.id);
  if (ref === null) return null;
  const { currency } = transfer;
  const back = returnedOf(transfer);
  const clearing = await unboundedAccount(reader, `rail.clearing:${payout.rail}`, payout.currency);
  const uses = await usesOf(tx, ctx.workspace.id, transfer.id);
  const limits = givenBack(uses, { part: back, whole: leavingOf(transfer) });
  if (transfer.quoteId === null) return { legs: returning(currency, back, clearing, ref.ledger.available), limits };
  const { sent, paid } = await exchangeAccounts(reader, currency, payout.currency);
  const changed = move(payout.currency, payout.amount, clearing, paid);
  return { legs: moving([...changed, ...returning(currency, back, sent, ref.ledger.available)]), limits };
}

/** Money that was the wallet's always fits. */
function returning(currency: string, amount: bigint, from: string, to: string): Leg[] {
  return moving(move(currency, amount, from, to).map((leg) => (leg.amount > 0n ? { ...leg, returns: true } : leg)));
}

/** What a payout leaves among the operations when it is final; `moved` in the currency that was sent. What the rail took is a cost. */
export function payoutOperation(payout: Payout, transfer: Transfer, operation: string, moved: bigint, at: Date): NewOperation {
  const success = operation !== 'payout.failed';
  return {
    at,
    category: 'payout',
    operation,
    protocol: transfer.protocol,
    success,
    amount: moved,
    currency: transfer.currency,
    actorType: transfer.initiatedByType,
    actorId: transfer.initiatedById,
    agentId: payout.agentId,
    accountId: transfer.fromAccountId,
    counterpartyId: null,
    subjectId: payout.id,
    traceId: transfer.traceId,
    ...(operation === 'payout.completed' && { externalCost: { amount: payout.fee, currency: payout.currency, provider: payout.rail } }),
  };
}
