// A delivery that is due, with all that a send needs: its subscription and the body. Loaded in batches of one workspace.
import type { Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { printId } from '../../platform/schema/id.js';
import type { TracePlace } from '../../platform/trace.js';
import { type DueRow, type EventRow, loadDue } from './delivery.sql.js';
import { type Recipient, Recipients } from './recipient.js';
import { type Dress, senders } from './sender.js';

/** Deliveries of one subscription share it, deliveries of one event share its bytes. */
export interface DueDelivery extends DueRow {
  webhook: Recipient;
  /** The subscriptions of its batch. */
  recipients: Recipients;
  body: Buffer;
  /** Where another protocol writes it: the headers of a send. */
  dress?: Dress;
  /** Where in a trace the event was made. */
  trace: TracePlace | undefined;
}

/** Bodies that a process holds at once: sends wait for each other rather than to take more memory. */
export const maxBodyBytes = 64 * 1_048_576;

/**
 * What is needed to send deliveries, by their id. Those whose bodies would take more than `maxBytes` are left out, but at least one is
 * loaded.
 */
export async function loadDeliveries(ctx: Ctx, rows: readonly DueRow[], maxBytes = maxBodyBytes): Promise<Map<string, DueDelivery>> {
  const readAt = performance.now();
  const { recipients: found, events } = await loadDue(ctx, rows, maxBytes);
  const recipients = new Recipients(ctx, found, readAt);
  const dresses = await dressesOf(ctx, rows, recipients, events);
  const loaded = new Map(events.map((event) => [event.id, { body: deliveryBody(event), trace: traceOf(event) }]));
  const byId = new Map<string, DueDelivery>();
  for (const row of rows) {
    const webhook = recipients.get(row.webhookId);
    const event = loaded.get(row.eventId);
    if (webhook !== undefined && event !== undefined)
      byId.set(row.id, { ...row, webhook, recipients, ...event, ...worn(dresses.get(row.id)) });
  }
  return byId;
}

const worn = (dress: Dress | undefined) => (dress === undefined ? {} : { dress, body: dress.body });

/** What other protocols make of the deliveries that they write. */
async function dressesOf(
  ctx: Ctx,
  rows: readonly DueRow[],
  recipients: Recipients,
  events: readonly EventRow[],
): Promise<Map<string, Dress>> {
  const names = new Set(rows.flatMap(({ webhookId }) => recipients.get(webhookId)?.sender ?? []));
  const byId = new Map(events.map((event) => [event.id, event]));
  const made = await Promise.all(
    [...names].map((name) => {
      const own = rows.filter(({ webhookId, eventId }) => recipients.get(webhookId)?.sender === name && byId.has(eventId));
      return ctx.platform.extensions.of(senders).get(name)(ctx, own, byId);
    }),
  );
  return new Map(made.flatMap((dresses) => [...dresses]));
}

/** The body of every send of an event: the same bytes each time. */
function deliveryBody({ id, type, createdAt, data }: EventRow): Buffer {
  const head = JSON.stringify({ id: printId('event', id), type, timestamp: createdAt.toISOString() });
  return Buffer.from(`${head.slice(0, -1)},"data":${data}}`);
}

function traceOf({ traceId, traceSpan }: EventRow): TracePlace | undefined {
  return traceId === null || traceSpan === null ? undefined : { traceId, span: traceSpan };
}

/** A delivery as it was when it was loaded: what another process has settled since is not touched. */
export function unsettled({ id, attemptCount }: DueDelivery): Prisma.WebhookDeliveryWhereInput {
  return { id, status: 'processing', attemptCount };
}
