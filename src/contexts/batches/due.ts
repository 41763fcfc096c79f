// The due step of a batch: it begins, and then goes on until nothing of it is pending. A process that takes it up again goes on where
// another has stopped.
import type { Batch } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { transact } from '../../platform/idempotency.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { executeAtomically } from './atomic.js';
import { batchData, batchEventSubject, emit } from './events.js';
import { executeItems } from './stretch.js';

/** Carries the next part of a batch out. Nothing happens to one that has ended. */
export async function stepBatch(ctx: Ctx, id: string): Promise<void> {
  const batch = await begin(ctx, id);
  if (batch.status !== 'processing') return;
  await (batch.mode === 'atomic' ? executeAtomically(ctx, batch) : executeItems(ctx, batch));
}

/** The batch, which has begun by now if it is due. */
function begin(ctx: Ctx, id: string): Promise<Batch> {
  return transact(ctx, async (tx) => {
    const batch = await lockRow<Batch>(tx.batch, id);
    const now = ctx.clock.now();
    if (batch.status !== 'pending' || batch.dueAt === null || batch.dueAt > now) return batch;
    const begun = await tx.batch.update({ where: rowKey(ctx, id), data: { status: 'processing', startedAt: now } });
    await emit(ctx, tx, 'batch.processing', batchData(begun), { at: now, ...batchEventSubject(begun) });
    return begun;
  });
}
