// A batch whose items stand alone, a stretch at a time, which are posted beside each other. Each is carried out once, whichever process
// dies in the middle: what it makes has an id from the beginning, so what is there already is found; and its posting takes a claim, as the
// note that it has failed does, so whichever comes first stands (docs/architecture.md "Time").
import type { Batch, BatchItem } from '../../generated/prisma/client.js';
import type { Claim } from '../../ledger/posting.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ApiError } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { requireScope } from '../../platform/schema/audience.js';
import { createTransfer } from '../transfers/transfer-request.js';
import { ctxOf } from './batch-ctx.js';
import { type ItemOutcome, insertClaims, itemErrorOf, recordOutcomes } from './batch-item.sql.js';
import { storedTransfer } from './batch-request.js';
import { batchData, batchEventSubject, emit } from './events.js';
import { internalFailure, isPassing, retrySeconds } from './retry.js';

// Gap G-150: 100 items run at once, in no certain order; one that meets an overloaded part stays pending and is tried again after 1 s.
/** Items of a stretch: as many as one statement posts. */
const stretchSize = 100;
/** Seconds, of real time, for which it is kept that an item was carried out or given up: longer than any posting is under way. */
const claimSeconds = 86_400;

/** Milliseconds for which a run goes on to the next stretch. After that others have their turn. */
const turnMs = 2_000;

/** Carries items out, stretch after stretch, and notes what became of each. The last stretch completes the batch. */
export async function executeItems(ctx: Ctx, batch: Batch): Promise<void> {
  const own = await ctxOf(ctx, batch);
  const endsAt = performance.now() + turnMs;
  while (await executeStretch(ctx, own, batch, () => performance.now() < endsAt));
}

/** True when another stretch is to follow at once. */
async function executeStretch(ctx: Ctx, own: Ctx, batch: Batch, hasTime: () => boolean): Promise<boolean> {
  const items = await ctx.db.batchItem.findMany({
    where: { batchId: batch.id, status: 'pending' },
    orderBy: { index: 'asc' },
    take: stretchSize,
  });
  const made = await madeBefore(ctx, items);
  const outcomes = await Promise.all(
    items.map((item) => (made.has(item.madeId) ? { index: item.index, error: null } : executeItem(own, item))),
  );
  const known = outcomes.filter((outcome) => outcome !== undefined);
  const isIncomplete = known.length < items.length;
  const pauseSeconds = isIncomplete ? retrySeconds : 0;
  const goesOn = !isIncomplete && hasTime();
  const noted = await note(ctx, batch.id, known, goesOn ? undefined : pauseSeconds);
  if (noted.dueAt !== null && !goesOn) ctx.platform.due.ring('batch', pauseSeconds * 1000);
  return goesOn && noted.status === 'processing';
}

/** Those of the items whose transfers are there: a process has died before it could note them. */
async function madeBefore(ctx: Ctx, items: readonly BatchItem[]): Promise<Set<string>> {
  const found = await ctx.db.transfer.findMany({ where: { id: { in: items.map(({ madeId }) => madeId) } }, select: { id: true } });
  return new Set(found.map(({ id }) => id));
}

function claimKey({ batchId, index }: Pick<BatchItem, 'batchId' | 'index'>): string {
  return `${batchId} ${index}`;
}

/** Undefined: it could not be carried out now, or nobody knows whether it was. */
async function executeItem(ctx: Ctx, item: BatchItem): Promise<ItemOutcome | undefined> {
  const { index, batchId, madeId } = item;
  const expiresAt = addSeconds(ctx.platform.clock.now(), claimSeconds);
  const claim: Claim = { kind: 'batch_item', key: claimKey(item), reference: madeId, expiresAt };
  try {
    requireScope(ctx.actor, 'transfers:write');
    await createTransfer(ctx, storedTransfer(item.input), { id: madeId, origin: { type: 'batch', id: batchId }, claims: [claim] });
    return { index, error: null };
  } catch (error) {
    if (isPassing(error)) return undefined;
    if (error instanceof ApiError) return { index, error: itemErrorOf(error) };
    ctx.log.error({ err: error, batchId, index }, 'an item of a batch failed');
    return { index, error: internalFailure };
  }
}

/** Notes outcomes under the lock of the batch. It keeps its lease, or is due again after so many seconds. */
function note(ctx: Ctx, id: string, outcomes: readonly ItemOutcome[], dueInSeconds: number | undefined): Promise<Batch> {
  return transact(ctx, async (tx) => {
    const batch = await lockRow<Batch>(tx.batch, id);
    if (batch.status !== 'processing') return batch;
    const keys = outcomes.filter(({ error }) => error !== null).map(({ index }) => claimKey({ batchId: id, index }));
    const free = await insertClaims(tx, ctx.workspace.id, keys, addSeconds(ctx.platform.clock.now(), claimSeconds));
    // Another process has carried out what could not be carried out here, where the claim was taken before.
    const certain = outcomes.map(({ index, error }) => ({ index, error: free.has(claimKey({ batchId: id, index })) ? error : null }));
    const { succeeded, failed } = await recordOutcomes(tx, ctx.workspace.id, id, certain);
    const now = ctx.clock.now();
    const successCount = batch.successCount + succeeded;
    const failedCount = batch.failedCount + failed;
    const counts = { successCount, failedCount };
    if (successCount + failedCount < batch.totalCount) {
      const next = dueInSeconds === undefined ? {} : { dueAt: addSeconds(now, dueInSeconds), leaseUntil: null };
      return tx.batch.update({ where: rowKey(ctx, id), data: { ...counts, ...next } });
    }
    const ended = { status: 'completed', completedAt: now, dueAt: null, leaseUntil: null } as const;
    const done = await tx.batch.update({ where: rowKey(ctx, id), data: { ...counts, ...ended } });
    await emit(ctx, tx, 'batch.completed', batchData(done), { at: now, ...batchEventSubject(done) });
    return done;
  });
}
