// The outbox step publishes events that were committed: it removes their lines, notes the publication, and writes deliveries and
// channel events, all in one transaction. One process at a time publishes a shard, so that agents' numbers follow that order.
import type pg from 'pg';
import { addSeconds } from '../platform/clock.js';
import type { Platform } from '../platform/ctx.js';
import { inTransaction } from '../platform/postgres/database.js';
import { byIndex } from '../platform/postgres/lookup-plan.js';
import { shards } from '../platform/shard.js';
import { readTraceparent } from '../platform/trace.js';
import { eventRetentionSeconds, type Roles } from './event.js';
import type { EventListener } from './listener.js';
import type { PublishedEvent } from './publication.js';
import { lags, steps } from './publication-metric.js';

/** An event that channels of agents show. */
export interface ShownEvent extends PublishedEvent {
  roles: Roles;
}

/**
 * Writes what the channels of agents show of a batch of events, in the transaction that publishes it. What it returns is called
 * after the commit.
 */
export type ChannelWriter = (platform: Platform, tx: pg.ClientBase, events: readonly ShownEvent[]) => Promise<(() => void) | undefined>;

/** What follows from published events beside deliveries, which publish_outbox() writes itself. */
export interface Followers {
  writeChannels: ChannelWriter;
  /** Read publications from their own stored position, each in a loop of its own. */
  listeners: readonly EventListener[];
}

/** Which lines of the outbox are published. */
export interface PublishOptions {
  /** `last` of the step before: earlier lines are not read again. By default all are. */
  after?: number;
  shard?: number;
  /** Only the events of this workspace. */
  workspaceId?: string | undefined;
}

/** What one step published. */
export interface Published {
  events: number;
  /** The batch was full: there may be more. */
  more: boolean;
  /** Another process is publishing this shard: try again for what it has not read. */
  busy: boolean;
  /** Number of the last line that was published. */
  last: number;
}

/** A trace that goes on with what a step published. */
interface FollowedTrace {
  traceparent: string;
  /** How long its line had waited. */
  lagMs: number;
}

const batchSize = 500;
/** How long a reader of a workspace's stream may be away. */
const resumableSeconds = 86_400;

interface Step {
  busy: boolean;
  size: number;
  deliveries: number;
  shown: (Omit<ShownEvent, 'createdAt'> & { createdAt: string })[] | null;
  shown_next: boolean;
  last: string | null;
  /** How long the oldest line had waited, in the time of the database. */
  lag_ms: number | null;
  traces: FollowedTrace[] | null;
}

const publish = { name: 'publish-outbox', text: `SELECT * FROM publish_outbox($1, $2, ${batchSize}, $3, $4, ${shards}, $5)` };
/** A line may be committed after some with higher numbers: so many numbers before `after` are read again. */
const slack = 1_000;

/**
 * Publishes one batch: one statement, and a second one in a transaction with `writeChannels` where channels of agents show
 * something. Nothing is published while another process publishes the shard.
 */
export async function publishEvents(platform: Platform, { writeChannels }: Followers, options: PublishOptions = {}): Promise<Published> {
  const { pool } = platform.database;
  const { after = 0, shard = 0, workspaceId = null } = options;
  const step = async (tx: pg.ClientBase | pg.Pool, shown: boolean): Promise<Step> => {
    const values = [platform.clock.now(), shown, Math.max(0, after - slack), shard, workspaceId];
    const { rows } = await tx.query<Step>({ ...publish, values });
    return rows[0] ?? { busy: false, size: 0, deliveries: 0, shown: null, shown_next: false, last: null, lag_ms: null, traces: null };
  };
  const published: Published = { events: 0, more: false, busy: false, last: after };
  const begun = performance.now();
  const note = ({ busy, size, deliveries, last, lag_ms, traces }: Step) => {
    steps.inc({ result: busy ? 'busy' : size > 0 ? 'published' : 'idle' });
    if (lag_ms !== null) lags.observe(lag_ms / 1_000);
    if (traces !== null) tracePublication(platform, traces, { size, sinceMs: performance.now() - begun });
    published.events += size;
    published.busy ||= busy;
    if (deliveries > 0) platform.due.ring('webhook_delivery');
    published.more ||= size >= batchSize;
    published.last = Math.max(published.last, Number(last ?? 0));
  };
  const plain = await step(pool, false);
  note(plain);
  if (plain.shown_next) {
    let afterCommit: (() => void) | undefined;
    const taken = await inTransaction(pool, async (tx) => {
      const batch = await step(tx, true);
      const events = (batch.shown ?? []).map((event) => ({ ...event, createdAt: new Date(event.createdAt) }));
      afterCommit = events.length > 0 ? await writeChannels(platform, tx, events) : undefined;
      return batch;
    });
    note(taken);
    afterCommit?.();
  }
  if (published.events > 0) platform.published.ring();
  return published;
}

/** Shows a step in the traces of what it published. It has ended by now: only then is known what it found. */
function tracePublication(
  { tracing }: Platform,
  traces: readonly FollowedTrace[],
  { size, sinceMs }: { size: number; sinceMs: number },
): void {
  if (tracing === undefined) return;
  for (const { traceparent, lagMs } of traces) {
    const about = { 'payments.outbox.events': size, 'payments.outbox.lag_ms': lagMs };
    tracing.follow('publication', readTraceparent(traceparent), about, { sinceMs })?.end();
  }
}

/**
 * Removes events, and with them their deliveries, that are older than 30 days of their workspace's time. Ids begin with their time, so
 * each workspace is read from its oldest event on.
 */
export async function sweepEvents({ database, clock }: Platform, most: number): Promise<number> {
  const oldest = addSeconds(clock.now(), -eventRetentionSeconds).getTime();
  const { rowCount } = await byIndex(database.pool, (tx) =>
    tx.query({
      name: 'sweep-events',
      text: `
        DELETE FROM event USING (
          SELECT w.id AS workspace_id, old.id FROM workspace w CROSS JOIN LATERAL (
            SELECT id FROM event e
            WHERE e.workspace_id = w.id
              AND e.id < (lpad(to_hex($1::bigint + w.clock_offset_ms), 12, '0') || repeat('0', 20))::uuid
            ORDER BY id LIMIT $2
          ) old LIMIT $2
        ) swept WHERE event.workspace_id = swept.workspace_id AND event.id = swept.id`,
      values: [oldest, most],
    }),
  );
  return rowCount ?? 0;
}

/** Deletes publications that no stream can resume from any more and that every one of `listeners` has read. */
export function sweepPublications(listeners: readonly EventListener[]): (platform: Platform, most: number) => Promise<number> {
  const names = listeners.map(({ name }) => name);
  return async function sweepPublications({ database, clock }, most) {
    const { rowCount } = await byIndex(database.pool, (tx) =>
      tx.query({
        name: 'sweep-publications',
        text: `
          DELETE FROM publication p USING (
            SELECT w.id AS workspace_id, old.number FROM workspace w CROSS JOIN LATERAL (
              SELECT number, published_at FROM publication WHERE workspace_id = w.id ORDER BY number LIMIT $2
            ) old
            WHERE old.published_at < $1 AND NOT EXISTS (
              SELECT FROM unnest($3::text[]) AS listener (name)
              LEFT JOIN event_listener l ON l.workspace_id = w.id AND l.name = listener.name
              WHERE coalesce(l.number, 0) < old.number
            ) LIMIT $2
          ) swept WHERE p.workspace_id = swept.workspace_id AND p.number = swept.number`,
        values: [addSeconds(clock.now(), -resumableSeconds), most, names],
      }),
    );
    return rowCount ?? 0;
  };
}
