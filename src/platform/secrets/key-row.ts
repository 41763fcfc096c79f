// The rows of data keys, of the master keys that wrap them, and of the processes that know them. All stand in the directory.
import type pg from 'pg';

type Reader = Pick<pg.ClientBase, 'query'>;

/** `new`: being made known. `current`: seals and signs. `old`: opens what it has sealed. `index`: makes names. */
export type DataKeyState = 'new' | 'current' | 'old' | 'index';

export interface DataKeyRow {
  id: number;
  state: DataKeyState;
  createdAt: Date;
  /** When it became old; null before. */
  endedAt: Date | null;
  /** Seconds since then. */
  endedSeconds: number | null;
  /** In hex, by the names of the master keys. */
  wraps: Record<string, string>;
}

/** Every data key, in the order of their numbers. */
export async function dataKeyRows(db: Reader): Promise<DataKeyRow[]> {
  const { rows } = await db.query<DataKeyRow>(
    `SELECT k.id, k.state, k.created_at AS "createdAt", k.ended_at AS "endedAt",
       extract(epoch FROM now() - k.ended_at)::int AS "endedSeconds",
       coalesce(json_object_agg(w.master, encode(w.wrapped, 'hex')) FILTER (WHERE w.master IS NOT NULL), '{}') AS wraps
     FROM data_key k LEFT JOIN data_key_wrap w ON w.data_key_id = k.id GROUP BY k.id ORDER BY k.id`,
  );
  return rows;
}

/** Of two that change data keys at once, one waits. */
export async function lockDataKeys(tx: Reader): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('data keys', 0))");
}

/** A value that was sealed before there were data keys; undefined in a new database. */
export async function someSealed(tx: Reader): Promise<{ id: string; sealed: Buffer } | undefined> {
  const { rows } = await tx.query<{ id: string; sealed: Buffer }>(
    'SELECT id, sealed_key AS sealed FROM signing_key ORDER BY created_at DESC, id DESC LIMIT 1',
  );
  return rows[0];
}

/** Lists a data key; its bytes stand in its wraps. */
export async function insertDataKey(tx: Reader, { id, state }: Pick<DataKeyRow, 'id' | 'state'>): Promise<void> {
  await tx.query('INSERT INTO data_key (id, state, created_at) VALUES ($1, $2, now())', [id, state]);
}

/** Keeps a data key under a master key. One that is there is left. */
export async function insertWrap(tx: Reader, { id, master, wrapped }: { id: number; master: string; wrapped: Buffer }): Promise<void> {
  await tx.query('INSERT INTO data_key_wrap (data_key_id, master, wrapped) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
    id,
    master,
    wrapped,
  ]);
}

/** Makes a new data key the one that seals. False where it is not new any more: another command has turned to it, or has taken it back. */
export async function turnDataKey(tx: Reader, id: number): Promise<boolean> {
  const { rows } = await tx.query("SELECT FROM data_key WHERE id = $1 AND state = 'new'", [id]);
  if (rows.length === 0) return false;
  await tx.query("UPDATE data_key SET state = 'old', ended_at = now() WHERE state = 'current'");
  await tx.query("UPDATE data_key SET state = 'current' WHERE id = $1", [id]);
  return true;
}

/** Takes a data key back that nobody has turned to. */
export async function withdrawDataKey(tx: Reader, id: number): Promise<void> {
  const { rows } = await tx.query("SELECT FROM data_key WHERE id = $1 AND state = 'new'", [id]);
  if (rows.length > 0) await deleteDataKey(tx, id);
}

/** Takes a data key away: what it has sealed opens no more. */
export async function deleteDataKey(tx: Reader, id: number): Promise<void> {
  await tx.query('DELETE FROM data_key_wrap WHERE data_key_id = $1', [id]);
  await tx.query('DELETE FROM data_key WHERE id = $1', [id]);
}

/** Takes all wraps of a master key away. */
export async function deleteWraps(tx: Reader, master: string): Promise<void> {
  await tx.query('DELETE FROM data_key_wrap WHERE master = $1', [master]);
}

/** A process, as it has entered itself. */
export interface ProcessRow {
  id: string;
  version: string;
  role: string;
  /** Master keys that it has, and numbers of data keys that it opens. */
  keyIds: string[];
  startedAt: Date;
  /** Seconds since it was last seen. */
  unseen: number;
}

/** Says that a process is there, and which keys it knows. */
export async function writeProcess(
  db: Reader,
  { id, version, role, keyIds }: Pick<ProcessRow, 'id' | 'version' | 'role' | 'keyIds'>,
): Promise<void> {
  await db.query(
    `INSERT INTO process (id, version, role, key_ids, started_at, seen_at) VALUES ($1, $2, $3, $4, now(), now())
     ON CONFLICT (id) DO UPDATE SET key_ids = $4, seen_at = now()`,
    [id, version, role, keyIds],
  );
}

/** Says that a process has ended. */
export async function deleteProcess(db: Reader, id: string): Promise<void> {
  await db.query('DELETE FROM process WHERE id = $1', [id]);
}

/** Every process that has entered itself and has not left, those seen last first. What was not seen for a day is forgotten. */
export async function processRows(db: Reader): Promise<ProcessRow[]> {
  await db.query("DELETE FROM process WHERE seen_at < now() - interval '1 day'");
  const { rows } = await db.query<ProcessRow>(
    `SELECT id, version, role, key_ids AS "keyIds", started_at AS "startedAt", extract(epoch FROM now() - seen_at)::int AS unseen
     FROM process ORDER BY seen_at DESC, id`,
  );
  return rows;
}
