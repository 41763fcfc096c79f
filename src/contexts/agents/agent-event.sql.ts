// Agent events: what the channel of an agent shows, numbered without a hole under the channel's row lock. They are kept as long as
// they can be read again: the last 100, for five minutes of the workspace's time (SPEC.md "Agent push channel").
import type pg from 'pg';
import type { ShownLine } from '../../events/outbox.js';
import type { FanoutItem } from '../../platform/fanout.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';
import { byIndex } from '../../platform/postgres/lookup-plan.js';

/** One event of a channel, as the fan-out carries it: its topic is the agent. */
export type AgentEvent = FanoutItem;

/** A line that comes from no event, before it has a number. `data` is the JSON text that readers get. */
export interface NewAgentEvent {
  workspaceId: string;
  agentId: string;
  eventId: string;
  type: string;
  data: string;
  createdAt: Date;
}

/** `00000000123` */
export function printSeq(seq: number): string {
  return String(seq).padStart(11, '0');
}

export const bufferedEvents = 100;
export const bufferedSeconds = 300;

const append = {
  name: 'append-agent-events',
  text: `
    WITH given AS (
      SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[])
        WITH ORDINALITY AS g (workspace_id, agent_id, event_id, type, data, created_at, index)
    ), counted AS (
      SELECT workspace_id, agent_id, count(*) AS events FROM given GROUP BY workspace_id, agent_id
    ), channel AS (
      INSERT INTO agent_channel AS c (workspace_id, agent_id, last_seq)
      SELECT workspace_id, agent_id, events FROM counted ORDER BY workspace_id, agent_id
      ON CONFLICT (workspace_id, agent_id) DO UPDATE SET last_seq = c.last_seq + EXCLUDED.last_seq
      RETURNING c.workspace_id, c.agent_id, c.last_seq
    )
    INSERT INTO agent_event (workspace_id, agent_id, seq, event_id, type, data, created_at)
    SELECT g.workspace_id, g.agent_id,
      channel.last_seq - counted.events + row_number() OVER (PARTITION BY g.workspace_id, g.agent_id ORDER BY g.index),
      g.event_id, g.type, g.data::jsonb, g.created_at
    FROM given g JOIN channel USING (workspace_id, agent_id) JOIN counted USING (workspace_id, agent_id)
    RETURNING agent_id, event_id, seq`,
};

/** Numbers and writes agent events, at most one per agent and event. Channels are locked in the order of their agents. */
export async function appendAgentEvents(tx: Tx | pg.ClientBase, events: readonly NewAgentEvent[]): Promise<AgentEvent[]> {
  if (events.length === 0) return [];
  const column = <K extends keyof NewAgentEvent>(name: K): NewAgentEvent[K][] => events.map((event) => event[name]);
  const numbered = await runIn<{ agent_id: string; event_id: string; seq: bigint | string }>(tx, append, [
    column('workspaceId'),
    column('agentId'),
    column('eventId'),
    column('type'),
    column('data'),
    column('createdAt'),
  ]);
  const seqs = new Map(numbered.map(({ agent_id, event_id, seq }) => [`${agent_id} ${event_id}`, Number(seq)]));
  return events
    .map(({ agentId, eventId, type, data }) => ({ topic: agentId, eventId, type, data, seq: seqs.get(`${agentId} ${eventId}`) ?? 0 }))
    .sort((a, b) => a.seq - b.seq);
}

export interface Replay {
  /** The last number of the channel. */
  lastSeq: number;
  /** What can still be read after the position asked for, in order. */
  events: AgentEvent[];
}

