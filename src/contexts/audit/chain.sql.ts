// The statements that check the chain of the audit log, as it was kept until the tree began (prisma/functions/verify_audit.sql).
import type pg from 'pg';

/** Where a chain ends, or a stretch of it. */
export interface Link {
  position: bigint;
  hash: Uint8Array;
}

/** What came of checking a stretch. */
export interface Checked extends Link {
  checked: number;
  /** Of these, those whose content was erased. */
  erased: number;
  /** The first entry that is not as it was written. */
  invalid: string | null;
}

/** Recomputes the entries after `from`, at most `most`. */
export async function checkStretch(pool: pg.Pool, workspaceId: string, from: Link, most: number): Promise<Checked> {
  const { rows } = await pool.query<Omit<Checked, 'position'> & { last: string }>({
    name: 'verify-audit',
    text: `SELECT v.checked, v.last, v.hash, v.invalid, (
        SELECT count(*)::int FROM audit_entry e
        WHERE e.workspace_id = w.workspace_id AND e.position > $2 AND e.position <= v.last AND e.hash IS NOT NULL AND e.kept IS NOT NULL
      ) AS erased
      FROM (VALUES ($1::uuid)) AS w (workspace_id), verify_audit(w.workspace_id, $2, $3, $4) v`,
    values: [workspaceId, from.position, from.hash, most],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('verify_audit() answers one row');
  const { last, ...checked } = row;
  return { ...checked, position: BigInt(last) };
}

/**
 * The first entry after `after`, up to `upTo` where it is given, whose hash is not the one that a snapshot of the treasury has noted. Its id
 * is null where there is no such entry any more; null when there is nothing of the kind.
 */
export async function notedOtherwise(
  pool: pg.Pool,
  workspaceId: string,
  after: bigint,
  upTo: bigint | null,
): Promise<{ id: string | null } | null> {
  const { rows } = await pool.query<{ id: string | null }>({
    name: 'audit-noted',
    text: `SELECT e.id FROM treasury_snapshot s
      LEFT JOIN LATERAL (
        SELECT e.id, e.hash FROM audit_entry e WHERE e.workspace_id = $1 AND e.position = s.tree_position AND e.hash IS NOT NULL OFFSET 0
      ) e ON true
      WHERE s.workspace_id = $1 AND s.tree_position > $2 AND ($3::bigint IS NULL OR s.tree_position <= $3) AND e.hash IS DISTINCT FROM decode(s.tree_head, 'hex')
      ORDER BY s.tree_position LIMIT 1`,
    values: [workspaceId, after, upTo],
  });
  return rows[0] ?? null;
}

/** The first entry of the chain beyond its end; null when there is none. */
export async function strayEntry(pool: pg.Pool, workspaceId: string, end: bigint): Promise<string | null> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'audit-stray',
    text: `SELECT e.id FROM audit_entry e WHERE e.workspace_id = $1 AND e.position > $2 AND e.hash IS NOT NULL ORDER BY e.position LIMIT 1`,
    values: [workspaceId, end],
  });
  return rows[0]?.id ?? null;
}
