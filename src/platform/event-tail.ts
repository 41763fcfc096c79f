// What was published, read by whoever follows a workspace. Raw SQL: the order is that of the publishing, in which nothing comes later
// that stands earlier.
import type pg from 'pg';
import type { OutboxEvent } from './outbox.js';

/** A place in the order of publishing: everything up to `place` of the batch `number` has been seen. */
export interface TailPosition {
  number: string;
  place: string;
}

/** The end of what is published by now. */
export async function tailEnd(pool: pg.Pool, workspaceId: string): Promise<TailPosition> {
  const { rows } = await pool.query<{ number: string }>(
    'SELECT coalesce(max(number), 0) + 1 AS number FROM publication WHERE workspace_id = $1',
    [workspaceId],
  );
  return { number: rows[0]?.number ?? '0', place: '0' };
}

/** Batches in which an event is looked for: the newest. */
const searched = 20_000;

/** The place of an event; undefined when there is none such, when it waits to be published, or was published too long ago. */
export async function tailAt(pool: pg.Pool, workspaceId: string, eventId: string): Promise<TailPosition | undefined> {
  const { rows } = await pool.query<TailPosition>(
    `SELECT number, array_position(event_ids, $2::uuid)::bigint AS place
     FROM (SELECT number, event_ids FROM publication WHERE workspace_id = $1 ORDER BY number DESC LIMIT ${searched}) newest
     WHERE event_ids @> ARRAY[$2::uuid] LIMIT 1`,
    [workspaceId, eventId],
  );
  return rows[0];
}

const batchSize = 200;

/** What was published after `position`, at most 200, and the position behind it. */
export async function readTail(
  pool: pg.Pool,
  workspaceId: string,
  position: TailPosition,
): Promise<{ events: OutboxEvent[]; position: TailPosition }> {
  const { rows } = await pool.query<TailPosition & { [K in keyof OutboxEvent]: OutboxEvent[K] | null }>({
    name: 'event-tail',
    // An event that was swept away is passed over.
    text: `SELECT p.number, told.place, e.workspace_id AS "workspaceId", e.id, e.type, e.data, e.object_id AS "objectId",
             e.agent_id AS "agentId", e.created_at AS "createdAt"
           FROM (SELECT number, event_ids FROM publication WHERE workspace_id = $1 AND number >= $2 ORDER BY number LIMIT ${batchSize}) p
           CROSS JOIN LATERAL unnest(p.event_ids) WITH ORDINALITY AS told (event_id, place)
           LEFT JOIN LATERAL (SELECT * FROM event WHERE workspace_id = $1 AND id = told.event_id LIMIT 1) e ON true
           WHERE (p.number, told.place) > ($2, $3)
           ORDER BY p.number, told.place LIMIT ${batchSize}`,
    values: [workspaceId, position.number, position.place],
  });
  const last = rows.at(-1);
  if (last === undefined) return { events: [], position };
  const events = rows.flatMap(({ number, place, ...event }) => (event.id === null ? [] : [event as OutboxEvent]));
  return { events, position: { number: last.number, place: last.place } };
}
