// Sending an event once more, to every subscription that names it or to a given one (CONTRACT.md 16).

import { namesEvent } from '../../events/pattern.js';
import type { Event, Webhook } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { deliveryRow } from '../webhooks/delivery.js';
import { inactiveWebhook } from '../webhooks/webhook.js';
import { event } from './event.js';

export interface EventResend {
  eventId: string;
  deliveryIds: string[];
}

/**
 * Queues new deliveries of an event that keeps its id. 404 for an unknown event or subscription, 409 `state_conflict` for a
 * subscription that is not active.
 */
export async function resendEvent(ctx: Ctx, id: string, webhookId: string | null): Promise<EventResend> {
  const resent = await transact(
    ctx,
    async (tx) => {
      const found = await event(ctx, id);
      const receivers = webhookId === null ? await subscribers(tx, found) : [await receiver(tx, webhookId)];
      const at = ctx.clock.now();
      const rows = receivers.map((webhook) => deliveryRow(webhook.id, found, at));
      await tx.webhookDelivery.createMany({ data: rows });
      return { eventId: found.id, deliveryIds: rows.map((row) => row.id) };
    },
    ({ eventId, deliveryIds }) => [eventId, ...deliveryIds].join(),
  );
  ctx.platform.due.ring();
  return resent;
}

/** What an earlier call queued, by its reference. */
export function earlierResend(reference: string): EventResend {
  const [eventId = '', ...deliveryIds] = reference.split(',');
  return { eventId, deliveryIds };
}

async function subscribers(tx: Tx, { type }: Event): Promise<Webhook[]> {
  const active = await tx.webhook.findMany({ where: { status: 'active', deletedAt: null }, orderBy: { id: 'asc' } });
  return active.filter(({ events }) => events.some((pattern) => namesEvent(pattern, type)));
}

async function receiver(tx: Tx, id: string): Promise<Webhook> {
  const webhook = await tx.webhook.findFirst({ where: { id, deletedAt: null } });
  if (webhook === null) throw new NotFound('webhookId');
  if (webhook.status !== 'active') {
    throw inactiveWebhook(webhook);
  }
  return webhook;
}
