// What channels of agents show, as it stands in the database.
import { showLine } from '../../src/contexts/agents/channel-event.js';
import type { ShownLine } from '../../src/events/outbox.js';
import type { Harness, Json } from '../harness.js';

/** Every line of the channel of an agent that comes from an event, in order. */
export async function channelLines({ platform }: Harness, agentId: string): Promise<{ type: string; data: Json }[]> {
  const { rows } = await platform.database.pool.query<ShownLine>(
    `SELECT l.agent_id AS "agentId", l.seq, l.role, l.event_id AS "eventId", e.type, event_data(e) AS data, e.created_at AS "createdAt"
     FROM agent_event l JOIN event e ON e.workspace_id = l.workspace_id AND e.id = l.event_id WHERE l.agent_id = $1 ORDER BY l.seq`,
    [agentId],
  );
  return rows.map((row) => {
    const { type, data } = showLine(platform, row);
    return { type, data: JSON.parse(data) as Json };
  });
}
