// How a task ends without its worker being paid: declined, failed, cancelled or expired. What is in escrow goes back (CONTRACT.md 11).
import type { Task, TaskStatus } from '../../generated/prisma/client.js';
import type { Ending } from '../../manifest/approval-subject.js';
import type { Ctx } from '../../platform/ctx.js';
import { transact } from '../../platform/idempotency.js';
import { checkStep } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { notifyChange } from './notice.js';
import { returnPayment } from './payment.js';
import { changeTask, checkTaskSide, lockTask, refuseTask, shownTo, taskLifecycle } from './task.js';

type End = Extract<TaskStatus, 'declined' | 'failed' | 'cancelled' | 'expired'>;

const messages: Record<End, string> = {
  declined: 'The task was declined.',
  failed: 'The task has failed.',
  cancelled: 'The task was cancelled.',
  expired: 'The deadline of the task has passed.',
};

/** Ends a task under its lock, in a status that its lifecycle allows, and gives its money back. */
export async function endTask(ctx: Ctx, tx: Tx, row: Task, status: End, reason: string | null): Promise<Task> {
  const ending: Ending = { status: 'cancelled', code: `task_${status}`, message: messages[status] };
  return noteEnd(ctx, tx, row, status, reason, await returnPayment(ctx, tx, row, ending));
}

/** Writes that a task has ended, whose money has come back. */
export async function noteEnd(
  ctx: Ctx,
  tx: Tx,
  row: Task,
  status: End,
  reason: string | null,
  paid: Pick<Task, 'paymentStatus' | 'released'> | object,
): Promise<Task> {
  // Whoever was only offered it has nothing to do with it any more.
  const audience = row.toAgentId === null ? shownTo('sender') : {};
  const ended = await changeTask(ctx, tx, row, { ...paid, ...audience, status, statusReason: reason });
  await notifyChange(ctx, tx, ended, status);
  return ended;
}

/** Calls a task off that is not delivered, for its sender. 403, 404, 409. */
export function cancelTask(ctx: Ctx, id: string, reason: string | null): Promise<Task> {
  return endBy(ctx, id, 'sender', 'cancelled', reason);
}

/** Gives a task up, for its worker. 403, 404, 409. */
export function failTask(ctx: Ctx, id: string, reason: string | null): Promise<Task> {
  return endBy(ctx, id, 'worker', 'failed', reason);
}

function endBy(ctx: Ctx, id: string, side: 'sender' | 'worker', status: 'cancelled' | 'failed', reason: string | null): Promise<Task> {
  return transact(ctx, async (tx) => {
    const row = await lockTask(ctx, tx, id);
    checkTaskSide(ctx, row, side);
    // What nobody works on is declined or cancelled.
    if (status === 'failed' && row.status === 'pending')
      throw refuseTask(row, ['accepted'], 'A task that nobody is working on cannot fail.');
    checkStep(taskLifecycle, id, row.status, status);
    return endTask(ctx, tx, row, status, reason);
  });
}
