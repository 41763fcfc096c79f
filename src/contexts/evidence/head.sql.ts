// The statements of logs and their heads: which trees have grown, and what is signed of them.
import type pg from 'pg';
import { isPresent } from '../../platform/cell/present.js';
import type { Environment } from '../../platform/ctx.js';

/** A tree that has grown since its last head, with its log where it has one. */
export interface MovedTree {
  workspaceId: string;
  tenantId: string;
  environment: Environment;
  size: bigint;
  root: Buffer;
  log: { id: string; origin: string; size: bigint; root: Buffer | null } | null;
}

interface MovedRow {
  workspace_id: string;
  tenant_id: string;
  environment: Environment;
  tree_size: string;
  root: Buffer;
  id: string | null;
  origin: string;
  signed_size: string;
  signed_root: Buffer | null;
}

/** Trees that have grown, of every workspace or of one, at most `most`. Those whose log is halted are left out. */
export async function movedTrees(db: pg.Pool | pg.ClientBase, most: number, workspaceId: string | null): Promise<MovedTree[]> {
  const { rows } = await db.query<MovedRow>({
    name: 'evidence-moved',
    text: `SELECT h.workspace_id, w.tenant_id, w.environment, h.tree_size, h.root, l.id, l.origin, l.tree_size AS signed_size, l.root AS signed_root
      FROM audit_head h JOIN workspace w ON w.id = h.workspace_id
      LEFT JOIN evidence_log l ON l.workspace_id = h.workspace_id AND l.state <> 'ended'
      WHERE h.moved AND h.root IS NOT NULL AND (l.id IS NULL OR l.state = 'open') AND ($2::uuid IS NULL OR h.workspace_id = $2)
        AND ${isPresent('h')}
      LIMIT $1`,
    values: [most, workspaceId],
  });
  return rows.map(({ id, origin, signed_size, signed_root, ...row }) => ({
    workspaceId: row.workspace_id,
    tenantId: row.tenant_id,
    environment: row.environment,
    size: BigInt(row.tree_size),
    root: row.root,
    log: id === null ? null : { id, origin, size: BigInt(signed_size), root: signed_root },
  }));
}

/** A log that begins. */
export interface NewLog {
  workspaceId: string;
  id: string;
  origin: string;
  hash: Buffer;
  key: { id: string; publicKey: Buffer; sealedKey: Buffer };
  at: Date;
}

/** Writes logs with their first keys, where their workspaces have none, and lists their ids. */
export async function insertLogs(tx: pg.ClientBase, logs: readonly NewLog[]): Promise<void> {
  await tx.query({
    name: 'evidence-insert-logs',
    text: `WITH given AS (
        SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[], $5::uuid[], $6::bytea[], $7::bytea[], $8::timestamptz[])
          AS g (workspace_id, id, origin, hash, key_id, public_key, sealed_key, at)
      ), log AS (
        INSERT INTO evidence_log (workspace_id, id, origin, created_at) SELECT workspace_id, id, origin, at FROM given
      ), listed AS (
        INSERT INTO credential (hash, workspace_id, kind, id) SELECT hash, workspace_id, 'evidence_log', id FROM given ON CONFLICT DO NOTHING
      )
      INSERT INTO evidence_key (workspace_id, id, log_id, public_key, sealed_key, created_at)
      SELECT workspace_id, key_id, id, public_key, sealed_key, at FROM given`,
    values: [
      logs.map(({ workspaceId }) => workspaceId),
      logs.map(({ id }) => id),
      logs.map(({ origin }) => origin),
      logs.map(({ hash }) => hash),
      logs.map(({ key }) => key.id),
      logs.map(({ key }) => key.publicKey),
      logs.map(({ key }) => key.sealedKey),
      logs.map(({ at }) => at),
    ],
  });
}

/** Ends a log. False where somebody else has ended it. */
export async function endLog(tx: pg.ClientBase, workspaceId: string, id: string): Promise<boolean> {
  const text = "UPDATE evidence_log SET state = 'ended' WHERE workspace_id = $1 AND id = $2 AND state <> 'ended'";
  return (await tx.query(text, [workspaceId, id])).rowCount === 1;
}

/** Says of a log that begins that it continues one that has ended. */
export async function continueLog(
  tx: pg.ClientBase,
  workspaceId: string,
  { ended, begun }: { ended: string; begun: string },
): Promise<void> {
  await tx.query('UPDATE evidence_log SET continues = $2 WHERE workspace_id = $1 AND id = $3', [workspaceId, ended, begun]);
}

