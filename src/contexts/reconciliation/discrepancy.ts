// A discrepancy is one thing that the ledger and the statement of a rail do not agree on, however many runs find it (CONTRACT.md 12).
import type { Discrepancy, DiscrepancyStatus, Prisma } from '../../generated/prisma/client.js';
import { loadTogether } from '../../platform/batch.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { checkStep, type Lifecycle } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { printId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { Visibility } from '../../platform/visibility.js';
import type { ResolveDiscrepancyInput } from './discrepancy.input.js';
import { newestFindings } from './finding.sql.js';

export const discrepancyLifecycle: Lifecycle<DiscrepancyStatus> = {
  noun: 'discrepancy',
  path: '/v1/reconciliation/discrepancies/{id}',
  steps: {
    open: ['chasing', 'resolved', 'cleared'],
    chasing: ['chasing', 'resolved', 'cleared'],
    resolved: [],
    cleared: ['open'],
  },
  requests: [
    { to: 'resolved', rel: 'resolve', actor: 'api_key', method: 'POST', path: '/resolve', body: { resolution: 'no_action' } },
    { to: 'chasing', rel: 'chase', actor: 'api_key', method: 'POST', path: '/resolve', body: { resolution: 'chasing' } },
  ],
};

/** Reconciliation is the tenant's: agents see nothing of it. */
export const visibleDiscrepancies = new Visibility<Prisma.DiscrepancyWhereInput>({ scope: 'settlement:read', agent: () => null });

/** The discrepancy, or 404. */
export async function discrepancy(ctx: Ctx, id: string): Promise<Discrepancy> {
  const found = await ctx.db.discrepancy.findFirst({ where: { AND: [{ id }, visibleDiscrepancies.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** Discrepancies, newest first; of a report those that it has found. */
export const discrepancies = listOf(
  'discrepancy',
  { visible: visibleDiscrepancies },
  { reportId: (reportId: string) => ({ findings: { some: { reportId } } }) },
);

/** Discrepancies that a report shows with it, at most: the list has them all. */
export const mostShown = 100;

/** The newest that a report has found. */
export async function foundBy(ctx: Ctx, reportId: string): Promise<Discrepancy[]> {
  const found = await loadTogether(ctx, 'findings', reportId, async (reportIds) => {
    const ids = await newestFindings(ctx.db as unknown as Tx, ctx.workspace.id, reportIds, mostShown);
    const rows = await ctx.db.discrepancy.findMany({
      where: { AND: [{ id: { in: [...ids.values()].flat() } }, visibleDiscrepancies.where(ctx)] },
    });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return new Map([...ids].map(([report, own]) => [report, own.flatMap((id) => byId.get(id) ?? [])]));
  });
  return found ?? [];
}

// Gap G-185: `chasing` leaves a discrepancy open; the other three are final, and 409 after that. Nothing is posted.
/**
 * Says what was done about a discrepancy. `chasing` leaves it open to be resolved later. 404 for an unknown transfer, 400 for one that goes
 * with another resolution than `adjusted`, 409 for one that is resolved or cleared.
 */
export function resolveDiscrepancy(
  ctx: Ctx,
  { id, resolution, note, adjustmentTransferId }: ResolveDiscrepancyInput & { id: string },
): Promise<Discrepancy> {
  if (adjustmentTransferId != null && resolution !== 'adjusted') {
    throw new ValidationFailed([{ path: ['adjustmentTransferId'], message: 'goes with adjusted', rule: 'unexpected' }]);
  }
  return transact(ctx, async (tx) => {
    const { status: from } = await lockRow<Discrepancy>(tx.discrepancy, id, { where: visibleDiscrepancies.where(ctx) });
    const status: DiscrepancyStatus = resolution === 'chasing' ? 'chasing' : 'resolved';
    checkStep(discrepancyLifecycle, printId('discrepancy', id), from, status);
    if (adjustmentTransferId != null) {
      const transfer = await tx.transfer.findFirst({ where: { id: adjustmentTransferId }, select: { id: true } });
      if (transfer === null) throw new NotFound('adjustmentTransferId');
    }
    const resolvedAt = status === 'resolved' ? ctx.clock.now() : null;
    const data = { status, resolution, note: note ?? null, adjustmentTransferId: adjustmentTransferId ?? null, resolvedAt };
    return tx.discrepancy.update({ where: rowKey(ctx, id), data });
  });
}
