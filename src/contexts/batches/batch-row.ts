// The row of a batch, whatever it is made of, and how it begins and ends.
import type { Batch, BatchKind, BatchMode, Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { initiatorOf } from '../spending/approval/approval-request.js';
import { type ItemOutcome, insertItems, type NewItem, recordOutcomes } from './batch-item.sql.js';
import type { BatchTotal } from './batch-total.js';
import { batchData, batchEventSubject, emit } from './events.js';

export interface NewBatch {
  kind: BatchKind;
  mode?: BatchMode;
  reference?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
  totalCount: number;
  total: BatchTotal;
}

/** The row of a batch that is made now; it is not due. */
export function newBatch(ctx: Ctx, { kind, mode = 'independent', reference, metadata, totalCount, total }: NewBatch) {
  const { actor, traceId = null } = ctx;
  const at = ctx.clock.now();
  return {
    id: newId(at),
    kind,
    status: 'pending',
    mode,
    reference: reference ?? null,
    totalCount,
    totalAmount: total.minor,
    currency: total.currency,
    totals: total.sums.map((sum) => ({ currency: sum.currency, minor: `${sum.minor}` })),
    metadata: (metadata ?? {}) as Prisma.InputJsonObject,
    createdByType: initiatorOf(actor.type),
    createdById: actor.id,
    credentialKind: actor.credential.kind,
    // The items go on when a session is signed out; the key or the member behind it is what they stand and fall with.
    credentialId: ['jwt', 'login'].includes(actor.credential.kind) ? actor.id : actor.credential.id,
    agentId: actor.agent?.id ?? null,
    traceId,
    createdAt: at,
  } as const;
}

/** Writes a batch with its items, in order, and tells it. */
export async function insertBatch(
  ctx: Ctx,
  tx: Tx,
  row: ReturnType<typeof newBatch> & { dueAt?: Date },
  items: readonly NewItem[],
): Promise<Batch> {
  const made = await tx.batch.create({ data: row });
  await insertItems(tx, ctx.workspace.id, row.id, items);
  await emit(ctx, tx, 'batch.created', batchData(made), { at: row.createdAt, ...batchEventSubject(made) });
  return made;
}

/** Ends a batch whose items were all tried in the transaction that has made it. */
export async function completeBatch(ctx: Ctx, tx: Tx, id: string, outcomes: readonly ItemOutcome[]): Promise<Batch> {
  const at = ctx.clock.now();
  const { succeeded, failed } = await recordOutcomes(tx, ctx.workspace.id, id, outcomes);
  const counts = { successCount: succeeded, failedCount: failed };
  const done = await tx.batch.update({
    where: rowKey(ctx, id),
    data: { ...counts, status: 'completed', startedAt: at, completedAt: at },
  });
  await emit(ctx, tx, 'batch.completed', batchData(done), { at, ...batchEventSubject(done) });
  return done;
}
