// The schedule of the settlement config: it pays out what merchants have in wallets that no enabled rule covers, to the default bank
// account, and does nothing without one (CONTRACT.md 12).
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { transact } from '../../platform/idempotency.js';
import { rowKey } from '../../platform/postgres/row.js';
import { nextSettlement, settlementConfig } from '../settlement/reserve/settlement-config.js';
import { fire } from './firing.sql.js';
import { uncoveredWallets } from './schedule.sql.js';

/** Wallets that one step sees to; the next one goes on. */
const walletsAtOnce = 500;

/** The due step of a timer. It is gone when the config changes meanwhile. */
export async function stepTimer(ctx: Ctx, id: string): Promise<void> {
  const config = await settlementConfig(ctx);
  const now = ctx.clock.now();
  const due = await transact(
    ctx,
    async (tx) => {
      const [timer] = await tx.settlementTimer.updateManyAndReturn({ where: { id, dueAt: { lte: now } }, data: { leaseUntil: null } });
      if (timer === undefined) return null;
      const { firesAt, afterWalletId } = timer;
      const walletIds = await uncoveredWallets(tx, ctx.workspace.id, afterWalletId, walletsAtOnce);
      const cause = `schedule ${firesAt.toISOString()}`;
      await fire(
        tx,
        ctx.workspace.id,
        walletIds.map((walletId) => ({ rule: null, walletId, trigger: 'time_based', cause, firedAt: firesAt })),
      );
      const last = walletIds.length < walletsAtOnce ? undefined : walletIds.at(-1);
      const next = last === undefined ? nextSettlement(config, now) : firesAt;
      if (next === null) await tx.settlementTimer.deleteMany({ where: { id } });
      else await tx.settlementTimer.update({ where: rowKey(ctx, id), data: { firesAt: next, dueAt: next, afterWalletId: last ?? null } });
      return next;
    },
    () => id,
  );
  if (due !== null) ringAt(ctx, 'settlement_timer', due);
  ctx.platform.due.ring('settlement_execution');
}
