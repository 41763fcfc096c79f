// The outbox step: events that were committed and not yet published go to those who listen, in one transaction with the mark
// that they did. One process publishes at a time, so that an agent's numbers follow the order in which events were published.
import type pg from 'pg';
import { addSeconds } from './clock.js';
import type { Platform } from './ctx.js';
import { inTransaction } from './database.js';
import { eventRetentionSeconds, type Sides } from './events.js';

/** An event as it was written. */
export interface OutboxEvent {
  workspaceId: string;
  id: string;
  type: string;
  data: Record<string, unknown>;
  objectId: string | null;
  agentId: string | null;
  createdAt: Date;
}

/** An event that channels of agents show. */
export interface ShownEvent extends OutboxEvent {
  sides: Sides;
}

/**
 * Writes the lines of agents' channels that show a batch of events, in the outbox transaction: rows carry their own workspace. What
 * it returns is called after the commit.
 */
export type EventListener = (platform: Platform, tx: pg.ClientBase, events: readonly ShownEvent[]) => Promise<(() => void) | undefined>;

/** What one step of publishing did. `deliveries` are due now. */
export interface Published {
  events: number;
  deliveries: number;
  /** The batch was full: there may be more. */
  more: boolean;
  /** Another process was at it, and may have begun before the last commits. */
  busy: boolean;
  /** The last line that was taken; lines after it are new. */
  last: number;
}

const batchSize = 500;
/** How long a reader of a workspace's stream may be away. */
const resumableSeconds = 86_400;

interface Step {
  size: number;
  deliveries: number;
  shown: (Omit<ShownEvent, 'createdAt'> & { createdAt: string })[] | null;
  shown_next: boolean;
  last: string | null;
  busy: boolean;
}

const publish = { name: 'publish-events', text: `SELECT * FROM publish_events($1, $2, ${batchSize}, $3)` };
/** A line may be committed after some that follow it: so many are looked at again. */
const slack = 1_000;

/**
 * Publishes one batch: one statement, and a transaction when there is something that channels of agents show. Nothing is published
 * when another process is at it. `after` is where the last call ended; from 0 on nothing is passed over.
 */
export async function publishEvents(platform: Platform, listeners: readonly EventListener[], after = 0): Promise<Published> {
  const { pool } = platform.database;
  const step = async (tx: pg.ClientBase | pg.Pool, shown: boolean): Promise<Step> => {
    const { rows } = await tx.query<Step>({ ...publish, values: [platform.clock.now(), shown, Math.max(0, after - slack)] });
    return rows[0] ?? { size: 0, deliveries: 0, shown: null, shown_next: false, last: null, busy: false };
  };
  const published: Published = { events: 0, deliveries: 0, more: false, busy: false, last: after };
  const note = ({ size, deliveries, last, busy }: Step) => {
    published.events += size;
    published.deliveries += deliveries;
    published.more ||= size >= batchSize;
    published.busy ||= busy;
    published.last = Math.max(published.last, Number(last ?? 0));
  };
  const plain = await step(pool, false);
  note(plain);
  if (plain.shown_next) {
    const told: (() => void)[] = [];
    note(
      await inTransaction(pool, async (tx) => {
        const taken = await step(tx, true);
        const events = (taken.shown ?? []).map((event) => ({ ...event, createdAt: new Date(event.createdAt) }));
        for (const listen of events.length > 0 ? listeners : []) {
          const then = await listen(platform, tx, events);
          if (then !== undefined) told.push(then);
        }
        return taken;
      }),
    );
    for (const then of told) then();
  }
  if (published.events > 0) platform.published.ring();
  return published;
}

const sweepSize = 1_000;

/**
 * Removes events, and with them their deliveries, that are older than 30 days of their workspace's time: at most a
 * thousand per workspace. Ids begin with their time, so each workspace is read from its oldest event on.
 */
export async function sweepEvents({ database, clock }: Platform): Promise<number> {
  const oldest = addSeconds(clock.now(), -eventRetentionSeconds).getTime();
  const { rowCount } = await database.pool.query(
    `DELETE FROM event USING (
       SELECT w.id AS workspace_id, old.id FROM workspace w CROSS JOIN LATERAL (
         SELECT id FROM event e
         WHERE e.workspace_id = w.id
           AND e.id < (lpad(to_hex($1::bigint + w.clock_offset_ms), 12, '0') || repeat('0', 20))::uuid
         ORDER BY id LIMIT ${sweepSize}
       ) old
     ) swept WHERE event.workspace_id = swept.workspace_id AND event.id = swept.id`,
    [oldest],
  );
  return rowCount ?? 0;
}

/** Removes what was noted of batches that nobody goes on from any more, at most a thousand per workspace. */
export async function sweepPublications({ database, clock }: Platform): Promise<number> {
  const { rowCount } = await database.pool.query(
    `DELETE FROM publication p USING (
       SELECT w.id AS workspace_id, old.number FROM workspace w CROSS JOIN LATERAL (
         SELECT number, published_at FROM publication WHERE workspace_id = w.id ORDER BY number LIMIT ${sweepSize}
       ) old WHERE old.published_at < $1
     ) swept WHERE p.workspace_id = swept.workspace_id AND p.number = swept.number`,
    [addSeconds(clock.now(), -resumableSeconds)],
  );
  return rowCount ?? 0;
}
