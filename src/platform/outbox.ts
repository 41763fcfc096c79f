// The outbox step: events that were committed and not yet published go to those who listen, in one transaction with the mark
// that they did. One process publishes at a time, so that an agent's numbers follow the order in which events were published.
import { addSeconds } from './clock.js';
import type { Platform } from './ctx.js';
import type { Tx } from './database.js';
import { eventRetentionSeconds } from './events.js';

/** An event as it stands in the outbox. */
export interface OutboxEvent {
  workspaceId: string;
  id: string;
  type: string;
  data: Record<string, unknown>;
  objectId: string | null;
  agentId: string | null;
  createdAt: Date;
}

/**
 * Writes what follows from a batch of events (deliveries, lines of agents' channels) in the outbox transaction, through an
 * unscoped client: rows carry their own workspace. What it returns is called after the commit.
 */
export type EventListener = (platform: Platform, tx: Tx, events: readonly OutboxEvent[]) => Promise<(() => void) | undefined>;

const batchSize = 500;
/** Held for the length of a step by the process that publishes. */
const outboxLock = 0x6f75_7462;

/** Publishes one batch. Returns how many events it was; 0 also when another process is at it. */
export async function publishEvents(platform: Platform, listeners: readonly EventListener[]): Promise<number> {
  const after: (() => void)[] = [];
  const published = await platform.database.unscoped.$transaction(async (tx) => {
    const [lock] = await tx.$queryRaw<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${outboxLock}::bigint) as taken`;
    if (lock?.taken !== true) return 0;
    const rows = await tx.event.findMany({ where: { publishedAt: null }, orderBy: { id: 'asc' }, take: batchSize });
    if (rows.length === 0) return 0;
    const events = rows.map((row): OutboxEvent => ({ ...row, data: row.data as Record<string, unknown> }));
    for (const listen of listeners) {
      const then = await listen(platform, tx, events);
      if (then !== undefined) after.push(then);
    }
    await tx.$executeRaw`UPDATE event SET published_at = clock_timestamp() WHERE (workspace_id, id) IN (
      SELECT * FROM unnest(${rows.map(({ workspaceId }) => workspaceId)}::uuid[], ${rows.map(({ id }) => id)}::uuid[]))`;
    return rows.length;
  });
  for (const then of after) then();
  if (published > 0) platform.published.ring();
  return published;
}

const sweepSize = 1_000;

/**
 * Removes published events, and with them their deliveries, that are older than 30 days of their workspace's time: at most a
 * thousand per workspace. Ids begin with their time, so each workspace is read from its oldest event on.
 */
export async function sweepEvents({ database, clock }: Platform): Promise<number> {
  const oldest = addSeconds(clock.now(), -eventRetentionSeconds).getTime();
  const { rowCount } = await database.pool.query(
    `DELETE FROM event USING (
       SELECT w.id AS workspace_id, old.id FROM workspace w CROSS JOIN LATERAL (
         SELECT id FROM event e
         WHERE e.workspace_id = w.id AND e.published_at IS NOT NULL
           AND e.id < (lpad(to_hex($1::bigint + w.clock_offset_ms), 12, '0') || repeat('0', 20))::uuid
         ORDER BY id LIMIT ${sweepSize}
       ) old
     ) swept WHERE event.workspace_id = swept.workspace_id AND event.id = swept.id`,
    [oldest],
  );
  return rowCount ?? 0;
}
