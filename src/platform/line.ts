// Lines: what the channel of an agent shows, numbered without a hole under the channel's row lock. They are written in the
// transaction of what they tell of, and kept as long as they can be read again: the last 100, for five minutes of the
// workspace's time (SPEC.md "Agent push channel").
import type pg from 'pg';
import { runIn, type Tx } from './database.js';

/** A line before it has a number. `data` is the JSON text that readers get. */
export interface NewLine {
  workspaceId: string;
  agentId: string;
  eventId: string;
  type: string;
  data: string;
  createdAt: Date;
}

export interface Line {
  agentId: string;
  seq: number;
  eventId: string;
  type: string;
  data: string;
}

/** `00000000123` */
export function printSeq(seq: number): string {
  return String(seq).padStart(11, '0');
}

export const bufferedLines = 100;
export const bufferedSeconds = 300;

const append = {
  name: 'append-lines',
  text: `
    WITH given AS (
      SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[])
        WITH ORDINALITY AS g (workspace_id, agent_id, event_id, type, data, created_at, place)
    ), counted AS (
      SELECT workspace_id, agent_id, count(*) AS lines FROM given GROUP BY workspace_id, agent_id
    ), channel AS (
      INSERT INTO agent_channel AS c (workspace_id, agent_id, last_seq)
      SELECT workspace_id, agent_id, lines FROM counted ORDER BY agent_id
      ON CONFLICT (agent_id) DO UPDATE SET last_seq = c.last_seq + EXCLUDED.last_seq
      RETURNING c.agent_id, c.last_seq
    )
    INSERT INTO agent_event (workspace_id, agent_id, seq, event_id, type, data, created_at)
    SELECT g.workspace_id, g.agent_id,
      channel.last_seq - counted.lines + row_number() OVER (PARTITION BY g.agent_id ORDER BY g.place),
      g.event_id, g.type, g.data::jsonb, g.created_at
    FROM given g JOIN channel USING (agent_id) JOIN counted USING (agent_id)
    RETURNING agent_id, event_id, seq`,
};

/** Numbers and writes lines, at most one per agent and event. Channels are locked in the order of their agents. */
export async function appendLines(tx: Tx | pg.ClientBase, lines: readonly NewLine[]): Promise<Line[]> {
  if (lines.length === 0) return [];
  const column = <K extends keyof NewLine>(name: K): NewLine[K][] => lines.map((line) => line[name]);
  const numbered = await runIn<{ agent_id: string; event_id: string; seq: bigint | string }>(tx, append, [
    column('workspaceId'),
    column('agentId'),
    column('eventId'),
    column('type'),
    column('data'),
    column('createdAt'),
  ]);
  const seqs = new Map(numbered.map(({ agent_id, event_id, seq }) => [`${agent_id} ${event_id}`, Number(seq)]));
  return lines
    .map(({ agentId, eventId, type, data }) => ({ agentId, eventId, type, data, seq: seqs.get(`${agentId} ${eventId}`) ?? 0 }))
    .sort((a, b) => a.seq - b.seq);
}

export interface Replay {
  /** The last number given out. */
  lastSeq: number;
  /** What can still be read after the position asked for, in order. */
  lines: Line[];
}

const replayQuery = `
  SELECT c.last_seq, e.seq, e.event_id, e.type, e.data::text AS data
  FROM agent_channel c
  JOIN workspace w ON w.id = c.workspace_id
  LEFT JOIN agent_event e ON e.workspace_id = c.workspace_id AND e.agent_id = c.agent_id
    AND e.seq > $2 AND e.seq > c.last_seq - ${bufferedLines}
    AND e.created_at >= $3::timestamptz + w.clock_offset_ms * interval '1 millisecond' - interval '${bufferedSeconds} seconds'
  WHERE c.agent_id = $1
  ORDER BY e.seq`;

/** What a reader at position `after` may still read. `now` is real time. */
export async function readLines(pool: pg.Pool, agentId: string, after: number, now: Date): Promise<Replay> {
  const { rows } = await pool.query({ name: 'read-lines', text: replayQuery, values: [agentId, after, now] });
  const lines = rows.filter(({ seq }) => seq !== null);
  return {
    lastSeq: Number(rows[0]?.last_seq ?? 0),
    lines: lines.map(({ seq, event_id, type, data }) => ({ agentId, seq: Number(seq), eventId: event_id, type, data })),
  };
}

/** The last numbers of many channels. */
export async function lastSeqs(pool: pg.Pool, agentIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await pool.query('SELECT agent_id, last_seq FROM agent_channel WHERE agent_id = ANY ($1::uuid[])', [agentIds]);
  return new Map(rows.map(({ agent_id, last_seq }) => [agent_id, Number(last_seq)]));
}

/** Deletes lines that nobody can read again; how many. */
export async function deleteOldLines(pool: pg.Pool, now: Date): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM agent_event e USING agent_channel c, workspace w
     WHERE c.workspace_id = e.workspace_id AND c.agent_id = e.agent_id AND w.id = e.workspace_id
       AND (e.seq <= c.last_seq - ${bufferedLines}
         OR e.created_at < $1::timestamptz + w.clock_offset_ms * interval '1 millisecond' - interval '${bufferedSeconds} seconds')`,
    [now],
  );
  return rowCount ?? 0;
}
