// What a run finds is written in two statements: discrepancies that nobody has found before, and the notes that this run has found them.
import { runIn, type Statement, type Tx } from '../../platform/postgres/database.js';
import type { Found } from './walk.sql.js';

/** A finding with the id that it has if it is new. */
export type Identified = Found & { id: string };

const columns =
  'id uuid, type discrepancy_type, ledger uuid, rail uuid, reference text, payout uuid, direction statement_direction, expected bigint, actual bigint';

const insert: Statement = {
  name: 'insert-discrepancies',
  text: `
    INSERT INTO discrepancy (workspace_id, id, report_id, rail, type, status, ledger_entry_id, rail_entry_id, reference, payout_id, direction,
      expected_amount, actual_amount, currency, detected_at)
    SELECT $1::uuid, f.id, $2::uuid, $4::text, f.type, 'open', f.ledger, f.rail, f.reference, f.payout, f.direction, f.expected, f.actual,
      $5::text, $6::timestamptz
    FROM json_to_recordset($3::json) AS f (${columns})
    ON CONFLICT DO NOTHING RETURNING id`,
};

/** What was cleared and is found again is open again. */
const note: Statement = {
  name: 'note-findings',
  text: `
    WITH found AS MATERIALIZED (SELECT * FROM json_to_recordset($3::json) AS f (${columns})
    ), known AS MATERIALIZED (
      SELECT d.id FROM found f CROSS JOIN LATERAL (
        SELECT id FROM discrepancy WHERE workspace_id = $1::uuid AND ledger_entry_id = f.ledger AND type = f.type LIMIT 1
      ) d
      UNION ALL
      SELECT d.id FROM found f CROSS JOIN LATERAL (
        SELECT id FROM discrepancy
        WHERE workspace_id = $1::uuid AND f.ledger IS NULL AND ledger_entry_id IS NULL AND rail_entry_id = f.rail AND type = f.type LIMIT 1
      ) d
    ), opened AS (
      UPDATE discrepancy SET status = 'open', resolved_at = NULL
      WHERE workspace_id = $1::uuid AND id = ANY (ARRAY(SELECT id FROM known)) AND status = 'cleared'
    )
    INSERT INTO reconciliation_finding (workspace_id, report_id, discrepancy_id)
    SELECT $1::uuid, $2::uuid, id FROM known ON CONFLICT DO NOTHING`,
};

export interface NewFindings {
  workspaceId: string;
  reportId: string;
  rail: string;
  currency: string;
  at: Date;
}

/** Writes what a run has found. Answers the ids of those that nobody has found before. */
export async function writeFindings(
  tx: Tx,
  { workspaceId, reportId, rail, currency, at }: NewFindings,
  found: readonly Identified[],
): Promise<Set<string>> {
  if (found.length === 0) return new Set();
  const list = JSON.stringify(found);
  const fresh = await runIn<{ id: string }>(tx, insert, [workspaceId, reportId, list, rail, currency, at]);
  await runIn(tx, note, [workspaceId, reportId, list]);
  return new Set(fresh.map(({ id }) => id));
}

const newest: Statement = {
  name: 'newest-findings',
  text: `
    SELECT f.report_id, f.discrepancy_id FROM unnest($2::uuid[]) AS r (id) CROSS JOIN LATERAL (
      SELECT report_id, discrepancy_id FROM reconciliation_finding WHERE workspace_id = $1::uuid AND report_id = r.id
      ORDER BY discrepancy_id DESC LIMIT $3::int
    ) f`,
};

/** The newest findings of reports, so many of each: ids of discrepancies by report. */
export async function newestFindings(
  tx: Tx,
  workspaceId: string,
  reportIds: readonly string[],
  most: number,
): Promise<Map<string, string[]>> {
  const rows = await runIn<{ report_id: string; discrepancy_id: string }>(tx, newest, [workspaceId, [...reportIds], most]);
  const found = new Map(reportIds.map((id): [string, string[]] => [id, []]));
  for (const { report_id, discrepancy_id } of rows) found.get(report_id)?.push(discrepancy_id);
  return found;
}
