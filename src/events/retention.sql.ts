// How events leave. Each day has a partition, which is dropped when the day is over for as long as events are kept (decision 0097). What has
// no partition of its day, or is over earlier than the day because the clock of its sandbox is ahead, is deleted.
import type { Platform } from '../platform/ctx.js';
import { type PartitionedTable, partitionsOf } from '../platform/partition.js';
import { byIndex } from '../platform/postgres/lookup-plan.js';
import { firstIdAt } from '../platform/schema/page.js';
import { oldestEvents } from './event.js';

const day = 86_400;
/** Events that are kept longer have partitions by the week: who looks for an event locks all of them. */
const mostDays = 60;

/** The events, and for how long a partition of them is kept. */
export function eventPartitions({ config: { retentionEventsDays } }: Pick<Platform, 'config'>): Omit<PartitionedTable, 'table'> {
  return {
    column: 'id',
    kind: 'id',
    unit: retentionEventsDays > mostDays ? 'week' : 'day',
    from: 0,
    to: 7 * day,
    kept: retentionEventsDays * day + 3_600,
    moved: 5_000,
  };
}

/** Deletes the events of workspaces that are older than they are kept, from the oldest of each on, and with them their deliveries. */
const deleteEvents = (workspaces: string, before: string) => `
  WITH gone AS (
    DELETE FROM event USING (
      SELECT w.id AS workspace_id, old.id FROM workspace w CROSS JOIN LATERAL (
        SELECT id FROM event e WHERE e.workspace_id = w.id AND e.id < ${before} ORDER BY id LIMIT $2
      ) old WHERE ${workspaces} LIMIT $2
    ) swept WHERE event.workspace_id = swept.workspace_id AND event.id = swept.id RETURNING event.workspace_id, event.id
  ), undelivered AS (
    DELETE FROM webhook_delivery d USING gone WHERE d.event_id = gone.id AND d.workspace_id = gone.workspace_id
  )
  SELECT count(*)::int AS gone FROM gone`;

/** SQL: the first id that a workspace still keeps at its own time. */
const ownOldest = "(lpad(to_hex($1::bigint + w.clock_offset_ms), 12, '0') || repeat('0', 20))::uuid";

const lastId = 'f'.repeat(32);

const ofMovedClocks = { name: 'sweep-events-of-moved-clocks', text: deleteEvents('w.clock_offset_ms <> 0', ownOldest) };
const ofAll = { name: 'sweep-events', text: deleteEvents('true', `least(${ownOldest}, $3::uuid)`) };

/**
 * Removes events, and with them their deliveries, that are older than RETENTION_EVENTS_DAYS of their workspace's time, and that no partition
 * takes along by then.
 */
export async function sweepEvents({ database, clock, config }: Platform, most: number): Promise<number> {
  const oldest = oldestEvents({ config }, clock.now()).getTime();
  const partitions = await partitionsOf(database.pool, 'event');
  // The table of before, or that of an upgrade that is not done.
  const before = partitions === null ? lastId : partitions.find(({ from }) => from === null)?.to;
  const bound = before instanceof Date ? firstIdAt(before) : before;
  const query = bound === undefined ? { ...ofMovedClocks, values: [oldest, most] } : { ...ofAll, values: [oldest, most, bound] };
  const removed = await byIndex(database.pool, (tx) => tx.query<{ gone: number }>(query));
  return removed.rows[0]?.gone ?? 0;
}

/** Removes deliveries of events that are older than RETENTION_EVENTS_DAYS, with their attempts: before the partition of the events is dropped. */
export async function sweepDeliveries({ database, clock, config }: Platform, most: number): Promise<number> {
  const { rowCount } = await byIndex(database.pool, (tx) =>
    tx.query({
      name: 'sweep-deliveries',
      text: `
        DELETE FROM webhook_delivery d USING (
          SELECT workspace_id, ctid AS place FROM webhook_delivery WHERE event_id < $1 ORDER BY event_id LIMIT $2 FOR UPDATE SKIP LOCKED
        ) old WHERE d.ctid = old.place`,
      values: [firstIdAt(oldestEvents({ config }, clock.now())), most],
    }),
  );
  return rowCount ?? 0;
}
