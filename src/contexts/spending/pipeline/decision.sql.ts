// The statements of decisions: those of refused spends are written many at a time, lists read by index, and what is old is forgotten.
import type pg from 'pg';
import type { DecisionOutcome } from '../../../generated/prisma/client.js';
import { addSeconds } from '../../../platform/clock.js';
import type { Ctx, Platform } from '../../../platform/ctx.js';
import type { Row } from '../../../platform/postgres/column.js';
import { byIndex } from '../../../platform/postgres/lookup-plan.js';
import type { Window } from '../../../platform/schema/page.js';

/** Writes decisions of any workspaces, by column. */
export async function insertDecisions(pool: pg.Pool, rows: readonly Row[]): Promise<void> {
  await pool.query({
    name: 'insert-decisions',
    text: `INSERT INTO decision (workspace_id, id, outcome, code, message, agent_id, subject_type, subject_id, approval_id, transaction_id,
        input, checks, trace_id, evaluated_at)
      SELECT r.workspace_id, r.id, r.outcome, r.code, r.message, r.agent_id, r.subject_type, r.subject_id, r.approval_id,
        r.transaction_id, r.input, r.checks, r.trace_id, r.evaluated_at
      FROM json_populate_recordset(NULL::decision, $1::json) r`,
    values: [JSON.stringify(rows)],
  });
}

/** What chooses decisions: ids between `from` (inclusive) and `below`. */
export interface DecisionChoice {
  /** Only those of the spends of this agent. */
  visibleTo: string | undefined;
  agentId: string | undefined;
  outcome: DecisionOutcome | undefined;
  from: string | undefined;
  below: string | undefined;
}

/** Ids of the decisions of a page, newest first. */
export async function decisionIds(ctx: Ctx, choice: DecisionChoice, { after, skip, take }: Window): Promise<string[]> {
  const below = after !== undefined && (choice.below === undefined || after < choice.below) ? after : choice.below;
  const { where, values } = conditionsOf(ctx, { ...choice, below });
  const text = `SELECT id FROM decision WHERE workspace_id = $1 ${where} ORDER BY id DESC
    OFFSET $${values.length + 1} LIMIT $${values.length + 2}`;
  const { rows } = await ctx.platform.database.pool.query<{ id: string }>(text, [...values, skip, take]);
  return rows.map(({ id }) => id);
}

/** How many decisions there are; looks at no more than `most`. */
export async function countDecisions(ctx: Ctx, choice: DecisionChoice, most: number): Promise<number> {
  const { where, values } = conditionsOf(ctx, choice);
  const text = `SELECT count(*)::int AS count FROM (
    SELECT FROM decision WHERE workspace_id = $1 ${where} LIMIT $${values.length + 1}) found`;
  const { rows } = await ctx.platform.database.pool.query<{ count: number }>(text, [...values, most]);
  return rows[0]?.count ?? 0;
}

/** The outcome stands in the statement itself: only so does PostgreSQL find the indexes of the rare ones. */
function conditionsOf(
  { workspace }: Ctx,
  { visibleTo, agentId, outcome, from, below }: DecisionChoice,
): { where: string; values: unknown[] } {
  const values: unknown[] = [workspace.id];
  const conditions: string[] = [];
  const add = (condition: string, value: unknown) => {
    if (value !== undefined) conditions.push(`AND ${condition} $${values.push(value)}`);
  };
  add('agent_id =', visibleTo);
  add('agent_id =', agentId);
  add('id >=', from);
  add('id <', below);
  if (outcome !== undefined) {
    if (!/^[a-z_]+$/.test(outcome)) throw new Error(`${outcome} is no outcome of a decision`);
    conditions.push(`AND outcome = '${outcome}'`);
  }
  return { where: conditions.join(' '), values };
}

/** Days for which decisions are listed, and those that moved nothing are kept. Those that stand with a posting are evidence of it. */
export const decisionDays = 90;
export const daySeconds = 86_400;

/**
 * Removes up to `most` decisions that are older than 90 days of their workspace's time and stand with no posting. Ids begin with their time, so each workspace is
 * read from its oldest decision on.
 */
export async function sweepDecisions({ database, clock }: Platform, most: number): Promise<number> {
  const oldest = addSeconds(clock.now(), -decisionDays * daySeconds).getTime();
  const { rowCount } = await byIndex(database.pool, (tx) =>
    tx.query({
      name: 'sweep-decisions',
      text: `
        DELETE FROM decision USING (
          SELECT w.id AS workspace_id, old.id FROM workspace w CROSS JOIN LATERAL (
            SELECT id FROM decision d
            WHERE d.workspace_id = w.id AND d.transaction_id IS NULL
              AND d.id < (lpad(to_hex($1::bigint + w.clock_offset_ms), 12, '0') || repeat('0', 20))::uuid
            ORDER BY id LIMIT $2
          ) old LIMIT $2
        ) swept WHERE decision.workspace_id = swept.workspace_id AND decision.id = swept.id`,
      values: [oldest, most],
    }),
  );
  return rowCount ?? 0;
}
