// What follows a delivery: the worker is paid when the sender approves, or when its review window is over; until then the sender may dispute
// it, and a resolution splits what is in escrow. Each side rates the other once (CONTRACT.md 11, 13).
import type { Dispute, Task } from '../../generated/prisma/client.js';
import type { Ending } from '../../manifest/approval-subject.js';
import type { Ctx } from '../../platform/ctx.js';
import { StateConflict } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { printId } from '../../platform/schema/id.js';
import { piecesOf } from '../refunds/evidence-piece.js';
import { fileDispute, ringDispute } from '../refunds/filing.js';
import { addRating } from '../skills/rating.sql.js';
import type { Side } from './errors.js';
import { notifyChange } from './notice.js';
import { settlePayment } from './payment.js';
import type { ApproveTaskInput, DisputeTaskInput, RateTaskInput } from './step.input.js';
import { changeTask, checkTaskSide, isOnSide, lockTask, refuseTask } from './task.js';

const unpaid: Ending = { status: 'cancelled', code: 'task_refunded', message: 'The dispute gave the money for the task back.' };

/** Takes what was delivered, pays the worker at once, and rates it. 403, 404, 409 for a task whose money is not in escrow any more. */
export function approveTask(ctx: Ctx, { id, rating, feedback }: ApproveTaskInput & { id: string }): Promise<Task> {
  return transact(ctx, async (tx) => {
    const row = await lockTask(ctx, tx, id);
    checkTaskSide(ctx, row, 'sender');
    if (row.status !== 'completed') throw refuseTask(row, ['completed'], 'Only a delivered task can be approved.');
    if (row.paymentStatus !== 'reserved') throw notReserved(row, 'There is nothing left to release.');
    const rated = rating == null ? row : await rate(ctx, tx, row, 'sender', { rating, feedback });
    return releasePayment(ctx, tx, rated);
  });
}

/** The 409 for a delivered task whose payment is over, or that has none. */
function notReserved({ id, status, paymentStatus }: Task, message: string): StateConflict {
  return new StateConflict(message, status, [], {
    payment_status: paymentStatus,
    next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: `/v1/a2a/tasks/${id}` }],
  });
}

/** Pays the worker of a delivered task all of what is in escrow, under its lock. */
export async function releasePayment(ctx: Ctx, tx: Tx, row: Task): Promise<Task> {
  const paid = await settlePayment(ctx, tx, row, row.amount ?? 0n, unpaid);
  const released = await changeTask(ctx, tx, row, paid);
  await notifyChange(ctx, tx, released, 'released');
  return released;
}

/** Rates the other side, once, after what was asked for was delivered. 403, 404, 409. */
export function rateTask(ctx: Ctx, input: RateTaskInput & { id: string }): Promise<Task> {
  return transact(ctx, async (tx) => {
    const row = await lockTask(ctx, tx, input.id);
    const side = input.side ?? (isOnSide(ctx, row, 'sender') ? 'sender' : 'worker');
    checkTaskSide(ctx, row, side);
    return rate(ctx, tx, row, side, input);
  });
}

async function rate(
  ctx: Ctx,
  tx: Tx,
  row: Task,
  side: Side,
  { rating, feedback }: Pick<RateTaskInput, 'rating' | 'feedback'>,
): Promise<Task> {
  const { status, toAgentId } = row;
  if (status !== 'completed' && status !== 'disputed')
    throw refuseTask(row, ['completed'], 'A task can be rated only after it was completed.');
  const before = side === 'sender' ? row.rating : row.senderRating;
  if (before !== null) throw notReserved(row, 'This side has already rated the task.');
  if (side === 'worker') return changeTask(ctx, tx, row, { senderRating: rating, senderFeedback: feedback ?? null });
  if (toAgentId !== null) await addRating(ctx, tx, toAgentId, rating);
  return changeTask(ctx, tx, row, { rating, feedback: feedback ?? null });
}

// Gap G-335: A dispute takes the `reason` of disputes and all of the payment; without a payment it is 409.
/** Disputes what was delivered, within the review window: the money stays in escrow until the dispute is resolved. 403, 404, 409. */
export async function disputeTask(ctx: Ctx, { id, reason, description, ...given }: DisputeTaskInput & { id: string }): Promise<Task> {
  const evidence = await piecesOf(ctx, given.evidence, null);
  const { task, dispute } = await transact(
    ctx,
    async (tx) => {
      const row = await lockTask(ctx, tx, id);
      checkTaskSide(ctx, row, 'sender');
      if (row.status !== 'completed') throw refuseTask(row, ['completed'], 'Only a delivered task can be disputed.');
      const isInTime = row.reviewDeadline !== null && row.reviewDeadline > ctx.clock.now();
      if (row.paymentStatus !== 'reserved' || !isInTime)
        throw notReserved(row, 'The review window of the task has ended, or the task is not paid.');
      const money = { transferId: row.transferId ?? '', amount: row.amount ?? 0n, currency: row.currency ?? '' };
      const agents = { payerAgentId: row.fromAgentId, payeeAgentId: row.toAgentId };
      const said = { reason, description: description ?? '', evidence, requestedResolution: null };
      const filed = await fileDispute(ctx, tx, { ...money, ...said, agents });
      const disputed = await changeTask(ctx, tx, row, { status: 'disputed', paymentStatus: 'disputed', disputeId: filed.id });
      await notifyChange(ctx, tx, disputed, 'disputed');
      return { task: disputed, dispute: filed };
    },
    (made) => made.task.id,
  );
  ringDispute(ctx, dispute);
  return task;
}

/** Ends the dispute of a task: so much of its money goes back, the rest to the worker. */
export async function splitEscrow(ctx: Ctx, tx: Tx, { id: disputeId, transferId }: Dispute, refunded: bigint): Promise<void> {
  const found = await tx.task.findFirst({ where: { disputeId, status: 'disputed' }, select: { id: true } });
  if (found === null) throw new Error(`dispute ${printId('dispute', disputeId)} of the transfer ${transferId} is of no task`);
  const row = await lockRow(tx.task, found.id);
  const paid = await settlePayment(ctx, tx, row, (row.amount ?? 0n) - refunded, unpaid);
  const resolved = await changeTask(ctx, tx, row, { ...paid, status: 'completed' });
  await notifyChange(ctx, tx, resolved, 'resolved');
}
