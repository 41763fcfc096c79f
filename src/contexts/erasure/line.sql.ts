// The statements that erase what lines of the audit log say: which lines are of what was erased, and how they lose their content.
import type pg from 'pg';
import { lineColumns, type StoredLine } from '../audit/block.sql.js';
import { namesNoted } from './event.sql.js';
import type { ErasureWork } from './work.js';

/** Lines that are looked at in a set. */
const setSize = 2_000;

/** A line with what somebody has said, and its own hash where it is of before the tree. */
export interface TellingLine extends StoredLine {
  hash: Buffer | null;
}

/**
 * The lines of a set that are about what was erased, or by it, or name something of it, and that still say what is erased. `last` is the id of
 * the last line that was looked at; null where there is none.
 */
export async function tellingLines(tx: pg.ClientBase, { workspaceId, id, cursor }: ErasureWork) {
  const { rows } = await tx.query<TellingLine & { isTelling: boolean; last: string }>({
    text: `WITH s AS MATERIALIZED (
        SELECT * FROM audit_entry e WHERE e.workspace_id = $1 AND ($3::uuid IS NULL OR e.id > $3) ORDER BY e.id LIMIT ${setSize}
      )
      SELECT ${lineColumns}, e.hash, (SELECT id FROM s ORDER BY id DESC LIMIT 1) AS last, e.says AS "isTelling" FROM (
        SELECT s.*, (s.ip IS NOT NULL OR s.changes IS NOT NULL OR s.request_id IS NOT NULL)
          AND ${namesNoted("concat_ws(' ', s.actor_id, s.resource_id, s.changes)")} AS says,
          row_number() OVER (ORDER BY s.id DESC) AS place FROM s
      ) e WHERE e.says OR e.place = 1 ORDER BY e.id`,
    values: [workspaceId, id, cursor[0] ?? null],
  });
  return { lines: rows.filter(({ isTelling }) => isTelling), last: rows[0]?.last ?? null };
}

/** What is kept of a line that loses its content. */
export interface KeptLine {
  id: string;
  kept: object;
}

/** Takes the content of lines away. */
export async function emptyLines(tx: pg.ClientBase, workspaceId: string, lines: readonly KeptLine[]): Promise<void> {
  await tx.query({
    text: `UPDATE audit_entry e SET ip = NULL, changes = NULL, request_id = NULL, seed = NULL, kept = u.kept
      FROM unnest($2::uuid[], $3::jsonb[]) AS u (id, kept) WHERE e.workspace_id = $1 AND e.id = u.id AND e.kept IS NULL`,
    values: [workspaceId, lines.map((line) => line.id), lines.map(({ kept }) => JSON.stringify(kept))],
  });
}