const replayQuery = `
  SELECT c.last_seq, e.seq, e.event_id AS "eventId", e.type, e.data::text AS data, e.role,
    v.type AS "eventType", event_data(v) AS "eventData", v.created_at AS "createdAt"
  FROM agent_channel c
  JOIN workspace w ON w.id = c.workspace_id
  LEFT JOIN agent_event e ON e.workspace_id = c.workspace_id AND e.agent_id = c.agent_id
    AND e.seq > $3 AND e.seq > c.last_seq - ${bufferedEvents}
    AND e.created_at >= $4::timestamptz + w.clock_offset_ms * interval '1 millisecond' - interval '${bufferedSeconds} seconds'
  LEFT JOIN event v ON e.role IS NOT NULL AND v.workspace_id = e.workspace_id AND v.id = e.event_id
  WHERE c.workspace_id = $1 AND c.agent_id = $2
  ORDER BY e.seq`;

/** Names a channel. */
export interface ChannelKey {
  workspaceId: string;
  agentId: string;
}

/** A row of the query: a line of its own, one with its event, or none. */
type ReplayRow = { last_seq: string } & (
  | { seq: null }
  | { seq: string; eventId: string; role: null; type: string; data: string }
  | { seq: string; eventId: string; role: string; eventType: string; eventData: Record<string, unknown>; createdAt: Date }
);

export interface ReplayFrom {
  after: number;
  /** The real time. */
  now: Date;
  /** What is shown of an event. */
  show: (line: ShownLine) => AgentEvent;
}

/** What a reader at position `after` may still read. */
export async function readAgentEvents(
  pool: pg.Pool,
  { workspaceId, agentId }: ChannelKey,
  { after, now, show }: ReplayFrom,
): Promise<Replay> {
  const { rows } = await pool.query<ReplayRow>({
    name: 'read-agent-events',
    text: replayQuery,
    values: [workspaceId, agentId, after, now],
  });
  const events = rows.flatMap((row): AgentEvent[] => {
    if (row.seq === null) return [];
    const [seq, { eventId }] = [Number(row.seq), row];
    if (row.role === null) return [{ topic: agentId, seq, eventId, type: row.type, data: row.data }];
    const { role, eventType: type, eventData: data, createdAt } = row;
    return [show({ agentId, seq, role, eventId, type, data, createdAt })];
  });
  return { lastSeq: Number(rows[0]?.last_seq ?? 0), events };
}

/** The last numbers of many channels, by agent. */
export async function lastSeqs(pool: pg.Pool, channels: readonly ChannelKey[]): Promise<Map<string, number>> {
  const { rows } = await pool.query({
    name: 'last-seqs',
    text: `SELECT c.agent_id, c.last_seq FROM unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, agent_id)
           JOIN agent_channel c USING (workspace_id, agent_id)`,
    values: [channels.map(({ workspaceId }) => workspaceId), channels.map(({ agentId }) => agentId)],
  });
  return new Map(rows.map(({ agent_id, last_seq }) => [agent_id, Number(last_seq)]));
}

/** Deletes up to `most` agent events that can no longer be read, the oldest of each channel first; how many. */
export async function deleteOldAgentEvents(pool: pg.Pool, now: Date, most: number): Promise<number> {
  const { rowCount } = await byIndex(pool, (tx) =>
    tx.query({
      name: 'sweep-agent-events',
      text: `
        DELETE FROM agent_event e USING (
          SELECT c.workspace_id, c.agent_id, old.seq FROM agent_channel c
          JOIN workspace w ON w.id = c.workspace_id
          CROSS JOIN LATERAL (
            SELECT seq, created_at FROM agent_event l
            WHERE l.workspace_id = c.workspace_id AND l.agent_id = c.agent_id ORDER BY seq LIMIT $2
          ) old
          WHERE old.seq <= c.last_seq - ${bufferedEvents}
            OR old.created_at < $1::timestamptz + w.clock_offset_ms * interval '1 millisecond' - interval '${bufferedSeconds} seconds'
          LIMIT $2
        ) swept WHERE e.workspace_id = swept.workspace_id AND e.agent_id = swept.agent_id AND e.seq = swept.seq`,
      values: [now, most],
    }),
  );
  return rowCount ?? 0;
}