/** A new key signs beside those of before, which go on for some time. */
export async function addKey(
  tx: pg.ClientBase,
  log: { workspaceId: string; id: string },
  key: NewLog['key'],
  { at, until }: { at: Date; until: Date },
): Promise<void> {
  await tx.query(
    `WITH before AS (
        UPDATE evidence_key SET retired_at = $7 WHERE workspace_id = $1 AND log_id = $2 AND retired_at IS NULL
      )
      INSERT INTO evidence_key (workspace_id, log_id, id, public_key, sealed_key, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
    [log.workspaceId, log.id, key.id, key.publicKey, key.sealedKey, at, until],
  );
}

/** True where the workspace has a log that has not ended. */
export async function hasLog(tx: pg.ClientBase, workspaceId: string): Promise<boolean> {
  const { rowCount } = await tx.query(`SELECT FROM evidence_log WHERE workspace_id = $1 AND state <> 'ended'`, [workspaceId]);
  return rowCount === 1;
}

/** A head of a log. */
export interface LogHead {
  workspaceId: string;
  logId: string;
  size: bigint;
  root: Buffer;
}

const headColumns = (heads: readonly LogHead[]) => [
  heads.map(({ workspaceId }) => workspaceId),
  heads.map(({ logId }) => logId),
  heads.map(({ size }) => size),
  heads.map(({ root }) => root),
];

/** Notes the sizes and roots that are to be signed, and keeps a head for each. */
export async function insertHeads(tx: pg.ClientBase, heads: readonly LogHead[], at: Date): Promise<void> {
  await tx.query({
    name: 'evidence-insert-heads',
    text: `WITH given AS (
        SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bytea[]) AS g (workspace_id, log_id, tree_size, root)
      ), moved AS (
        UPDATE evidence_log l SET tree_size = g.tree_size, root = g.root, head_at = $5 FROM given g
        WHERE l.workspace_id = g.workspace_id AND l.id = g.log_id AND l.tree_size < g.tree_size
        RETURNING l.workspace_id, l.id, l.tree_size, l.root
      )
      INSERT INTO evidence_head (workspace_id, log_id, tree_size, root, at) SELECT workspace_id, id, tree_size, root, $5 FROM moved
      ON CONFLICT DO NOTHING`,
    values: [...headColumns(heads), at],
  });
}

/** A head that was signed. */
export interface SignedHead extends LogHead {
  checkpoint: string;
}

/** Keeps the signatures of heads, and notes which trees have not grown since. */
export async function keepCheckpoints(tx: pg.ClientBase, heads: readonly SignedHead[]): Promise<void> {
  await tx.query({
    name: 'evidence-keep-checkpoints',
    text: `WITH given AS (
        SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bytea[], $5::text[]) AS g (workspace_id, log_id, tree_size, root, checkpoint)
      ), still AS (
        UPDATE audit_head h SET moved = false FROM given g WHERE h.workspace_id = g.workspace_id AND h.tree_size = g.tree_size
      )
      UPDATE evidence_head e SET checkpoint = g.checkpoint FROM given g
      WHERE e.workspace_id = g.workspace_id AND e.log_id = g.log_id AND e.tree_size = g.tree_size`,
    values: [...headColumns(heads), heads.map(({ checkpoint }) => checkpoint)],
  });
}

/** The keys of logs that still sign, sealed. */
export async function signingRows(
  tx: pg.ClientBase,
  heads: readonly LogHead[],
  at: Date,
): Promise<{ logId: string; origin: string; id: string; publicKey: Buffer; sealedKey: Buffer }[]> {
  const { rows } = await tx.query<{ logId: string; origin: string; id: string; publicKey: Buffer; sealedKey: Buffer }>({
    name: 'evidence-keys',
    text: `SELECT k.log_id AS "logId", l.origin, k.id, k.public_key AS "publicKey", k.sealed_key AS "sealedKey"
      FROM unnest($1::uuid[]) AS g (workspace_id) JOIN evidence_key k ON k.workspace_id = g.workspace_id AND (k.retired_at IS NULL OR k.retired_at > $2)
      JOIN evidence_log l ON l.workspace_id = k.workspace_id AND l.id = k.log_id
      ORDER BY k.created_at, k.id`,
    values: [heads.map(({ workspaceId }) => workspaceId), at],
  });
  return rows;
}

/** The open logs of these workspaces and ids, as far as they are there: how far each was signed. */
export async function openLogs(
  tx: pg.ClientBase,
  named: readonly { workspaceId: string; logId: string }[],
): Promise<{ workspaceId: string; logId: string; size: bigint; root: Buffer | null }[]> {
  const { rows } = await tx.query<{ workspaceId: string; logId: string; tree_size: string; root: Buffer | null }>({
    name: 'evidence-open-logs',
    text: `SELECT l.workspace_id AS "workspaceId", l.id AS "logId", l.tree_size, l.root
      FROM unnest($1::uuid[], $2::uuid[]) AS g (workspace_id, log_id)
      JOIN evidence_log l ON l.workspace_id = g.workspace_id AND l.id = g.log_id AND l.state = 'open'`,
    values: [named.map(({ workspaceId }) => workspaceId), named.map(({ logId }) => logId)],
  });
  return rows.map(({ tree_size, ...row }) => ({ ...row, size: BigInt(tree_size) }));
}

/** Open logs that have a head, in the order of their keys, after one. For those of which the memory may know nothing. */
export async function signedLogsAfter(
  tx: pg.ClientBase,
  after: { workspaceId: string; logId: string },
  most: number,
): Promise<{ workspaceId: string; logId: string; size: bigint }[]> {
  const { rows } = await tx.query<{ workspaceId: string; logId: string; tree_size: string }>(
    `SELECT workspace_id AS "workspaceId", id AS "logId", tree_size FROM evidence_log
      WHERE (workspace_id, id) > ($1, $2) AND state = 'open' AND tree_size > 0 ORDER BY workspace_id, id LIMIT $3`,
    [after.workspaceId, after.logId, most],
  );
  return rows.map(({ tree_size, ...row }) => ({ ...row, size: BigInt(tree_size) }));
}

/** Of these heads those that are to be told as events now: the interval of their log has passed. It begins anew. */
export async function headsToTell(pool: pg.Pool, heads: readonly LogHead[], at: Date): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'evidence-to-tell',
    text: `UPDATE evidence_log l SET told_at = $3 FROM unnest($1::uuid[], $2::uuid[]) AS g (workspace_id, log_id)
      WHERE l.workspace_id = g.workspace_id AND l.id = g.log_id
        AND coalesce(l.told_at, l.created_at) <= $3::timestamptz - make_interval(secs => l.head_event_seconds) RETURNING l.id`,
    values: [heads.map(({ workspaceId }) => workspaceId), heads.map(({ logId }) => logId), at],
  });
  return rows.map(({ id }) => id);
}
