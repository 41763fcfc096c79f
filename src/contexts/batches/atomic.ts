// An atomic batch: all of its transfers in one set of postings and one transaction with what is noted of it, or none (CONTRACT.md 4).
import type { Batch, BatchItem } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ApiError } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { JointRefusal, type JointSpend, postJointly } from '../spending/joint-spend.js';
import { draftTransfer, planTransfer } from '../transfers/transfer-request.js';
import { failBatch } from './batch.js';
import { ctxOf } from './batch-ctx.js';
import { storedTransfer } from './batch-request.js';
import { aboutOf, batchData, emit } from './events.js';

/** Carries an atomic batch out, or fails it as a whole for the first of its items that is refused. */
export async function carryOutTogether(ctx: Ctx, batch: Batch): Promise<void> {
  const items = await ctx.db.batchItem.findMany({ where: { batchId: batch.id }, orderBy: { index: 'asc' } });
  const own = await ctxOf(ctx, batch);
  try {
    const spends = await plansOf(own, items);
    await postAll(own, batch.id, spends);
  } catch (error) {
    if (!(error instanceof JointRefusal)) throw error;
    const { index, refusal } = error;
    await transact(ctx, async (tx) => {
      const found = await lockRow<Batch>(tx.batch, batch.id);
      if (found.status !== 'processing') return found;
      return failBatch(ctx, tx, batch.id, { code: refusal.code, message: refusal.message, index });
    });
  }
}

/** Throws JointRefusal for the first item that cannot be. */
async function plansOf(ctx: Ctx, items: readonly BatchItem[]): Promise<JointSpend[]> {
  const planned = await Promise.allSettled(items.map((item) => planOf(ctx, item)));
  return planned.map((plan, index) => {
    if (plan.status === 'fulfilled') return plan.value;
    const error = plan.reason;
    throw error instanceof ApiError && error.status < 500 ? new JointRefusal(index, error) : error;
  });
}

async function planOf(ctx: Ctx, { batchId, madeId, input }: BatchItem): Promise<JointSpend> {
  const plan = await planTransfer(ctx, storedTransfer(input), { id: madeId, links: { batchId } });
  return { authority: plan.authority, draft: (form) => draftTransfer(ctx, madeId, plan, form) };
}

async function postAll(ctx: Ctx, id: string, spends: readonly JointSpend[]): Promise<void> {
  await transact(ctx, async (tx) => {
    const found = await lockRow<Batch>(tx.batch, id);
    if (found.status !== 'processing') return found;
    const now = ctx.clock.now();
    await tx.batchItem.updateMany({ where: { batchId: id }, data: { status: 'succeeded' } });
    const done = await tx.batch.update({
      where: rowKey(ctx, id),
      data: { status: 'completed', successCount: found.totalCount, completedAt: now, dueAt: null, leaseUntil: null },
    });
    await emit(ctx, tx, 'batch.completed', batchData(done), { at: now, ...aboutOf(done) });
    await postJointly(ctx, tx, spends);
    return done;
  });
}
