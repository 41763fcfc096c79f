// The closing of a window: the payouts that wait for it are submitted, in groups of at most its batch size, one group a step. The row of
// the window is the job; what a step has let go is due in the step of payouts (CONTRACT.md 12).
import type { SettlementWindow } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { ringAt } from '../../../platform/due/due-bell.js';
import { transact } from '../../../platform/idempotency.js';
import { scaleOf } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { newBatchReference } from './window.js';
import { isAwaited, lockWindows, releasePayouts, waitingSum } from './window.sql.js';
import { nextClosing } from './window-schedule.js';

/** The due step of a window. */
export async function stepWindow(ctx: Ctx, id: string): Promise<void> {
  const at = ctx.clock.now();
  const window = await transact(ctx, async (tx) => {
    await lockWindows(ctx, tx);
    const before = await lockRow(tx.settlementWindow, id);
    const where = rowKey(ctx, id);
    if (before.dueAt === null || before.dueAt > at) return tx.settlementWindow.update({ where, data: { leaseUntil: null } });
    const closes = before.closing || (await isEnough(ctx, tx, before));
    if (closes) await releasePayouts(ctx, tx, id, { reference: newBatchReference(at), size: before.maxBatchSize, at });
    // What is left of a closing goes on, however little it is.
    const closing = closes && (await isAwaited(ctx, tx, id));
    const next = before.enabled ? nextClosing(before, at) : null;
    return tx.settlementWindow.update({ where, data: { closing, dueAt: closing ? at : next, leaseUntil: null } });
  });
  ringAt(ctx, 'payout', at);
  if (window.dueAt !== null) ringAt(ctx, 'settlement_window', window.dueAt);
}

// Gap G-175: `min_batch_amount_cents` is in hundredths of the currency, 0 by default; a closing above `max_batch_size` goes in groups.
/** True when what waits for the window comes to its least amount, in hundredths of the currency. */
async function isEnough(ctx: Ctx, tx: Tx, { id, minBatchAmountCents, currency }: SettlementWindow): Promise<boolean> {
  if (minBatchAmountCents === 0n) return true;
  const least = (minBatchAmountCents * 10n ** BigInt(scaleOf(currency))) / 100n;
  return (await waitingSum(ctx, tx, id)) >= least;
}
