// An atomic batch: all of its transfers in one set of postings and one transaction with what is noted of it, or none (CONTRACT.md 4).
import type { Batch, BatchItem } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ApiError } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { requireScope } from '../../platform/schema/audience.js';
import { JointRefusal, type JointSpend, postJointly } from '../spending/pipeline/joint-spend.js';
import { draftTransfer, planTransfer } from '../transfers/transfer-request.js';
import { type BatchFailure, failBatch } from './batch.js';
import { ctxOf } from './batch-ctx.js';
import { itemErrorOf } from './batch-item.sql.js';
import { storedTransfer } from './batch-request.js';
import { batchData, batchEventSubject, emit } from './events.js';
import { internalFailure, isPassing, retrySeconds } from './retry.js';

/** Transfers that are planned beside each other: each may read, and others need connections too. */
const plannedAtOnce = 50;

/** Carries an atomic batch out, or fails it as a whole for the first of its items that is refused. */
export async function executeAtomically(ctx: Ctx, batch: Batch): Promise<void> {
  const items = await ctx.db.batchItem.findMany({ where: { batchId: batch.id }, orderBy: { index: 'asc' } });
  const own = await ctxOf(ctx, batch);
  try {
    const spends: JointSpend[] = [];
    for (let at = 0; at < items.length; at += plannedAtOnce) spends.push(...(await plansOf(own, items.slice(at, at + plannedAtOnce))));
    await postAll(own, batch.id, spends);
  } catch (error) {
    await end(ctx, batch.id, error);
  }
}

/** Fails the batch for what was thrown, or lets it be tried again. */
async function end(ctx: Ctx, id: string, error: unknown): Promise<void> {
  const failure = failureOf(error);
  if (failure === internalFailure) ctx.log.error({ err: error, batchId: id }, 'an atomic batch failed');
  await transact(ctx, async (tx) => {
    const found = await lockRow<Batch>(tx.batch, id);
    if (found.status !== 'processing') return found;
    if (failure !== undefined) return failBatch(ctx, tx, id, failure);
    return tx.batch.update({ where: rowKey(ctx, id), data: { dueAt: addSeconds(ctx.clock.now(), retrySeconds), leaseUntil: null } });
  });
  if (failure === undefined) ctx.platform.due.ring('batch', retrySeconds * 1000);
}

/** Undefined for what is tried again. */
function failureOf(error: unknown): BatchFailure | undefined {
  if (isPassing(error)) return undefined;
  if (!(error instanceof JointRefusal)) return internalFailure;
  const { index, refusal } = error;
  return { ...itemErrorOf(refusal), index };
}

/** Throws JointRefusal for the first item that cannot be. */
async function plansOf(ctx: Ctx, items: readonly BatchItem[]): Promise<JointSpend[]> {
  const planned = await Promise.allSettled(items.map((item) => planOf(ctx, item)));
  return planned.map((plan, n) => {
    if (plan.status === 'fulfilled') return plan.value;
    const error = plan.reason;
    throw error instanceof ApiError && !isPassing(error) ? new JointRefusal(items[n]?.index ?? n, error) : error;
  });
}

async function planOf(ctx: Ctx, { batchId, madeId, input }: BatchItem): Promise<JointSpend> {
  requireScope(ctx.actor, 'transfers:write');
  const plan = await planTransfer(ctx, storedTransfer(input), { id: madeId, origin: { type: 'batch', id: batchId } });
  return { authority: plan.authority, draft: (form) => draftTransfer(ctx, madeId, plan, form) };
}

async function postAll(ctx: Ctx, id: string, spends: readonly JointSpend[]): Promise<void> {
  await transact({ ...ctx, act: { action: 'createBatch', resourceType: 'batch' } }, async (tx) => {
    const found = await lockRow<Batch>(tx.batch, id);
    if (found.status !== 'processing') return found;
    const now = ctx.clock.now();
    await tx.batchItem.updateMany({ where: { batchId: id }, data: { status: 'succeeded' } });
    const done = await tx.batch.update({
      where: rowKey(ctx, id),
      data: { status: 'completed', successCount: found.totalCount, completedAt: now, dueAt: null, leaseUntil: null },
    });
    await emit(ctx, tx, 'batch.completed', batchData(done), { at: now, ...batchEventSubject(done) });
    await postJointly(ctx, tx, spends);
    return done;
  });
}
