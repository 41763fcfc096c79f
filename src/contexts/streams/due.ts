// What happens to a stream by itself: alerts, the end of its money, its own end. The step may run late; what it writes are the instants at
// which things happened (CONTRACT.md 3).
import type { Stream } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { transact } from '../../platform/idempotency.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { saveNotified, settleStream } from './checkpoint.js';
import { endStream } from './payout.js';
import { flowOf } from './stream.js';

/** The due step of a stream. */
export async function stepStream(ctx: Ctx, id: string): Promise<void> {
  const row = await transact(ctx, async (tx): Promise<Stream> => {
    const locked = await lockRow(tx.stream, id);
    const now = ctx.clock.now();
    if (locked.dueAt === null || locked.dueAt > now) return tx.stream.update({ where: rowKey(ctx, id), data: { leaseUntil: null } });
    const { row: settled, end } = await settleStream(ctx, tx, locked);
    const changing = { row: settled, flow: flowOf(settled), at: end ?? now };
    if (end !== null) return (await endStream(ctx, tx, changing, { status: 'completed', reason: null })).row;
    if (settled.isRevoked) return (await endStream(ctx, tx, changing, { status: 'cancelled', reason: settled.statusReason })).row;
    return saveNotified(ctx, tx, settled);
  });
  if (row.dueAt !== null) ringAt(ctx, 'stream', row.dueAt);
}
