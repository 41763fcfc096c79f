// The reserve: what is kept back of payments by protocols stands in an account beside the wallet that was paid, until its time has come or
// a refund needs it. Each row is a part that is released exactly once (CONTRACT.md 12 "Reserve").
import type { SettlementReserve } from '../../../generated/prisma/client.js';
import { reserveAccount, unboundedAccount } from '../../../ledger/account.js';
import { move, posting } from '../../../ledger/posting.js';
import type { Records } from '../../../ledger/record.js';
import type { EscrowExplanation } from '../../../ledger/trial-balance.js';
import type { OpenOn } from '../../../manifest/noun.js';
import { addSeconds } from '../../../platform/clock.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import { transact } from '../../../platform/idempotency.js';
import { rowOf } from '../../../platform/postgres/column.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { newId, printId } from '../../../platform/schema/id.js';
import { walletRef } from '../../accounts/wallet-ref.js';
import { postSpend } from '../../spending/pipeline/posting.js';
import { emit } from '../../transfers/events.js';
import type { Withholder } from '../../transfers/withholding.js';
import { diverted, divide, type HoldbackPart } from './holdback.js';
import { settlementConfig } from './settlement-config.js';

const daySeconds = 86_400;

/** Keeps back the fee of x402 and the reserve, as the workspace has configured them. */
export const withheld: Withholder = async (ctx, protocol, payee) => {
  const { x402Fee, holdback, holdbackReleaseDays } = await settlementConfig(ctx);
  const shares = { fee: protocol === 'x402' ? x402Fee : 0, holdback };
  if (shares.fee === 0 && holdback === 0) return null;
  const [fees, accountId] = await Promise.all([
    unboundedAccount(ctx, 'fees', payee.currency),
    reserveAccount(ctx, payee.walletId, payee.currency),
  ]);
  const { available } = payee.ledger;
  return (transfer, legs, at) => {
    const credited = legs.find((leg) => leg.accountId === available && leg.amount > 0n);
    if (credited === undefined) return { legs, records: {} };
    const { fee, heldBack } = divide(credited.amount, shares);
    const parts: HoldbackPart[] = [
      { accountId: fees, amount: fee },
      { accountId, amount: heldBack },
    ];
    const kept = { transferId: transfer.id, walletId: payee.walletId, accountId, amount: heldBack, currency: payee.currency };
    const records = heldBack > 0n ? reserveRecord(ctx, kept, at, addSeconds(at, holdbackReleaseDays * daySeconds)) : {};
    return { legs: diverted(legs, available, parts), records };
  };
};

type Withheld = Pick<SettlementReserve, 'transferId' | 'walletId' | 'accountId' | 'amount' | 'currency'>;

function reserveRecord(ctx: Ctx, kept: Withheld, at: Date, dueAt: Date): Records {
  const row: SettlementReserve = {
    ...kept,
    workspaceId: ctx.workspace.id,
    id: newId(at),
    status: 'held',
    remaining: kept.amount,
    createdAt: at,
    endedAt: null,
    dueAt,
    leaseUntil: null,
  };
  return { settlement_reserve: [rowOf(row)] };
}

/** The due step of what was kept back: what is left of it goes to the wallet. */
export async function stepReserve(ctx: Ctx, id: string): Promise<void> {
  await transact(ctx, async (tx) => {
    const before = await lockRow(tx.settlementReserve, id);
    const at = ctx.clock.now();
    const where = rowKey(ctx, id);
    if (before.dueAt === null || before.dueAt > at) return tx.settlementReserve.update({ where, data: { leaseUntil: null } });
    const { transferId, walletId, accountId, currency, remaining } = before;
    const wallet = await walletRef(within(ctx, tx), walletId);
    if (wallet === null) throw new Error(`the reserve ${id} has no wallet`);
    const released = await tx.settlementReserve.update({ where, data: ended('released', at) });
    const legs = move(currency, remaining, accountId, wallet.ledger.available).map((leg) =>
      leg.amount > 0n ? { ...leg, returns: true as const } : leg,
    );
    await emit(ctx, tx, '_transfer.released', { transfer_id: printId('transfer', transferId) }, { at });
    await postSpend(ctx, posting(ctx, { at, transferId, legs }), { in: tx });
    return released;
  });
}

function ended(status: 'released' | 'returned', at: Date) {
  return { status, remaining: 0n, endedAt: at, dueAt: null, leaseUntil: null };
}

// Gap G-180: A refund takes from what is kept back first, then from the wallet; the fee is not given back.
/**
 * Takes what a refund gives back out of what was kept back of the payment, at most `most`, in a transaction whose posting moves it; null
 * when nothing is held. The lock of the transfer is held.
 */
export async function drawOnReserve(ctx: Ctx, tx: Tx, transferId: string, most: bigint): Promise<HoldbackPart | null> {
  const found = await tx.settlementReserve.findFirst({ where: { transferId, status: 'held' }, select: { id: true } });
  if (found === null) return null;
  const { id, status, accountId, remaining } = await lockRow(tx.settlementReserve, found.id);
  if (status !== 'held') return null;
  const amount = remaining < most ? remaining : most;
  const data = amount === remaining ? ended('returned', ctx.clock.now()) : { remaining: remaining - amount };
  await tx.settlementReserve.update({ where: rowKey(ctx, id), data });
  return { accountId, amount };
}

// Gap G-181: What is kept back is no part of the wallet's balances, and keeps the wallet from being closed.
/** What is kept back of payments to the wallets keeps them from being closed, until it is released. */
export async function openReserves(_ctx: Ctx, tx: Tx, walletIds: readonly string[], most: number): ReturnType<OpenOn> {
  const open = await tx.settlementReserve.findMany({
    where: { walletId: { in: [...walletIds] }, status: 'held' },
    orderBy: { id: 'asc' },
    take: most,
    select: { id: true, transferId: true },
  });
  return open.map(({ id, transferId }) => ({
    type: 'reserve',
    id,
    ends: { rel: 'transfer', actor: 'any', method: 'GET', path: `/v1/transfers/${transferId}` },
  }));
}

/** Every account of a reserve holds what is left of what was kept back. */
export const reserveHeld: EscrowExplanation = {
  kind: 'settlement.reserve',
  text: `SELECT workspace_id, account_id, sum(remaining) AS amount FROM settlement_reserve WHERE status = 'held' GROUP BY workspace_id, account_id`,
};
