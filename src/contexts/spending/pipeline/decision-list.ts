// Reading decisions: one, or a page of them (CONTRACT.md 6). What their limits had used is read with them, from their ledger transactions.
import type { DecisionOutcome, Decision as DecisionRow, Prisma } from '../../../generated/prisma/client.js';
import { addSeconds } from '../../../platform/clock.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound } from '../../../platform/errors.js';
import { parseId } from '../../../platform/schema/id.js';
import { countedTo, firstIdAt, type Page, type PageInput, readPage, type Source } from '../../../platform/schema/page.js';
import { Visibility } from '../../../platform/visibility.js';
import { type Decision, withEveryLayer } from './decision.js';
import { countDecisions, type DecisionChoice, daySeconds, decisionDays, decisionIds } from './decision.sql.js';
import { inputIn, readChecks, type UsesOfTransaction } from './decision-record.js';

/** A decision that was stored. */
export type StoredDecision = Decision & { id: string; row: DecisionRow };

/** An agent sees what was decided of its own spends. */
export const visibleDecisions = new Visibility<Prisma.DecisionWhereInput>({ scope: 'policies:read', agent: ({ id }) => ({ agentId: id }) });

/** The decision, or 404. */
export async function decision(ctx: Ctx, id: string): Promise<StoredDecision> {
  const row = await ctx.db.decision.findFirst({ where: { AND: [{ id }, visibleDecisions.where(ctx)] } });
  if (row === null) throw new NotFound();
  const [found] = await withFigures(ctx, [row]);
  return found as StoredDecision;
}

/** The id of no agent: an actor that is none, and does not see the whole workspace, sees no decision. */
const nobody = '00000000-0000-0000-0000-000000000000';

export interface DecisionFilter extends PageInput {
  agentId?: string | null | undefined;
  outcome?: DecisionOutcome | null | undefined;
}

/** Decisions of the last 90 days, newest first. Those that moved money are kept beyond that, as evidence of it. */
export function decisions(ctx: Ctx, filter: DecisionFilter): Promise<Page<StoredDecision>> {
  const { agentId, outcome, since, until } = filter;
  const oldest = addSeconds(ctx.clock.now(), -decisionDays * daySeconds);
  const choice: DecisionChoice = {
    visibleTo: visibleDecisions.isWhole(ctx) ? undefined : (ctx.actor.agent?.id ?? nobody),
    agentId: agentId ?? undefined,
    outcome: outcome ?? undefined,
    from: firstIdAt(since && since > oldest ? since : oldest),
    below: until ? firstIdAt(until) : undefined,
  };
  const source: Source<StoredDecision> = {
    read: async (window) => {
      const ids = await decisionIds(ctx, choice, window);
      const rows = await ctx.db.decision.findMany({ where: { id: { in: ids } }, orderBy: { id: 'desc' } });
      return withFigures(ctx, rows);
    },
    count: (most) => countedTo(most, (take) => countDecisions(ctx, choice, take)),
    parse: (text) => parseId('decision', text),
  };
  return readPage(ctx, 'decision', source, filter);
}

/** The decisions of rows, with what their limits had used. */
export async function withFigures({ db }: Ctx, rows: readonly DecisionRow[]): Promise<StoredDecision[]> {
  const ids = rows.flatMap(({ transactionId }) => transactionId ?? []);
  const select = { id: true, limits: true, limitsBefore: true };
  const transactions = ids.length === 0 ? [] : await db.ledgerTransaction.findMany({ where: { id: { in: ids } }, select });
  const uses = new Map<string | null, UsesOfTransaction>(transactions.map(({ id, ...used }) => [id, used]));
  return rows.map((row) => {
    const { id, outcome, code, message, evaluatedAt } = row;
    const checks = withEveryLayer(readChecks(row.checks, uses.get(row.transactionId)));
    return { id, outcome, code, message, checks, rateIds: inputIn(row).rates ?? [], evaluatedAt, row };
  });
}
