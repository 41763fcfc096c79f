// A batch: requests that were taken together, and what became of them (CONTRACT.md 4). Reading it, and calling it off before it begins.
import type { Approval, Batch, BatchItem, BatchItemStatus, BatchStatus, Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { type Lifecycle, wrongStatus } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { listOf } from '../../platform/schema/list.js';
import { Visibility } from '../../platform/visibility.js';
import { originIdOf } from '../transfers/subject.js';
import { batchData, batchEventSubject, emit } from './events.js';

/** Completed and failed are final. Only one that has not begun can be cancelled, and has failed then (Gap G-146). */
export const batchLifecycle: Lifecycle<BatchStatus> = {
  noun: 'batch',
  path: '/v1/batches/{id}',
  steps: {
    pending: ['processing', 'failed'],
    processing: ['completed', 'failed'],
    completed: [],
    failed: [],
  },
  requests: [{ to: 'failed', from: ['pending'], rel: 'cancel', actor: 'any', method: 'POST', path: '/cancel' }],
};

/** An agent sees the batches that it has created. */
const visibleBatches = new Visibility<Prisma.BatchWhereInput>({ agent: ({ id }) => ({ agentId: id }) });

/** The batch, or 404. */
export async function batch(ctx: Ctx, id: string): Promise<Batch> {
  const found = await ctx.db.batch.findFirst({ where: { AND: [{ id }, visibleBatches.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** Batches, newest first. */
export const batches = listOf('batch', { visible: visibleBatches });

/** An item with what its batch is made of. */
export type ItemOfBatch = BatchItem & Pick<Batch, 'kind'>;

/** The items of a batch, or those of one status, in the order of the request (Gap G-155). 404 for an unknown batch. */
export async function batchItems(ctx: Ctx, id: string, status: BatchItemStatus | null): Promise<ItemOfBatch[]> {
  const { kind } = await batch(ctx, id);
  const items = await ctx.db.batchItem.findMany({
    where: { batchId: id, ...(status !== null && { status }) },
    orderBy: { index: 'asc' },
  });
  return items.map((item) => ({ ...item, kind }));
}

/** The item of a batch whose transfer an approval was about, or the transfer of its payout; null for what was asked for by itself (Gap G-425). */
export async function approvedItem(ctx: Ctx, { transferId }: Pick<Approval, 'transferId'>): Promise<ItemOfBatch | null> {
  if (transferId === null) return null;
  const made = await ctx.db.transfer.findFirstOrThrow({ where: { id: transferId }, select: { originType: true, originId: true } });
  const batchId = originIdOf(made, 'batch');
  if (batchId === null) return null;
  const item = await ctx.db.batchItem.findFirst({ where: { batchId, madeId: transferId } });
  return item && { ...item, kind: (await batch(ctx, batchId)).kind };
}

/** Calls a batch off that has not begun: nothing of it is carried out. 409 `state_conflict` for one that has. */
export function cancelBatch(ctx: Ctx, id: string, reason: string | null): Promise<Batch> {
  return transact(ctx, async (tx) => {
    const { status } = await lockRow<Batch>(tx.batch, id, { where: visibleBatches.where(ctx) });
    if (status !== 'pending') {
      const message = `Only a batch that has not begun can be cancelled; this one is ${status}.`;
      throw wrongStatus(batchLifecycle, id, status, ['pending'], message);
    }
    return failBatch(ctx, tx, id, { code: 'cancelled', message: reason ?? 'The batch was cancelled before it began.' });
  });
}

/** What a batch fails for, at an item where one is to blame. */
export interface BatchFailure {
  code: string;
  message: string;
  index?: number;
}

/** Fails a batch as a whole, under its lock: the item that is to blame has failed, the others are skipped (Gap G-151). */
export async function failBatch(ctx: Ctx, tx: Tx, id: string, { code, message, index }: BatchFailure): Promise<Batch> {
  const now = ctx.clock.now();
  if (index !== undefined) {
    const data = { status: 'failed', errorCode: code, errorMessage: message } as const;
    await tx.batchItem.updateMany({ where: { batchId: id, index }, data });
  }
  await tx.batchItem.updateMany({ where: { batchId: id, status: 'pending' }, data: { status: 'skipped' } });
  const failed = await tx.batch.update({
    where: rowKey(ctx, id),
    data: {
      status: 'failed',
      failedCount: index === undefined ? 0 : 1,
      failureCode: code,
      failureMessage: index === undefined ? message : `Item ${index}: ${message}`,
      completedAt: now,
      dueAt: null,
      leaseUntil: null,
    },
  });
  await emit(ctx, tx, 'batch.failed', batchData(failed), { at: now, ...batchEventSubject(failed) });
  return failed;
}
