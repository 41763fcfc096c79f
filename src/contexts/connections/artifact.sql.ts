// The statements of what the authorization server keeps. Each artifact is found by the SHA-256 of its kind and its id. All of them stand in the
// directory; the connection that one belongs to is in the cell of its tenant, and is looked at there.
import type pg from 'pg';
import type { Environment } from '../../platform/ctx.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';

/** Whose an artifact is: that of a connection, or nobody's yet. */
export interface Holder {
  workspaceId: string;
  connectionId: string;
}

export interface NewArtifact {
  hash: Buffer;
  kind: string;
  environment: Environment;
  holder: Holder | null;
  payload: Buffer;
  at: Date;
  expiresAt: Date;
}

const write = {
  name: 'write-oauth-artifact',
  text: `
    INSERT INTO oauth_artifact (hash, kind, environment, workspace_id, connection_id, payload, created_at, expires_at)
    VALUES ($1, $2, $3::environment, $4::uuid, $5::uuid, $6, $7::timestamptz, $8::timestamptz)
    ON CONFLICT (hash) DO UPDATE SET payload = excluded.payload, expires_at = excluded.expires_at`,
};

/** Writes an artifact, or what has become of it. */
export async function writeArtifact(tx: Tx | pg.ClientBase | pg.Pool, artifact: NewArtifact): Promise<void> {
  const { hash, kind, environment, holder, payload, at, expiresAt } = artifact;
  const { workspaceId = null, connectionId = null } = holder ?? {};
  await runIn(tx as Tx, write, [hash, kind, environment, workspaceId, connectionId, payload, at, expiresAt]);
}

export interface FoundArtifact extends pg.QueryResultRow {
  payload: Buffer;
  consumedAt: Date | null;
  expiresAt: Date;
  workspaceId: string | null;
  connectionId: string | null;
}

/** One that is over is not found. A client has no end while it is connected. */
const find = {
  name: 'find-oauth-artifact',
  text: `
    SELECT payload, consumed_at AS "consumedAt", expires_at AS "expiresAt", workspace_id AS "workspaceId", connection_id AS "connectionId"
    FROM oauth_artifact WHERE hash = $1 AND environment = $2::environment AND expires_at > $3::timestamptz`,
};

/** The artifact, if its own time is not over at `at`. */
export async function findArtifact(
  pool: pg.Pool,
  { hash, environment, at }: Pick<NewArtifact, 'hash' | 'environment' | 'at'>,
): Promise<FoundArtifact | null> {
  const { rows } = await pool.query<FoundArtifact>({ ...find, values: [hash, environment, at] });
  return rows[0] ?? null;
}

const connectionEnd = {
  name: 'end-of-active-connection',
  text: `
    SELECT expires_at AS "expiresAt" FROM connection
    WHERE workspace_id = $1 AND id = $2 AND status = 'active' AND expires_at > $3::timestamptz`,
};

/** When a connection ends that counts at `at`; undefined for one that does not. `pool` is that of its cell. */
export async function endOfActive(pool: pg.Pool, { workspaceId, connectionId }: Holder, at: Date): Promise<Date | undefined> {
  const { rows } = await pool.query<{ expiresAt: Date }>({ ...connectionEnd, values: [workspaceId, connectionId, at] });
  return rows[0]?.expiresAt;
}

const consume = {
  name: 'consume-oauth-artifact',
  text: `UPDATE oauth_artifact SET consumed_at = $2::timestamptz WHERE hash = $1 AND consumed_at IS NULL RETURNING workspace_id`,
};

/** Uses an artifact up; false where it was. Of many at once one is the first. */
export async function consumeArtifact(tx: Tx | pg.ClientBase | pg.Pool, hash: Buffer, at: Date): Promise<boolean> {
  return (await runIn(tx as Tx, consume, [hash, at])).length === 1;
}

const remove = { name: 'delete-oauth-artifact', text: `DELETE FROM oauth_artifact WHERE hash = $1 RETURNING workspace_id` };

/** Deletes an artifact that nobody asks for again. */
export async function deleteArtifact(pool: pg.Pool, hash: Buffer): Promise<void> {
  await pool.query({ ...remove, values: [hash] });
}

