// The rows of open connections, written for all of a process at once; a new one is opened in one round trip, because after a restart
// all agents come back at once.
import type pg from 'pg';

export interface OpenRow {
  workspaceId: string;
  agentId: string;
  sessionId: string;
  id: string;
  at: Date;
  /** Rows without a heartbeat after this are gone. */
  liveSince: Date;
  /** The most other sessions of the agent. */
  most: number;
  /** Which process opens it. */
  sender: string;
}

export interface OpenedRow {
  /** The last number of the channel. */
  lastSeq: number;
  /** When the session ends; null: it has, and nothing was opened. */
  expiresAt: Date | null;
  /** Other sessions that are connected; with `most` nothing was opened. */
  others: number;
  /** Connections of the same session, which are closed. */
  replaced: string[];
}

/** Writes the row of a connection under the lock of its channel, if there is room. */
export async function openRow(pool: pg.Pool, row: OpenRow): Promise<OpenedRow> {
  const { workspaceId, agentId, sessionId, id, at, liveSince, most, sender } = row;
  const { rows } = await pool.query({
    name: 'open-agent-connection',
    text: 'SELECT * FROM open_agent_connection($1, $2, $3, $4, $5, $6, $7, $8)',
    values: [workspaceId, agentId, sessionId, id, at, liveSince, most, sender],
  });
  const [opened] = rows;
  return { lastSeq: Number(opened.last_seq), expiresAt: opened.expires_at, others: opened.others, replaced: opened.replaced ?? [] };
}

/** Names a row of a workspace. */
export interface RowKey {
  workspaceId: string;
  id: string;
}

const columnsOf = (keys: readonly RowKey[]) => [keys.map(({ workspaceId }) => workspaceId), keys.map(({ id }) => id)];

/** Writes the heartbeat of connections. */
export async function writeHeartbeats(pool: pg.Pool, connections: readonly RowKey[], at: Date): Promise<void> {
  await pool.query({
    name: 'write-heartbeats',
    text: `UPDATE agent_connection c SET last_heartbeat_at = $3
           FROM unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, id) WHERE c.workspace_id = k.workspace_id AND c.id = k.id`,
    values: [...columnsOf(connections), at],
  });
}

/** Deletes connections that have ended, and notes the time with their channels. Those that were replaced are gone already. */
export async function deleteConnections(pool: pg.Pool, connections: readonly RowKey[], at: Date): Promise<void> {
  await pool.query({
    name: 'delete-connections',
    text: `WITH gone AS (
             DELETE FROM agent_connection c USING unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, id)
             WHERE c.workspace_id = k.workspace_id AND c.id = k.id RETURNING c.workspace_id, c.agent_id
           )
           UPDATE agent_channel c SET last_disconnect_at = $3
           FROM (SELECT DISTINCT workspace_id, agent_id FROM gone) g WHERE c.workspace_id = g.workspace_id AND c.agent_id = g.agent_id`,
    values: [...columnsOf(connections), at],
  });
}

/** Those of the sessions that still may listen: not revoked, of an agent that may authenticate. */
export async function liveSessions(pool: pg.Pool, sessions: readonly RowKey[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'live-sessions',
    text: `SELECT s.id FROM unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, id)
           JOIN agent_session s ON s.workspace_id = k.workspace_id AND s.id = k.id
           JOIN agent a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id
           WHERE s.revoked_at IS NULL AND a.status IN ('active', 'frozen') AND a.key_revoked_at IS NULL`,
    values: columnsOf(sessions),
  });
  return new Set(rows.map(({ id }) => id));
}
