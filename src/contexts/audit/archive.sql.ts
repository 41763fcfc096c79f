// The statements of archives: what of a log was written to files, and the lines that may leave.
import type pg from 'pg';
import type { Platform } from '../../platform/ctx.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';
import { byIndex } from '../../platform/postgres/lookup-plan.js';

/** Where the kept part of a log begins. */
export interface Checkpoint {
  /** The first leaf whose line is kept. */
  leafIndex: bigint;
  /** SHA-256 of the file that has the lines up to there. */
  sha256: Buffer;
  /** All lines of that file are older than this. */
  until: Date;
}

/** Where the kept part of the log of a workspace begins; undefined where nothing was archived. */
export async function checkpointOf(pool: pg.Pool, workspaceId: string): Promise<Checkpoint | undefined> {
  const { rows } = await pool.query<Omit<Checkpoint, 'leafIndex'> & { leaf_index: string }>({
    name: 'audit-checkpoint',
    text: 'SELECT leaf_index, sha256, until FROM audit_archive WHERE workspace_id = $1 ORDER BY leaf_index DESC LIMIT 1',
    values: [workspaceId],
  });
  return rows[0] && { leafIndex: BigInt(rows[0].leaf_index), sha256: rows[0].sha256, until: rows[0].until };
}

/** What a step of the sweep takes: some blocks of one archive. */
interface SweptBlocks {
  workspace_id: string;
  leaf_index: string;
  line_ids: string[];
  /** The leaf after them. */
  next: string;
}

/** Holds other archives of the log of a workspace off until the transaction ends. */
export async function lockLog(tx: Tx, workspaceId: string): Promise<void> {
  await runIn(tx, { name: 'audit-lock-log', text: 'SELECT FROM audit_head WHERE workspace_id = $1::uuid FOR UPDATE' }, [workspaceId]);
}

/** Deletes the lines of the next blocks of an archive that has not left whole: up to about `most` lines. Answers how many. For the worker. */
export function sweepArchived({ database }: Platform, most: number): Promise<number> {
  return byIndex(database.pool, async (tx) => {
    const { rows } = await tx.query<SweptBlocks>({
      name: 'audit-archived-blocks',
      text: `SELECT a.workspace_id, a.leaf_index, array_agg(u.id) AS line_ids, max(b.first_leaf + cardinality(b.line_ids)) AS next
        FROM (SELECT * FROM audit_archive WHERE swept_to < leaf_index ORDER BY workspace_id, leaf_index LIMIT 1 FOR UPDATE SKIP LOCKED) a
        CROSS JOIN LATERAL (
          SELECT first_leaf, line_ids FROM audit_block
          WHERE workspace_id = a.workspace_id AND first_leaf >= a.swept_to AND first_leaf < a.leaf_index ORDER BY first_leaf LIMIT $1
        ) b CROSS JOIN LATERAL unnest(b.line_ids) AS u (id)
        GROUP BY a.workspace_id, a.leaf_index`,
      values: [Math.ceil(most / blockLines)],
    });
    const [step] = rows;
    if (step === undefined) return 0;
    const { workspace_id: workspaceId, leaf_index: leafIndex, line_ids: ids, next } = step;
    const gone = await tx.query('DELETE FROM audit_entry WHERE workspace_id = $1 AND id = ANY ($2::uuid[])', [workspaceId, ids]);
    const swept = 'UPDATE audit_archive SET swept_to = $3 WHERE workspace_id = $1 AND leaf_index = $2';
    await tx.query(swept, [workspaceId, leafIndex, next]);
    return gone.rowCount ?? 0;
  });
}
/** Lines of a block, at most. */
const blockLines = 256;
