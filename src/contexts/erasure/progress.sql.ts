// How far an erasure is: it is locked for a set, and what the set came to is written with it.
import type pg from 'pg';
import type { ErasureWork, Progress } from './work.js';

/** Locks an erasure; false where it is not any more where `work` says. */
export async function lockErasure(tx: pg.ClientBase, { workspaceId, id, cursor, namedBy }: ErasureWork, stage: string): Promise<boolean> {
  const { rows } = await tx.query<{ same: boolean }>({
    text: `SELECT (status = 'pending' AND cursor = $3 AND named_by IS NOT DISTINCT FROM $4
        AND (stage = $5 OR cursor = '{}')) AS same FROM erasure WHERE workspace_id = $1 AND id = $2 FOR UPDATE`,
    values: [workspaceId, id, cursor, namedBy, stage],
  });
  return rows[0]?.same === true;
}

/** Writes how far an erasure is. */
export async function noteProgress(
  tx: pg.ClientBase,
  work: ErasureWork,
  progress: Progress & { stage: string; dueAt: Date },
): Promise<void> {
  const { stage, cursor = work.cursor, namedBy = work.namedBy, fields = 0, rows = 0, dueAt } = progress;
  await tx.query({
    text: `UPDATE erasure SET stage = $3, cursor = $4, named_by = $5, fields = fields + $6, rows = rows + $7, due_at = $8
      WHERE workspace_id = $1 AND id = $2`,
    values: [work.workspaceId, work.id, stage, cursor, namedBy, fields, rows, dueAt],
  });
}
