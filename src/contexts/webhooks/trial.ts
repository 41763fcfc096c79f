// A test of a subscription: one event made for it alone, sent while the caller waits (CONTRACT.md 16).
import type { DeliveryAttempt, Prisma, WebhookDelivery } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import { catalog } from '../../platform/event-catalog.js';
import { transact } from '../../platform/idempotency.js';
import { newId, printId } from '../../platform/ids.js';
import { letters, record, send } from './attempt.js';
import { delivery, deliveryRow } from './delivery.js';
import { lockWebhook } from './webhook.js';

/** When the process ends before the answer, a worker sends it this much later. */
const takenUpSeconds = 30;

/**
 * Sends an event of `eventType` (webhook.test by default, else the catalog's example) to one subscription, active or not, and waits
 * for the answer. Tried again as any other delivery when it fails.
 */
export async function testWebhook(ctx: Ctx, webhookId: string, eventType: string | null): Promise<WebhookDelivery> {
  const type = eventType ?? 'webhook.test';
  const entry = catalog.get(type);
  if (entry === undefined) {
    throw new ValidationFailed([{ path: ['eventType'], message: 'is no event type: see GET /v1/webhooks/events', rule: 'event_type' }]);
  }
  const at = ctx.clock.now();
  const row = await transact(ctx, async (tx) => {
    const webhook = await lockWebhook(tx, webhookId);
    const data =
      type === 'webhook.test'
        ? {
            message: 'A test of this endpoint.',
            endpoint_id: printId('webhook', webhookId),
            endpoint_name: webhook.description ?? webhook.url,
          }
        : entry.example;
    // Not in the outbox: nobody else is told of it.
    const event = await tx.event.create({
      data: { id: newId(at), type, data: data as Prisma.InputJsonObject, objectId: webhookId, createdAt: at },
    });
    const due = addSeconds(at, takenUpSeconds);
    return tx.webhookDelivery.create({ data: { ...deliveryRow(webhookId, event, at, due), status: 'processing' } });
  });
  const letter = (await letters(ctx, [row.id])).get(row.id);
  const outcome = letter === undefined ? undefined : await send(ctx, letter, true);
  if (outcome !== undefined) await record(ctx, [outcome]);
  return delivery(ctx, row.id);
}

/** The last attempt of a delivery, if there was one. */
export function lastAttempt(ctx: Ctx, deliveryId: string): Promise<DeliveryAttempt | null> {
  return ctx.db.deliveryAttempt.findFirst({ where: { deliveryId }, orderBy: { id: 'desc' } });
}
