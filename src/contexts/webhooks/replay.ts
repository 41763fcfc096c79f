// Sending again what was to be delivered: one delivery, or those of a stretch of time (CONTRACT.md 16). The event keeps its id, the
// delivery is a new one.
import { catalogOf } from '../../events/catalog.js';
import { notInternal, whereNamed } from '../../events/pattern.js';
import type { WebhookDelivery } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, StateConflict, TestModeOnly, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { printId } from '../../platform/schema/id.js';
import type { ReplayWebhookInput } from './delivery.input.js';
import { deliveryRow } from './delivery.js';
import { checkUrl, inactiveWebhook, lockWebhook } from './webhook.js';

/** Deliveries of a range leave at this pace, and one call queues no more than `mostReplayed`. */
const perSecond = 10;
const mostReplayed = 10_000;

/** Queues a delivery once more. 404 when its event has left; 409 `state_conflict` while it is under way, or when its subscription is not active. */
export async function replayDelivery(ctx: Ctx, id: string): Promise<WebhookDelivery> {
  const queued = await transact(ctx, async (tx) => {
    const before = await tx.webhookDelivery.findFirst({ where: { id } });
    if (before === null) throw new NotFound();
    if (before.status === 'pending' || before.status === 'processing') {
      throw new StateConflict('This delivery is already in progress.', before.status, ['delivered', 'failed', 'dlq'], {
        next_actions: [{ rel: 'read', actor: 'api_key', method: 'GET', path: `/v1/webhooks/deliveries/${printId('delivery', id)}` }],
      });
    }
    // Deliveries leave with their events, but in another transaction.
    if ((await tx.event.findFirst({ where: { id: before.eventId }, select: { id: true } })) === null) throw new NotFound();
    await lockActive(tx, before.webhookId);
    return tx.webhookDelivery.create({
      data: deliveryRow(before.webhookId, { id: before.eventId, type: before.eventType }, ctx.clock.now()),
    });
  });
  ctx.platform.due.ring();
  return queued;
}

/**
 * Queues the events of a stretch of time once more, ten a second. Returns how many. 403 `test_mode_only` for another URL in
 * production, 400 for more than 10,000 events, 409 for a subscription that is not active.
 */
export async function replayRange(ctx: Ctx, input: ReplayWebhookInput & { webhookId: string }): Promise<number> {
  if (input.eventTypes != null) catalogOf(ctx).checkPatterns(input.eventTypes, (index) => ['eventTypes', index]);
  if (input.overrideUrl != null) {
    if (ctx.workspace.environment !== 'test') throw new TestModeOnly('Only the sandbox can replay to another URL.');
    await checkUrl(ctx, input.overrideUrl);
  }
  const count = await transact(
    ctx,
    async (tx) => {
      const { events } = await lockActive(tx, input.webhookId);
      const patterns = input.eventTypes ?? events;
      const found = await (input.onlyFailed === false ? eventsOf(tx, input, patterns) : failuresOf(tx, input, patterns));
      if (found.length > mostReplayed) {
        throw new ValidationFailed([
          { path: ['since'], message: `covers more than ${mostReplayed} events: choose a shorter stretch`, rule: 'max' },
        ]);
      }
      const at = ctx.clock.now();
      const rows = found.map((event, index) => ({
        ...deliveryRow(input.webhookId, event, at, addSeconds(at, Math.floor(index / perSecond))),
        overrideUrl: input.overrideUrl ?? null,
      }));
      if (rows.length > 0) await tx.webhookDelivery.createMany({ data: rows });
      return rows.length;
    },
    String,
  );
  ctx.platform.due.ring();
  return count;
}

type FoundEvent = { id: string; type: string };

function between({ since, until }: ReplayWebhookInput & { webhookId: string }): { gte: Date; lt?: Date } {
  return { gte: since, ...(until ? { lt: until } : {}) };
}

function eventsOf(tx: Tx, input: ReplayWebhookInput & { webhookId: string }, patterns: readonly string[]): Promise<FoundEvent[]> {
  const where = { createdAt: between(input), ...notInternal, ...whereNamed('type', patterns) };
  return tx.event.findMany({ where, orderBy: { id: 'asc' }, take: mostReplayed + 1, select: { id: true, type: true } });
}

async function failuresOf(tx: Tx, input: ReplayWebhookInput & { webhookId: string }, patterns: readonly string[]): Promise<FoundEvent[]> {
  const { webhookId } = input;
  const failed = await tx.webhookDelivery.findMany({
    where: {
      webhookId,
      status: 'dlq',
      createdAt: between(input),
      ...whereNamed('eventType', patterns),
      event: { deliveries: { none: { webhookId, status: { not: 'dlq' } } } },
    },
    distinct: ['eventId'],
    orderBy: { id: 'asc' },
    take: mostReplayed + 1,
    select: { eventId: true, eventType: true },
  });
  return failed.map(({ eventId, eventType }) => ({ id: eventId, type: eventType }));
}

async function lockActive(tx: Tx, webhookId: string) {
  const webhook = await lockWebhook(tx, webhookId);
  if (webhook.status !== 'active') {
    throw inactiveWebhook(webhook);
  }
  return webhook;
}
