// The statements of the chains of the audit log (see chain_audit() and verify_audit() in the migrations).
import type pg from 'pg';

/** What one step put into chains. */
export interface Chained {
  /** Another process is at it. */
  busy: boolean;
  chained: number;
  /** Number of the last line that was taken. */
  last: number | null;
}

const chain = {
  name: 'chain-audit',
  text: `SELECT c.* FROM (VALUES ($3::uuid)) AS w (workspace_id), chain_audit($1, $2, w.workspace_id, $4) c`,
};

/** Chains lines after the number `after`, at most `most`: those of one workspace, or of all. `wait`: for the process that is at it. */
export async function chainLines(
  pool: pg.Pool,
  { most, after = 0, workspaceId = null, wait = false }: { most: number; after?: number; workspaceId?: string | null; wait?: boolean },
): Promise<Chained> {
  const { rows } = await pool.query<{ busy: boolean; chained: number; last: string | null }>({
    ...chain,
    values: [most, after, workspaceId, wait],
  });
  const { busy = false, chained = 0, last = null } = rows[0] ?? {};
  return { busy, chained, last: last === null ? null : Number(last) };
}

/** Where a chain ends, or a stretch of it. */
export interface Link {
  position: bigint;
  hash: Uint8Array;
}

/** What came of checking a stretch. */
export interface Checked extends Link {
  checked: number;
  /** The first entry that is not as it was written. */
  invalid: string | null;
}

/** Recomputes the entries after `from`, at most `most`. */
export async function checkStretch(pool: pg.Pool, workspaceId: string, from: Link, most: number): Promise<Checked> {
  const { rows } = await pool.query<Omit<Checked, 'position'> & { last: string }>({
    name: 'verify-audit',
    text: `SELECT v.checked, v.last, v.hash, v.invalid
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
        SELECT e.id, e.hash FROM audit_entry e WHERE e.workspace_id = $1 AND e.position = s.tree_position OFFSET 0
      ) e ON true
      WHERE s.workspace_id = $1 AND s.tree_position > $2 AND ($3::bigint IS NULL OR s.tree_position <= $3) AND e.hash IS DISTINCT FROM decode(s.tree_head, 'hex')
      ORDER BY s.tree_position LIMIT 1`,
    values: [workspaceId, after, upTo],
  });
  return rows[0] ?? null;
}

/** The first entry beyond the end of the chain, where the head says it is; null when there is none. */
export async function strayEntry(pool: pg.Pool, workspaceId: string): Promise<string | null> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'audit-stray',
    text: `SELECT e.id FROM audit_entry e
      WHERE e.workspace_id = $1 AND e.position > coalesce((SELECT h.position FROM audit_head h WHERE h.workspace_id = $1), 0)
      ORDER BY e.position LIMIT 1`,
    values: [workspaceId],
  });
  return rows[0]?.id ?? null;
}
