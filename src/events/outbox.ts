// The outbox step publishes events that were committed: it removes their lines, notes the publication, writes deliveries and numbers
// what channels show, in one statement. One process at a time publishes a shard, so that agents' numbers follow that order.
import { addSeconds } from '../platform/clock.js';
import type { Platform } from '../platform/ctx.js';
import type { FanoutItem } from '../platform/fanout.js';
import { byIndex } from '../platform/postgres/lookup-plan.js';
import { shards } from '../platform/shard.js';
import { readTraceparent } from '../platform/trace.js';
import type { EventListener } from './listener.js';
import { lags, steps } from './publication-metric.js';

/** A line of the channel of an agent: what the agent is to an event that was published. */
export interface ShownLine {
  agentId: string;
  /** Lines of a channel are numbered without a hole. */
  seq: number;
  role: string;
  eventId: string;
  type: string;
  data: Record<string, unknown>;
  createdAt: Date;
}

/** What a channel shows in a line. */
export type ChannelView = (platform: Platform, line: ShownLine) => FanoutItem;

/** What follows from published events beside deliveries, which publish_outbox() writes itself. */
export interface Followers {
  view: ChannelView;
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
  /** Lines of channels among what follows from them. */
  shown: number;
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
  shown: (Omit<ShownLine, 'createdAt'> & { createdAt: string })[] | null;
  last: string | null;
  /** How long the oldest line had waited, in the time of the database. */
  lag_ms: number | null;
  traces: FollowedTrace[] | null;
}

const publish = { name: 'publish-outbox', text: `SELECT * FROM publish_outbox($1, $2, ${batchSize}, $3, $4, ${shards}, $5)` };
/** A line may be committed after some with higher numbers: so many numbers before `after` are read again. */
const slack = 1_000;

/** Publishes one batch, and shows it on the channels that this process holds. Nothing is published while another process publishes the shard. */
export async function publishEvents(platform: Platform, { view }: Followers, options: PublishOptions = {}): Promise<Published> {
  const { clock, database, fanout, due, published } = platform;
  const { after = 0, shard = 0, workspaceId = null } = options;
  const begun = performance.now();
  const notifier = fanout.notifier ?? null;
  const values = [clock.now(), notifier, Math.max(0, after - slack), shard, workspaceId];
  const { rows } = await database.pool.query<Step>({ ...publish, values });
  const [step] = rows;
  if (step === undefined) throw new Error('publish_outbox() returned nothing');
  const { busy, size, deliveries, shown, last, lag_ms: lagMs, traces } = step;
  steps.inc({ result: busy ? 'busy' : size > 0 ? 'published' : 'idle' });
  if (lagMs !== null) lags.observe(lagMs / 1_000);
  if (traces !== null) tracePublication(platform, traces, { size, sinceMs: performance.now() - begun });
  const lines = shown ?? [];
  const items = lines.map((line) => view(platform, { ...line, createdAt: new Date(line.createdAt) }));
  fanout.hand(items, { isNotified: notifier !== null });
  if (deliveries > 0) due.ring('webhook_delivery');
  if (size > 0) published.ring();
  return { events: size, shown: lines.length, more: size >= batchSize, busy, last: Math.max(after, Number(last ?? 0)) };
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
