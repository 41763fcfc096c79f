// Lines of a statement that somebody uploads, written in one statement.
import { runIn, type Statement, type Tx } from '../../platform/postgres/database.js';

/** A line of a statement. */
export interface NewLine {
  id: string;
  reference: string;
  /** Minor units in decimal text. */
  amount: string;
  direction: 'credit' | 'debit';
  /** YYYY-MM-DD. */
  date: string;
  description: string | null;
}

const insert: Statement = {
  name: 'insert-rail-entries',
  text: `
    INSERT INTO rail_statement (workspace_id, id, rail, reference, amount, currency, direction, description, booked_at, import_id)
    SELECT $1::uuid, l.id, $2::text, l.reference, l.amount, $3::text, l.direction, l.description, l.date::timestamp AT TIME ZONE 'UTC', $4::uuid
    FROM json_to_recordset($5::json) AS l (id uuid, reference text, amount bigint, direction statement_direction, date date, description text)`,
};

/** Adds lines to the statement of a rail. */
export async function insertStatementLines(
  tx: Tx,
  { workspaceId, rail, currency, importId }: { workspaceId: string; rail: string; currency: string; importId: string },
  lines: readonly NewLine[],
): Promise<void> {
  await runIn(tx, insert, [workspaceId, rail, currency, importId, JSON.stringify(lines)]);
}
