// From events to deliveries, in one statement for a batch of the outbox.
import type pg from 'pg';

/** Ids of events, as the outbox hands them out, and their types with the patterns that name them, pair by pair. */
export interface FanOut {
  workspaceIds: string;
  eventIds: string;
  types: string[];
  patterns: string[];
}

/** A subscription is not told of its own dead letters: they would fail as the letters did. */
const add = {
  name: 'add-deliveries',
  text: `
    WITH active AS MATERIALIZED (
      SELECT w.workspace_id, w.id, w.events FROM webhook w
      WHERE w.workspace_id = ANY ($1::uuid[]) AND w.status = 'active' AND w.deleted_at IS NULL
    )
    INSERT INTO webhook_delivery (id, workspace_id, webhook_id, event_id, event_type, due_at, created_at)
    SELECT uuid_at(e.created_at), w.workspace_id, w.id, e.id, e.type, e.created_at, e.created_at
    FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS told (workspace_id, event_id, place)
    JOIN active w ON w.workspace_id = told.workspace_id
    CROSS JOIN LATERAL (
      SELECT * FROM event WHERE event.workspace_id = told.workspace_id AND event.id = told.event_id LIMIT 1
    ) e
    WHERE EXISTS (
        SELECT FROM unnest($3::text[], $4::text[]) AS named (type, pattern) WHERE named.type = e.type AND named.pattern = ANY (w.events)
      )
      AND NOT (e.type = 'webhook.dlq' AND e.data ->> 'webhook_id' = 'wh_' || w.id)
    ORDER BY told.place, w.id`,
};

/** Writes a delivery, due at once, of each event for each active subscription of its workspace that has one of its patterns. */
export async function addDeliveries(tx: pg.ClientBase, { workspaceIds, eventIds, types, patterns }: FanOut): Promise<void> {
  await tx.query({ ...add, values: [workspaceIds, eventIds, types, patterns] });
}
