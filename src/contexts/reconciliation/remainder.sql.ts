// What no reference has matched: equal amounts in the same direction, on the same day, then the next day, then the day before. Of equals
// the first goes with the first. What is left after that stands alone.
import { runIn, type Statement, type Tx } from '../../platform/postgres/database.js';
import { clearPairs, type Found, inPeriod, type MatchedStretch, type WalkScope } from './walk.sql.js';

/**
 * The next lines of the ledger after the key in $8 to $11, each with the first line of the rail that is equal, $4 days later. A group of
 * equals may go on in the next stretch: what was matched of it is gone then, so that the first ones left are the next ones.
 */
const equals: Statement = {
  name: 'reconcile-equals',
  text: `
    WITH chunk AS MATERIALIZED (
      SELECT ctid AS place, direction, amount, day, line_id FROM reconciliation_remainder
      WHERE workspace_id = $1::uuid AND report_id = $2::uuid AND side = 'ledger'
        AND (direction, amount, day, line_id) > ($8::statement_direction, $9::bigint, $10::date, $11::uuid)
      ORDER BY direction, amount, day, line_id LIMIT $3::int
    ), ours AS (
      SELECT *, row_number() OVER (PARTITION BY direction, amount, day ORDER BY line_id) AS nth FROM chunk
    ), groups AS (
      SELECT direction, amount, day, count(*) AS lines FROM chunk GROUP BY 1, 2, 3
    ), theirs AS (
      SELECT r.place, g.direction, g.amount, g.day, r.line_id, row_number() OVER (PARTITION BY g.direction, g.amount, g.day ORDER BY r.line_id) AS nth
      FROM groups g CROSS JOIN LATERAL (
        SELECT ctid AS place, line_id FROM reconciliation_remainder
        WHERE workspace_id = $1::uuid AND report_id = $2::uuid AND side = 'rail' AND direction = g.direction AND amount = g.amount
          AND day = g.day + $4::int
        ORDER BY line_id LIMIT g.lines
      ) r
    ), pairs AS MATERIALIZED (
      SELECT day, o.line_id AS ledger, t.line_id AS rail, ARRAY[o.place, t.place] AS places FROM ours o JOIN theirs t USING (direction, amount, day, nth)
    ), gone AS (
      DELETE FROM reconciliation_remainder WHERE workspace_id = $1::uuid AND ctid = ANY (ARRAY(SELECT unnest(places) FROM pairs))
    ), ${clearPairs('pairs')}
    SELECT (SELECT count(*)::int FROM chunk) AS seen,
      (SELECT json_build_array(direction, amount::text, day, line_id) FROM chunk
       ORDER BY direction DESC, amount DESC, day DESC, line_id DESC LIMIT 1) AS next,
      (SELECT count(*)::int FROM pairs WHERE ${inPeriod('day')}) AS matched`,
};

const first = ['credit', '0', '-infinity', '00000000-0000-0000-0000-000000000000'];

/** Matches the next lines of the ledger with equal ones of the rail, so many days later. */
export async function matchEquals(tx: Tx, scope: WalkScope, cursor: readonly string[] | null, daysLater: number): Promise<MatchedStretch> {
  const { workspaceId, reportId, most, from, to, now } = scope;
  const values = [workspaceId, reportId, most, daysLater, from, to, now, ...(cursor ?? first)];
  const [row] = await runIn<{ seen: number; next: string[] | null; matched: number }>(tx, equals, values);
  if (row === undefined) throw new Error('nothing was answered');
  return { next: row.seen < most ? null : row.next, matched: row.matched, found: [], rung: 0 };
}

const take: Statement = {
  name: 'reconcile-remainder',
  text: `
    WITH gone AS (
      DELETE FROM reconciliation_remainder WHERE workspace_id = $1::uuid AND ctid = ANY (ARRAY(
        SELECT ctid FROM reconciliation_remainder WHERE workspace_id = $1::uuid AND report_id = $2::uuid
        ORDER BY side, direction, amount, day, line_id LIMIT $3::int))
      RETURNING side, direction, amount, day, line_id, reference, payout_id
    )
    SELECT count(*)::int AS seen, coalesce(json_agg(json_build_object('type', side || '_only',
      'ledger', CASE WHEN side = 'ledger' THEN line_id END, 'rail', CASE WHEN side = 'rail' THEN line_id END,
      'reference', reference, 'payout', payout_id, 'direction', direction,
      'expected', CASE WHEN side = 'ledger' THEN amount::text END, 'actual', CASE WHEN side = 'rail' THEN amount::text END)
      ORDER BY side, day, line_id) FILTER (WHERE day BETWEEN $4::date AND $5::date), '[]') AS found
    FROM gone`,
};

/** Takes the next lines that stand alone out of what was set aside. Those of the period are found; the others were there to be matched. */
export async function claimRemainder(tx: Tx, { workspaceId, reportId, most, from, to }: WalkScope): Promise<MatchedStretch> {
  const [row] = await runIn<{ seen: number; found: Found[] }>(tx, take, [workspaceId, reportId, most, from, to]);
  if (row === undefined) throw new Error('nothing was answered');
  return { next: row.seen < most ? null : [], matched: 0, found: row.found, rung: 0 };
}
