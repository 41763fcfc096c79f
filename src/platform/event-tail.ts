// The outbox read as it is published, by whoever follows a workspace. Raw SQL: the order is that of the publishing, in which
// nothing comes later that stands earlier, and ids only bound how far back is looked.
import type pg from 'pg';
import type { OutboxEvent } from './outbox.js';

/** A place in the order of publishing: everything up to `id` at `publishedAt` has been seen. */
export interface TailPosition {
  publishedAt: Date;
  id: string;
  /** No event with a smaller id can come any more. */
  floor: string;
}

/** A transaction that is under way holds back its events at most this long. */
const slackMs = 60_000;
const zero = '00000000-0000-0000-0000-000000000000';

function floorBefore(id: string): string {
  const ms = Math.max(0, Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) - slackMs);
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The end of what is published by now. */
export async function tailEnd(pool: pg.Pool, workspaceId: string): Promise<TailPosition> {
  const { rows } = await pool.query<{ at: Date; newest: string | null }>(
    `SELECT clock_timestamp()::timestamptz(3) AS at, (SELECT id FROM event WHERE workspace_id = $1 ORDER BY id DESC LIMIT 1) AS newest`,
    [workspaceId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a SELECT without FROM has one row');
  return { publishedAt: row.at, id: zero, floor: row.newest === null ? zero : floorBefore(row.newest) };
}

/** The place of an event; undefined when there is none such, or it waits to be published. */
export async function tailAt(pool: pg.Pool, workspaceId: string, eventId: string): Promise<TailPosition | undefined> {
  const { rows } = await pool.query<{ published_at: Date | null }>('SELECT published_at FROM event WHERE workspace_id = $1 AND id = $2', [
    workspaceId,
    eventId,
  ]);
  const publishedAt = rows[0]?.published_at;
  return publishedAt == null ? undefined : { publishedAt, id: eventId, floor: floorBefore(eventId) };
}

const batchSize = 200;

/** What was published after `position`, at most 200, and the position behind it. */
export async function readTail(
  pool: pg.Pool,
  workspaceId: string,
  position: TailPosition,
): Promise<{ events: OutboxEvent[]; position: TailPosition }> {
  const { rows } = await pool.query<OutboxEvent & { publishedAt: Date }>({
    name: 'event-tail',
    text: `SELECT workspace_id AS "workspaceId", id, type, data, object_id AS "objectId", agent_id AS "agentId",
             created_at AS "createdAt", published_at AS "publishedAt"
           FROM event WHERE workspace_id = $1 AND id >= $2 AND (published_at, id) > ($3, $4)
           ORDER BY published_at, id LIMIT ${batchSize}`,
    values: [workspaceId, position.floor, position.publishedAt, position.id],
  });
  const last = rows.at(-1);
  if (last === undefined) return { events: [], position };
  const newest =
    rows
      .map(({ id }) => id)
      .sort()
      .at(-1) ?? last.id;
  return { events: rows, position: { publishedAt: last.publishedAt, id: last.id, floor: floorBefore(newest) } };
}
