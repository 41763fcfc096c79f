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

/** Events that are published together, in order. */
export interface Batch {
  size: number;
  /** Their ids as PostgreSQL writes lists, to be handed back to it. */
  workspaceIds: string;
  eventIds: string;
  /** The types among them. */
  types: string[];
  /** Those that channels of agents show. */
  shown: (OutboxEvent & { sides: Sides })[];
}

/**
 * Writes what follows from a batch of events (deliveries, lines of agents' channels) in the outbox transaction: rows carry their own
 * workspace. What it returns is called after the commit.
 */
export type EventListener = (platform: Platform, tx: pg.ClientBase, batch: Batch) => Promise<(() => void) | undefined>;

const batchSize = 500;
/** How long a reader of a workspace's stream may be away. */
const resumableSeconds = 86_400;
/** Held for the length of a step by the process that publishes. */
const outboxLock = 0x6f75_7462;

/** Takes the oldest lines of the outbox, unless another process is at it, and notes them as published. $1 is the time. */
const take = {
  name: 'outbox-take',
  text: `
    WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${outboxLock}) AS mine),
    oldest AS (
      SELECT id, sum(cardinality(event_ids)) OVER (ORDER BY id) - cardinality(event_ids) AS ahead
      FROM (SELECT id, event_ids FROM outbox WHERE (SELECT mine FROM turn) ORDER BY id LIMIT ${batchSize}) line
    ), taken AS (
      DELETE FROM outbox USING oldest WHERE outbox.id = oldest.id AND oldest.ahead < ${batchSize} RETURNING outbox.*
    ), told AS MATERIALIZED (
      SELECT row_number() OVER (ORDER BY t.id, u.place) AS place, u.workspace_id, u.event_id, t.sides -> u.event_id::text AS sides
      FROM taken t CROSS JOIN LATERAL unnest(t.workspace_ids, t.event_ids) WITH ORDINALITY AS u (workspace_id, event_id, place)
    ), noted AS (
      INSERT INTO publication (workspace_id, event_ids, published_at)
      SELECT workspace_id, array_agg(event_id ORDER BY place), $1 FROM told GROUP BY workspace_id
    ), event AS MATERIALIZED (
      SELECT told.place, told.sides, e.*
      FROM told CROSS JOIN LATERAL (SELECT * FROM event e WHERE (e.workspace_id, e.id) = (told.workspace_id, told.event_id) LIMIT 1) e
    )
    SELECT count(*)::int AS size, array_agg(workspace_id ORDER BY place)::text AS "workspaceIds",
      array_agg(id ORDER BY place)::text AS "eventIds", array_agg(DISTINCT type) AS types,
      json_agg(json_build_object('workspaceId', workspace_id, 'id', id, 'type', type, 'data', data, 'objectId', object_id,
        'agentId', agent_id, 'createdAt', created_at, 'sides', sides) ORDER BY place) FILTER (WHERE sides IS NOT NULL) AS shown
    FROM event`,
};

type Taken = Omit<Batch, 'shown'> & { shown: (Omit<Batch['shown'][number], 'createdAt'> & { createdAt: string })[] | null };

/** Publishes one batch. Returns how many events it was; 0 also when another process is at it. */
export async function publishEvents(platform: Platform, listeners: readonly EventListener[]): Promise<number> {
  const after: (() => void)[] = [];
  const published = await inTransaction(platform.database.pool, async (tx) => {
    const [taken] = (await tx.query<Taken>({ ...take, values: [platform.clock.now()] })).rows;
    if (taken === undefined || taken.size === 0) return 0;
    const shown = (taken.shown ?? []).map((event) => ({ ...event, createdAt: new Date(event.createdAt) }));
    for (const listen of listeners) {
      const then = await listen(platform, tx, { ...taken, shown });
      if (then !== undefined) after.push(then);
    }
    return taken.size;
  });
  for (const then of after) then();
  if (published > 0) platform.published.ring();
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
