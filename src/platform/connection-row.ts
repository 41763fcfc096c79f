// The row of an open stream, opened in one round trip: after a restart everybody comes back at once.
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
