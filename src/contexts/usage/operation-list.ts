// Reading operations: a page with filters, and everything of one trace (CONTRACT.md 17).
import type { Operation } from '../../generated/prisma/client.js';
import { loadTogether } from '../../platform/batch.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import type { Total } from '../../platform/schema/cursor.js';
import { parseAnyId, parseId } from '../../platform/schema/id.js';
import { firstIdAt, type Page, type PageInput, readPage, type Source } from '../../platform/schema/page.js';
import { isOfKind, type KindFilter } from './operation-kind.js';
import { countOperations, type OperationChoice, operationIds } from './operation-list.sql.js';
import { type Period, type PeriodInput, periodOf, refuseBeforeRetention } from './period.js';
import { readUsage } from './rollup.sql.js';
import { visibleOperations } from './visibility.js';

export interface OperationFilter extends PageInput, PeriodInput, KindFilter {
  actorId?: string | null | undefined;
  traceId?: string | null | undefined;
}

/**
 * Operations of a period, newest first; of the last 30 days by default. Where an actor is asked for, a page may have fewer rows than asked
 * for (decision 0060). Their total comes from the rollups, unless an actor or a trace is asked for. 400 for a period beyond what is kept.
 */
export function operations(ctx: Ctx, filter: OperationFilter): Promise<Page<Operation>> {
  const now = ctx.clock.now();
  const period = periodOf(now, filter);
  refuseBeforeRetention(now, period);
  const choice = choiceOf(filter, period);
  const source: Source<Operation> = {
    read: async (window) => {
      const { rows: ids, stoppedAt } = await operationIds(ctx, choice, window);
      const rows = await ctx.db.operation.findMany({ where: { id: { in: ids } } });
      const byId = new Map(rows.map((row) => [row.id, row]));
      return { rows: ids.flatMap((id) => byId.get(id) ?? []), stoppedAt };
    },
    count: (most) =>
      choice.actorId === undefined && choice.traceId === undefined ? totalOf(ctx, period, filter) : countOperations(ctx, choice, most),
    parse: (text) => parseId('operation', text),
  };
  return readPage(ctx, 'operation', source, filter);
}

async function totalOf(ctx: Ctx, period: Period, filter: OperationFilter): Promise<Total> {
  const sums = (await readUsage(ctx, period)).filter((sum) => isOfKind(sum, filter));
  return { count: sums.reduce((count, { operations: more }) => count + more, 0), isMinimum: false };
}

function choiceOf(filter: OperationFilter, { start, end }: Period): OperationChoice {
  const { category, protocol, success, actorId, traceId } = filter;
  return {
    from: firstIdAt(start),
    below: firstIdAt(end),
    kind: { category, protocol, success },
    actorId: actorId == null ? undefined : actorOf(actorId),
    traceId: traceId ?? undefined,
  };
}

function actorOf(text: string): string {
  const id = parseAnyId(text);
  if (id === null) throw new ValidationFailed([{ path: ['actorId'], message: 'must be the id of an agent or of an API key', rule: 'id' }]);
  return id;
}

/** The newest operations, of all time. */
export function recentOperations(ctx: Ctx, limit: number): Promise<Operation[]> {
  return ctx.db.operation.findMany({ where: visibleOperations.where(ctx), orderBy: { id: 'desc' }, take: limit });
}

/** The operation; null for one that the actor does not see. */
export async function operation(ctx: Ctx, id: string): Promise<Operation | null> {
  return (
    (await loadTogether(ctx, 'operation', id, async (ids) => {
      const rows = await ctx.db.operation.findMany({ where: { AND: [{ id: { in: [...ids] } }, visibleOperations.where(ctx)] } });
      return new Map(rows.map((row) => [row.id, row]));
    })) ?? null
  );
}

// Gap G-359: A trace shows its first 500 operations, `has_more`, and totals of all that succeeded; 404 where there are none.
/** Operations of a trace that are shown, at most: its first. */
export const mostTraced = 500;

/** What one trace did and spent. */
export interface Trace {
  traceId: string;
  /** The oldest first. */
  operations: Operation[];
  hasMore: boolean;
  /** What really moved, by currency; minor units. */
  totals: { currency: string; amount: bigint }[];
  /** Agents that took part. */
  agentIds: string[];
}

/** Everything that the actor sees of a trace, across agents. 404 when there is nothing. */
export async function trace(ctx: Ctx, traceId: string): Promise<Trace> {
  const where = { AND: [{ traceId }, visibleOperations.where(ctx)] };
  const [rows, totals, agents] = await Promise.all([
    ctx.db.operation.findMany({ where, orderBy: { id: 'asc' }, take: mostTraced + 1 }),
    ctx.db.operation.groupBy({
      by: ['currency'],
      where: { AND: [where, { success: true }] },
      _sum: { amount: true },
      orderBy: { currency: 'asc' },
    }),
    ctx.db.operation.groupBy({
      by: ['agentId'],
      where: { AND: [where, { agentId: { not: null } }] },
      orderBy: { agentId: 'asc' },
      take: mostTraced,
    }),
  ]);
  if (rows.length === 0) throw new NotFound();
  return {
    traceId,
    operations: rows.slice(0, mostTraced),
    hasMore: rows.length > mostTraced,
    totals: totals.map(({ currency, _sum }) => ({ currency, amount: _sum.amount ?? 0n })),
    agentIds: agents.flatMap(({ agentId }) => agentId ?? []),
  };
}
