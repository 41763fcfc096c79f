// The statements of signing in (decision 0026): one for a challenge, two for its answer, the same ones whether the agent is known or
// not. An agent is found through the directory, within the environment of the listener.
import type pg from 'pg';
import type { AgentKeyStatus, AgentStatus } from '../../generated/prisma/client.js';
import { linesOf, linesPublished } from '../../platform/audit.js';
import type { Environment } from '../../platform/ctx.js';
import type { Row } from '../../platform/postgres/column.js';

/** Which agent is meant, by what the directory knows of it. */
export interface NamedAgent {
  agentId: string;
  /** SHA-256 of the id as it is printed. */
  agentHash: Buffer;
  environment: Environment;
}

const challenge = {
  name: 'insert-challenge',
  text: `
    INSERT INTO challenge (workspace_id, hash, agent_id, expires_at)
    SELECT coalesce(
        (SELECT c.workspace_id FROM credential c JOIN workspace w ON w.id = c.workspace_id
         WHERE c.hash = $1 AND c.kind = 'agent' AND w.environment = $2::environment),
        '00000000-0000-0000-0000-000000000000'),
      $4, $3, $5`,
};

/** Keeps a challenge; one for an agent that is not known here in the workspace of nobody. */
export async function insertChallenge(
  pool: pg.Pool,
  { agentId, agentHash, environment }: NamedAgent,
  { hash, expiresAt }: { hash: Buffer; expiresAt: Date },
): Promise<void> {
  await pool.query({ ...challenge, values: [agentHash, environment, agentId, hash, expiresAt] });
}

/** What an answer is checked against. The key is the active one, or else the one that was revoked last; null where there is none. */
export interface ChallengedAgent {
  /** True for the one answer that used the challenge up. */
  used: boolean;
  workspaceId: string | null;
  status: AgentStatus | null;
  keyId: string | null;
  publicKey: Buffer | null;
  keyStatus: AgentKeyStatus | null;
}

const consume = {
  name: 'consume-challenge',
  text: `
    SELECT used, workspace_id AS "workspaceId", status, key_id AS "keyId", public_key AS "publicKey", key_status AS "keyStatus"
    FROM consume_challenge($1, $2, $3, $4, $5)`,
};

/** Uses a challenge up, if it is good still, and reads who could have signed it. */
export async function consumeChallenge(
  pool: pg.Pool,
  { agentId, agentHash, environment }: NamedAgent,
  { hash, at }: { hash: Buffer; at: Date },
): Promise<ChallengedAgent> {
  const { rows } = await pool.query<ChallengedAgent>({ ...consume, values: [agentHash, environment, agentId, hash, at] });
  const [row] = rows;
  if (row === undefined) throw new Error('consume_challenge() answers one row');
  return row;
}

export interface SessionRow {
  workspaceId: string;
  id: string;
  keyId: string;
  hash: Buffer;
  ip: string;
  createdAt: Date;
  expiresAt: Date;
}

/** Whoever ends a key changes its row before its sessions, and this takes the lock of that row first: no session is made beside them. */
const session = {
  name: 'insert-session',
  text: `
    WITH key AS (
      UPDATE agent_key SET last_used_at = $6 WHERE workspace_id = $1 AND id = $3 AND status = 'active' RETURNING agent_id
    ), session AS (
      INSERT INTO agent_session (workspace_id, id, key_id, agent_id, ip, created_at, expires_at)
      SELECT $1, $2, $3, agent_id, $5, $6, $7 FROM key RETURNING id
    ), ${linesPublished(linesOf('$8'), 'EXISTS (SELECT FROM session)')}
    INSERT INTO credential (workspace_id, hash, kind, id, expires_at) SELECT $1, $4, 'session', id, $7 FROM session`,
};

/** Writes a session, its entry in the directory, and its line of the audit log; false when its key is not active any more. */
export async function insertSession(pool: pg.Pool, row: SessionRow, line: Row | null): Promise<boolean> {
  const { workspaceId, id, keyId, hash, ip, createdAt, expiresAt } = row;
  const { rowCount } = await pool.query({
    ...session,
    values: [workspaceId, id, keyId, hash, ip, createdAt, expiresAt, line && JSON.stringify([line])],
  });
  return rowCount === 1;
}
