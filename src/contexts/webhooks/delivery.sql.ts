// The statements that every send needs (decision 0017): loading what is due, and recording what arrived. Rows have the names that
// the rest of the context knows.
import type { Event, Webhook, WebhookDelivery } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { byIndex } from '../../platform/lookup-plan.js';

/** What a send needs of a delivery, of its subscription and of its event. */
export type DueRow = Pick<
  WebhookDelivery,
  'id' | 'webhookId' | 'eventId' | 'eventType' | 'attemptCount' | 'maxAttempts' | 'overrideUrl' | 'firstAttemptAt'
>;
export type RecipientRow = Pick<
  Webhook,
  'id' | 'url' | 'status' | 'deletedAt' | 'failingSince' | 'sealedSecret' | 'previousSealedSecret' | 'previousSecretExpiresAt'
>;
export type ToldEvent = Pick<Event, 'id' | 'type' | 'data' | 'createdAt'>;

/** A list is looked up row by row: with one condition for all of it, PostgreSQL chooses an index by how many rows there seem to be. */
const due = {
  name: 'deliveries-due',
  text: `
    SELECT d.id, d.webhook_id AS "webhookId", d.event_id AS "eventId", d.event_type AS "eventType", d.attempt_count AS "attemptCount",
      d.max_attempts AS "maxAttempts", d.override_url AS "overrideUrl", d.first_attempt_at AS "firstAttemptAt"
    FROM unnest($2::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
      SELECT * FROM webhook_delivery WHERE workspace_id = $1 AND id = wanted.id AND status = 'processing' LIMIT 1
    ) d`,
};

const recipients = {
  name: 'deliveries-recipients',
  text: `
    SELECT id, url, status, deleted_at AS "deletedAt", failing_since AS "failingSince", sealed_secret AS "sealedSecret",
      previous_sealed_secret AS "previousSealedSecret", previous_secret_expires_at AS "previousSecretExpiresAt"
    FROM webhook WHERE workspace_id = $1 AND id = ANY ($2::uuid[])`,
};

const events = {
  name: 'deliveries-events',
  text: `
    SELECT e.id, e.type, e.data, e.created_at AS "createdAt"
    FROM unnest($2::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
      SELECT * FROM event WHERE workspace_id = $1 AND id = wanted.id LIMIT 1
    ) e`,
};

/** Numbers, ids and times as PostgreSQL writes an array; the driver would look into each for what has to be escaped. */
function arrayOf(values: readonly (number | string)[]): string {
  return `{${values.join()}}`;
}

/** Subscriptions as they are now, those that were deleted too. */
export async function loadRecipients({ platform, workspace }: Ctx, ids: readonly string[]): Promise<RecipientRow[]> {
  return (await platform.database.pool.query<RecipientRow>({ ...recipients, values: [workspace.id, arrayOf(ids)] })).rows;
}

/** The deliveries of `ids` that are being sent, each subscription and each event once. */
export async function loadDue(
  ctx: Ctx,
  ids: readonly string[],
): Promise<{ rows: DueRow[]; recipients: RecipientRow[]; events: ToldEvent[] }> {
  const { platform, workspace } = ctx;
  const { pool } = platform.database;
  const { rows } = await pool.query<DueRow>({ ...due, values: [workspace.id, arrayOf(ids)] });
  if (rows.length === 0) return { rows, recipients: [], events: [] };
  const [found, told] = await Promise.all([
    loadRecipients(ctx, [...new Set(rows.map(({ webhookId }) => webhookId))]),
    pool.query<ToldEvent>({ ...events, values: [workspace.id, arrayOf([...new Set(rows.map(({ eventId }) => eventId))])] }),
  ]);
  return { rows, recipients: found, events: told.rows };
}

/** A send that was answered well. */
export interface Arrival {
  deliveryId: string;
  attemptId: string;
  startedAt: Date;
  durationMs: number;
  responseCode: number;
  responseBody: string;
}

/** One statement, so an attempt and what it made of its delivery are there together. What was written before stays as it is. */
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
    )
    UPDATE webhook_delivery d SET status = 'delivered', attempt_count = d.attempt_count + 1, last_response_code = a.code,
      last_response_body = a.body, last_error = NULL, first_attempt_at = coalesce(d.first_attempt_at, a.started_at),
      delivered_at = $2, due_at = NULL, lease_until = NULL
    FROM arrived a WHERE d.workspace_id = $1 AND d.id = a.delivery_id AND d.status = 'processing'`,
};

/** Records sends that were answered well. A delivery that was settled meanwhile stays as it is; the attempt is recorded. */
export async function writeArrivals({ platform, workspace, clock }: Ctx, list: readonly Arrival[]): Promise<void> {
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
