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

// Gap G-146: A cancelled batch is `failed` with `failure.code` `cancelled`; once it has begun, cancelling is 409.
/** Completed and failed are final. Only one that has not begun can be cancelled, and has failed then. */
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
export const visibleBatches = new Visibility<Prisma.BatchWhereInput>({ scope: 'transfers:read', agent: ({ id }) => ({ agentId: id }) });

/** The batch, or 404. */
export async function batch(ctx: Ctx, id: string): Promise<Batch> {
  const found = await ctx.db.batch.findFirst({ where: { AND: [{ id }, visibleBatches.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** The batch that a request has made, which it need not be allowed to read; or 404. */
export async function namedBatch(ctx: Ctx, id: string): Promise<Batch> {
  const found = await ctx.db.batch.findFirst({ where: { AND: [{ id }, visibleBatches.reach(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** Batches, newest first. */
export const batches = listOf('batch', { visible: visibleBatches });

/** An item with what its batch is made of. */
export type ItemOfBatch = BatchItem & Pick<Batch, 'kind'>;

// Gap G-155: A batch shows all its items, at most 500, in the order of the request.
/** The items of a batch, or those of one status, in the order of the request. 404 for an unknown batch. */
export async function batchItems(ctx: Ctx, id: string, status: BatchItemStatus | null): Promise<ItemOfBatch[]> {
  return itemsOf(ctx, await batch(ctx, id), status);
}

/** The items of a batch that is known. */
export async function itemsOf(ctx: Ctx, { id, kind }: Batch, status: BatchItemStatus | null): Promise<ItemOfBatch[]> {
  const items = await ctx.db.batchItem.findMany({
    where: { batchId: id, ...(status !== null && { status }) },
    orderBy: { index: 'asc' },
  });
  return items.map((item) => ({ ...item, kind }));
}

/**
 * The item of a batch whose transfer an approval was about, or the transfer of its payout; null for what was asked for by itself (see
 * G-425).
 */
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
  details?: Readonly<Record<string, unknown>>;
}

// Gap G-151: `failed_count` of a failed batch is 1 where an item is to blame, else 0; `completed_at` is its end either way.
/** Fails a batch as a whole, under its lock: the item that is to blame has failed, the others are skipped. */
export async function failBatch(ctx: Ctx, tx: Tx, id: string, { code, message, index, details = {} }: BatchFailure): Promise<Batch> {
  const now = ctx.clock.now();
  if (index !== undefined) {
    const data = { status: 'failed', errorCode: code, errorMessage: message, errorDetails: details as Prisma.InputJsonObject } as const;
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
