// A test of a subscription: one event made for it alone, sent while the caller waits (CONTRACT.md 16).

import { catalogOf } from '../../events/catalog.js';
import type { DeliveryAttempt, Prisma, WebhookDelivery } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { transact } from '../../platform/idempotency.js';
import { newId, printId } from '../../platform/schema/id.js';
import { placeOf } from '../../platform/trace.js';
import { record, sendThroughGate } from './attempt.js';
import { delivery, deliveryRow } from './delivery.js';
import { loadDeliveries } from './due-delivery.js';
import { lockWebhook } from './webhook.js';

/** A delivery that was made to test its subscription. */
export interface TestDelivery {
  delivery: WebhookDelivery;
  /** Null while nothing has been sent. */
  attempt: DeliveryAttempt | null;
}

/** When the process ends before the answer, a worker sends it this much later. */
const takenUpSeconds = 30;

/**
 * Sends an event of `chosenType` (webhook.test by default, else the catalog's example) to one subscription, active or not, and waits
 * for the answer. Tried again as any other delivery when it fails; without a place at its gate it waits there, and the answer with it.
 */
export async function testWebhook(ctx: Ctx, webhookId: string, chosenType: string | null): Promise<TestDelivery> {
  const { type, example } = catalogOf(ctx).type(chosenType ?? 'webhook.test', 'eventType');
  const at = ctx.clock.now();
  const place = placeOf(ctx);
  const trace = { traceId: place?.traceId ?? null, traceSpan: place?.span ?? null };
  const row = await transact(ctx, async (tx) => {
    const webhook = await lockWebhook(tx, webhookId);
    const data =
      type === 'webhook.test'
        ? {
            message: 'A test of this endpoint.',
            endpoint_id: printId('webhook', webhookId),
            endpoint_name: webhook.description ?? webhook.url,
          }
        : example;
    // Not in the outbox: it goes to this subscription alone.
    const event = { id: newId(at), type, data: data as Prisma.InputJsonObject, objectId: webhookId, ...trace, createdAt: at };
    // Until an upgrade is done the database may put it elsewhere than where it was to be inserted, and then answers with no row.
    await tx.event.createMany({ data: event });
    const due = addSeconds(at, takenUpSeconds);
    return tx.webhookDelivery.create({ data: { ...deliveryRow(webhookId, event, at, due), status: 'processing' } });
  });
  const due = (await loadDeliveries(ctx, [row])).get(row.id);
  const outcome = due === undefined ? undefined : await sendThroughGate(ctx, due, true);
  if (outcome !== undefined) await record(ctx, [outcome]);
  return testDelivery(ctx, row.id);
}

/** A delivery and its last attempt, by the delivery's id. */
export async function testDelivery(ctx: Ctx, id: string): Promise<TestDelivery> {
  const attempt = await ctx.db.deliveryAttempt.findFirst({ where: { deliveryId: id }, orderBy: { id: 'desc' } });
  return { delivery: await delivery(ctx, id), attempt };
}