const adopt = {
  name: 'adopt-oauth-client',
  text: `
    UPDATE oauth_artifact SET consumed_at = coalesce(consumed_at, $2::timestamptz), expires_at = greatest(expires_at, $3::timestamptz)
    WHERE hash = $1 AND workspace_id IS NULL`,
};

/** Notes that a client has a grant, and keeps it until `until` at least. */
export async function keepClient(tx: Tx | pg.ClientBase, hash: Buffer, at: Date, until: Date): Promise<void> {
  await runIn(tx as Tx, adopt, [hash, at, until]);
}

/** What a token stands for, as long as it counts. */
export interface TokenOwner extends Holder, pg.QueryResultRow {
  expiresAt: Date;
}

const owner = {
  name: 'owner-of-oauth-token',
  text: `
    SELECT connection_id AS "connectionId", workspace_id AS "workspaceId", expires_at AS "expiresAt"
    FROM oauth_artifact WHERE hash = $1 AND connection_id IS NOT NULL`,
};

/** Whose a token is, whether it still counts or not. */
export async function ownerOfToken(pool: pg.Pool, hash: Buffer): Promise<TokenOwner | null> {
  const { rows } = await pool.query<TokenOwner>({ ...owner, values: [hash] });
  return rows[0] ?? null;
}

const sweep = {
  name: 'sweep-oauth-artifacts',
  text: `
    DELETE FROM oauth_artifact WHERE hash IN (SELECT hash FROM oauth_artifact WHERE expires_at <= $1::timestamptz LIMIT $2)
    RETURNING workspace_id`,
};

/** Deletes what has expired, at most `most`; how many. */
export async function deleteExpired(pool: pg.Pool, at: Date, most: number): Promise<number> {
  return (await pool.query({ ...sweep, values: [at, most] })).rowCount ?? 0;
}

const expired = {
  name: 'expired-connections',
  text: `
    SELECT c.id, w.id AS "workspaceId", w.tenant_id AS "tenantId", w.environment, w.clock_offset_ms AS "clockOffsetMs"
    FROM connection c JOIN workspace w ON w.id = c.workspace_id
    WHERE c.status = 'active' AND c.expires_at <= $1::timestamptz ORDER BY c.expires_at LIMIT $2`,
};

const orphaned = {
  name: 'connections-of-removed-members',
  text: `
    SELECT c.id, w.id AS "workspaceId", w.tenant_id AS "tenantId", w.environment, w.clock_offset_ms AS "clockOffsetMs"
    FROM member m JOIN workspace w ON w.tenant_id = m.tenant_id
      JOIN connection c ON c.workspace_id = w.id AND c.member_id = m.id AND c.status = 'active'
    WHERE m.status = 'removed' LIMIT $1`,
};

/** A connection, and where it is. */
export interface ExpiredConnection extends pg.QueryResultRow {
  id: string;
  workspaceId: string;
  tenantId: string;
  environment: Environment;
  clockOffsetMs: string;
}

/** Connections whose time is over and whose rows do not say so, at most `most`, of all workspaces. */
export async function expiredConnections(pool: pg.Pool, at: Date, most: number): Promise<ExpiredConnection[]> {
  return (await pool.query<ExpiredConnection>({ ...expired, values: [at, most] })).rows;
}

/** Connections whose members were removed and whose rows do not say that they ended, at most `most`, of all workspaces. */
export async function orphanedConnections(pool: pg.Pool, most: number): Promise<ExpiredConnection[]> {
  return (await pool.query<ExpiredConnection>({ ...orphaned, values: [most] })).rows;
}

const holdBack = {
  name: 'hold-postings-back',
  text: "SELECT true AS held FROM pg_advisory_xact_lock(hashtextextended('connection ' || $1::uuid, 0))",
};

/**
 * Waits for the postings of a connection that are under way, and holds others back until the transaction ends: they look at the connection
 * after that (guard_connection.sql).
 */
export async function holdPostingsBack(tx: Tx, connectionId: string): Promise<void> {
  await runIn(tx, holdBack, [connectionId]);
}
