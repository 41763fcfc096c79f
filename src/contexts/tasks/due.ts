// What happens to a task by itself: its deadline passes, its worker does not begin, its review is over, or an agent of its is revoked
// (CONTRACT.md 5, 11).
import type { Task } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import type { Frozen } from '../../platform/freeze.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { loseClaim } from './claim.js';
import { endTasksOf } from './claim.sql.js';
import { endTask } from './ending.js';
import { releasePayment } from './review.js';
import { revokedReason } from './task.js';

/** The due step of a task. */
export async function stepTask(ctx: Ctx, id: string): Promise<void> {
  await transact(ctx, async (tx) => {
    const row = await lockRow(tx.task, id);
    const now = ctx.clock.now();
    if (row.dueAt === null || row.dueAt > now) return tx.task.update({ where: rowKey(ctx, id), data: { leaseUntil: null } });
    if (row.status === 'completed') return releasePayment(ctx, tx, row);
    if (row.statusReason === revokedReason) return endRevoked(ctx, tx, row);
    if (row.deadline !== null && row.deadline <= now) return endTask(ctx, tx, row, 'expired', 'deadline_passed');
    return loseClaim(ctx, tx, row);
  });
}

/** What a revoked agent gave is cancelled, what it was given fails. */
async function endRevoked(ctx: Ctx, tx: Tx, row: Task): Promise<Task> {
  const sender = await tx.agent.findFirst({ where: { id: row.fromAgentId, status: 'revoked' }, select: { id: true } });
  return endTask(ctx, tx, row, sender === null ? 'failed' : 'cancelled', revokedReason);
}

/** Ends the tasks of an agent that is revoked, soon. Whoever is only frozen works on. */
export async function endTasks(ctx: Ctx, tx: Tx, { kind, id, reason }: Frozen): Promise<void> {
  if (kind !== 'agent' || reason !== 'agent_revoked') return;
  await endTasksOf(ctx, tx, id, revokedReason);
  ringAt(ctx, 'task', ctx.clock.now());
}
