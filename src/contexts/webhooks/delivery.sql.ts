// The statements that every send needs (decision 0017): loading what is due, and recording what arrived. Rows have the names that
// the rest of the context knows.
import type { Event, Webhook, WebhookDelivery } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { byIndex } from '../../platform/postgres/lookup-plan.js';

/** What a send needs of a delivery, of its subscription and of its event. */
export type DueRow = Pick<
  WebhookDelivery,
  'id' | 'webhookId' | 'eventId' | 'eventType' | 'attemptCount' | 'maxAttempts' | 'overrideUrl' | 'firstAttemptAt' | 'waitsFor'
>;
export type RecipientRow = Pick<
  Webhook,
  | 'id'
  | 'url'
  | 'status'
  | 'deletedAt'
  | 'failingSince'
  | 'sealedSecret'
  | 'previousSealedSecret'
  | 'previousSecretExpiresAt'
  | 'verifiedAt'
  | 'verifiedUntil'
  | 'sender'
>;
/** `data` is the JSON text as it was written. */
export type EventRow = Pick<Event, 'id' | 'type' | 'createdAt' | 'traceId' | 'traceSpan'> & { data: string };

/** What a claimed delivery brings along (DueStep.columns). */
export const dueColumns = `t.webhook_id AS "webhookId", t.event_id AS "eventId", t.event_type AS "eventType", t.attempt_count AS "attemptCount",
  t.max_attempts AS "maxAttempts", t.override_url AS "overrideUrl", t.first_attempt_at AS "firstAttemptAt", t.waits_for AS "waitsFor"`;

const recipients = {
  name: 'deliveries-recipients',
  text: `
    SELECT id, url, status, deleted_at AS "deletedAt", failing_since AS "failingSince", sealed_secret AS "sealedSecret",
      previous_sealed_secret AS "previousSealedSecret", previous_secret_expires_at AS "previousSecretExpiresAt",
      verified_at AS "verifiedAt", verified_until AS "verifiedUntil", sender
    FROM webhook WHERE workspace_id = $1 AND id = ANY ($2::uuid[])`,
};

/**
 * As many events, in their order, as begin within the bytes that are allowed ($3): at least one. They are looked up one by one: with one
 * condition for all of the list, PostgreSQL chooses an index by how many rows there seem to be.
 */
const events = {
  name: 'deliveries-events',
  text: `
    SELECT id, type, data, created_at AS "createdAt", trace_id AS "traceId", trace_span AS "traceSpan" FROM (
      SELECT e.id, e.type, e.data, e.created_at, e.trace_id, e.trace_span,
        sum(octet_length(e.data)) OVER (ORDER BY wanted.place ROWS UNBOUNDED PRECEDING) - octet_length(e.data) AS begins
      FROM unnest($2::uuid[]) WITH ORDINALITY AS wanted (id, place) CROSS JOIN LATERAL (
        SELECT v.id, v.type, event_data(v)::text AS data, v.created_at, v.trace_id, v.trace_span
        FROM event v WHERE v.workspace_id = $1 AND v.id = wanted.id LIMIT 1
      ) e
    ) sized WHERE begins = 0 OR begins < $3::bigint`,
};

/** Numbers, ids and times as PostgreSQL writes an array; the driver would look into each for what has to be escaped. */
function arrayOf(values: readonly (number | string)[]): string {
  return `{${values.join()}}`;
}

/** Subscriptions as they are now, those that were deleted too. */
export async function loadRecipients({ platform, workspace }: Ctx, ids: readonly string[]): Promise<RecipientRow[]> {
  return (await platform.database.pool.query<RecipientRow>({ ...recipients, values: [workspace.id, arrayOf(ids)] })).rows;
}

/** The subscriptions and the events of deliveries, each once; events of about `maxBytes`. */
export async function loadDue(
  ctx: Ctx,
  rows: readonly DueRow[],
  maxBytes: number,
): Promise<{ recipients: RecipientRow[]; events: EventRow[] }> {
  const { platform, workspace } = ctx;
  const eventIds = [...new Set(rows.map(({ eventId }) => eventId))];
  const [found, loaded] = await Promise.all([
    loadRecipients(ctx, [...new Set(rows.map(({ webhookId }) => webhookId))]),
    platform.database.pool.query<EventRow>({ ...events, values: [workspace.id, arrayOf(eventIds), maxBytes] }),
  ]);
  return { recipients: found, events: loaded.rows };
}

/** A send that was answered well. */
export interface QueuedDelivery {
  deliveryId: string;
  attemptId: string;
  startedAt: Date;
  durationMs: number;
  responseCode: number;
  responseBody: string;
}

/**
 * One statement, so an attempt and what it made of its delivery are there together. What was written before stays as it is. Deliveries
 * are found one by one and then updated by their place (ctid): joined by their keys, all of the workspace could be read for a few. One
 * that somebody else changes at this very moment stays as they leave it.
 */
const arrivals = {
  name: 'deliveries-arrived',
  text: `
    WITH arrived AS MATERIALIZED (
      SELECT * FROM unnest($3::uuid[], $4::uuid[], $5::timestamptz[], $6::int[], $7::int[], $8::text[])
        AS a (delivery_id, attempt_id, started_at, duration_ms, code, body)
    ), tried AS (
      INSERT INTO delivery_attempt (id, workspace_id, delivery_id, started_at, duration_ms, response_code)
      SELECT attempt_id, $1, delivery_id, started_at, duration_ms, code FROM arrived
      ON CONFLICT (workspace_id, delivery_id, id) DO NOTHING
    ), found AS MATERIALIZED (
      SELECT a.*, d.place FROM arrived a CROSS JOIN LATERAL (
        SELECT ctid AS place FROM webhook_delivery WHERE workspace_id = $1 AND id = a.delivery_id AND status = 'processing'
        FOR NO KEY UPDATE
      ) d
    )
    UPDATE webhook_delivery d SET status = 'delivered', attempt_count = d.attempt_count + 1, last_response_code = found.code,
      last_response_body = found.body, last_error = NULL, first_attempt_at = coalesce(d.first_attempt_at, found.started_at),
      delivered_at = $2, due_at = NULL, lease_until = NULL
    FROM found WHERE d.ctid = found.place`,
};

/** Records sends that were answered well. A delivery that was settled meanwhile stays as it is; the attempt is recorded. */
export async function writeArrivals({ platform, workspace, clock }: Ctx, list: readonly QueuedDelivery[]): Promise<void> {
  const values = [
    workspace.id,
    clock.now(),
    arrayOf(list.map(({ deliveryId }) => deliveryId)),
    arrayOf(list.map(({ attemptId }) => attemptId)),
    arrayOf(list.map(({ startedAt }) => startedAt.toISOString())),
    arrayOf(list.map(({ durationMs }) => durationMs)),
    arrayOf(list.map(({ responseCode }) => responseCode)),
    list.map(({ responseBody }) => responseBody),
  ];
  await byIndex(platform.database.pool, (tx) => tx.query({ ...arrivals, values }));
}
