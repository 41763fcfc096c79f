// Publications: the events and operations of a workspace in the order in which they were published. Publications are committed in the
// order of their numbers, so a reader that has passed a number has missed nothing before it.
import type pg from 'pg';

/** The type under which streams see an operation: it has no row of an event, and its id is that of the operation. */
export const operationRecorded = '_operation.recorded';

/** An event as it was written. */
export interface PublishedEvent {
  workspaceId: string;
  id: string;
  type: string;
  data: Record<string, unknown>;
  objectId: string | null;
  agentId: string | null;
  createdAt: Date;
}

/**
 * A position in the publications of a workspace: up to the event with this `index`, from 1, of the publication `number`. Operations
 * stand behind the events of their publication.
 */
export interface Position {
  number: number;
  index: number;
}

/** True when `a` comes after `b`. */
export function isAfter(a: Position, b: Position): boolean {
  return a.number > b.number || (a.number === b.number && a.index > b.index);
}

interface PositionRow {
  number: string;
  index: string;
}

const positionOf = ({ number, index }: PositionRow): Position => ({ number: Number(number), index: Number(index) });

/** The end of what is published by now. */
export async function endOfPublications(pool: pg.Pool, workspaceId: string): Promise<Position> {
  const { rows } = await pool.query<{ number: string }>(
    'SELECT coalesce(max(number), 0) + 1 AS number FROM publication WHERE workspace_id = $1',
    [workspaceId],
  );
  return { number: Number(rows[0]?.number ?? 0), index: 0 };
}

/** The newest publications, in which an event is looked for. */
const searched = 20_000;

/**
 * The position of an event or operation; undefined when there is no such event, it is not published yet, or it was published too long ago.
 */
export async function positionOfEvent(pool: pg.Pool, workspaceId: string, eventId: string): Promise<Position | undefined> {
  const { rows } = await pool.query<PositionRow>(
    `SELECT number, array_position(event_ids || operation_ids, $2::uuid)::bigint AS index
     FROM (SELECT number, event_ids, operation_ids FROM publication WHERE workspace_id = $1 ORDER BY number DESC LIMIT ${searched}) newest
     WHERE event_ids @> ARRAY[$2::uuid] OR operation_ids @> ARRAY[$2::uuid] LIMIT 1`,
    [workspaceId, eventId],
  );
  return rows[0] && positionOf(rows[0]);
}

/** A published event with its position. */
export interface PositionedEvent {
  event: PublishedEvent;
  position: Position;
}

const batchSize = 200;

/** Events that were published after `after`, at most 200, and the position behind them. Events that were swept are left out. */
export async function readPublished(
  pool: pg.Pool,
  workspaceId: string,
  after: Position,
): Promise<{ events: PositionedEvent[]; position: Position }> {
  const { rows } = await pool.query<PositionRow & { [K in keyof PublishedEvent]: PublishedEvent[K] | null }>({
    name: 'read-published',
    text: `SELECT p.number, coalesce(u.index, 0) AS index, e.workspace_id AS "workspaceId", e.id, e.type, e.data, e.object_id AS "objectId",
             e.agent_id AS "agentId", e.created_at AS "createdAt"
           FROM (SELECT * FROM publication WHERE workspace_id = $1 AND number >= $2 ORDER BY number LIMIT ${batchSize}) p
           -- A publication of lines of the audit log alone is a row too: the position moves on past it.
           LEFT JOIN LATERAL unnest(p.event_ids || p.operation_ids) WITH ORDINALITY AS u (event_id, index) ON true
           LEFT JOIN LATERAL (
             (SELECT v.workspace_id, v.id, v.type, event_data(v) AS data, v.object_id, v.agent_id, v.created_at FROM event v
              WHERE v.workspace_id = $1 AND v.id = u.event_id AND u.index <= cardinality(p.event_ids) LIMIT 1)
             UNION ALL
             (SELECT workspace_id, id, '${operationRecorded}', '{}'::json, id, agent_id, at FROM operation
              WHERE workspace_id = $1 AND id = u.event_id AND u.index > cardinality(p.event_ids) LIMIT 1)
           ) e ON true
           WHERE (p.number, coalesce(u.index, 0)) > ($2, $3)
           ORDER BY p.number, coalesce(u.index, 0) LIMIT ${batchSize}`,
    values: [workspaceId, after.number, after.index],
  });
  const last = rows.at(-1);
  if (last === undefined) return { events: [], position: after };
  const events = rows.flatMap(({ number, index, ...event }) =>
    event.id === null ? [] : [{ event: event as PublishedEvent, position: positionOf({ number, index }) }],
  );
  return { events, position: positionOf(last) };
}
