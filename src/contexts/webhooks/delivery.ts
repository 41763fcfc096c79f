// Deliveries: one event on its way to one subscription (SPEC.md "Webhook delivery"). publish_outbox() writes them
// (prisma/functions/publish_outbox.sql); here is how they stand.
import type { DeliveryStatus, Prisma, WebhookDelivery } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { newId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { createdBetween } from '../../platform/schema/page.js';
import { Visibility } from '../../platform/visibility.js';
import { webhook } from './webhook.js';

/** A delivery that is due at `dueAt`, without its workspace. */
export function deliveryRow(webhookId: string, event: { id: string; type: string }, at: Date, dueAt = at) {
  return { id: newId(at), webhookId, eventId: event.id, eventType: event.type, dueAt, createdAt: at };
}

/** The delivery, or 404. `query` is the caller's selection. */
export async function delivery(ctx: Ctx, id: string, query: object = {}): Promise<WebhookDelivery> {
  const found = await ctx.db.webhookDelivery.findFirst({ ...query, where: { id } });
  if (found === null) throw new NotFound();
  return found;
}

/** Agents see no webhooks and no deliveries. */
export const visibleDeliveries = new Visibility<Prisma.WebhookDeliveryWhereInput>({ scope: 'webhooks:read', agent: () => null });

/** Deliveries, newest first. 404 for a subscription that is none; a deleted one's deliveries are read by its id too. */
export const deliveries = listOf(
  'webhookDelivery',
  { kind: 'delivery' },
  {
    webhookId: async (id: string, { db }) => {
      if ((await db.webhook.findFirst({ where: { id }, select: { id: true } })) === null) throw new NotFound();
      return { webhookId: id };
    },
  },
);

export interface DeliveryStats {
  pending: number;
  delivered: number;
  failed: number;
  dlq: number;
  p50Ms: number | null;
  p95Ms: number | null;
  failingSince: Date | null;
}

/** Deliveries that the times of answers are taken from: the newest. */
const timed = 1_000;

/** How a subscription's deliveries stand, and how fast its endpoint answered the newest of them. */
export async function deliveryStats(ctx: Ctx, webhookId: string): Promise<DeliveryStats> {
  const { failingSince } = await webhook(ctx, webhookId);
  const [groups, newest] = await Promise.all([
    ctx.db.webhookDelivery.groupBy({ by: ['status'], where: { webhookId }, _count: { _all: true } }),
    ctx.db.webhookDelivery.findMany({
      where: { webhookId },
      orderBy: { id: 'desc' },
      take: timed,
      select: { attempts: { select: { durationMs: true } } },
    }),
  ]);
  const count = (...statuses: DeliveryStatus[]) =>
    groups.filter(({ status }) => statuses.includes(status)).reduce((sum, { _count }) => sum + _count._all, 0);
  const durations = newest.flatMap(({ attempts }) => attempts.map(({ durationMs }) => durationMs)).sort((a, b) => a - b);
  return {
    pending: count('pending', 'processing'),
    delivered: count('delivered'),
    failed: count('failed'),
    dlq: count('dlq'),
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
    failingSince,
  };
}

/** The deliveries of an hour that have ended, or were tried. */
export interface DeliveryHour {
  hour: Date;
  delivered: number;
  undelivered: number;
}

/** So many hours, up to the current one. */
export const shownHours = 24;
const hourMs = 3_600_000;
/** Deliveries that are counted by hour: the newest. */
const mostCountedByHour = 10_000;

/** How the newest deliveries of the last day went, by the hour in which they were queued; what was not tried yet is left out. */
export async function deliveryHours(ctx: Ctx, webhookId: string): Promise<DeliveryHour[]> {
  await webhook(ctx, webhookId);
  const first = Math.floor(ctx.clock.now().getTime() / hourMs) - shownHours + 1;
  const rows = await ctx.db.webhookDelivery.findMany({
    where: { webhookId, ...createdBetween(new Date(first * hourMs), null), attemptCount: { gt: 0 } },
    orderBy: { id: 'desc' },
    take: mostCountedByHour,
    select: { createdAt: true, status: true },
  });
  const hours = Array.from({ length: shownHours }, (_, n) => ({ hour: new Date((first + n) * hourMs), delivered: 0, undelivered: 0 }));
  for (const { createdAt, status } of rows) {
    const hour = hours[Math.floor(createdAt.getTime() / hourMs) - first];
    if (hour !== undefined) hour[status === 'delivered' ? 'delivered' : 'undelivered'] += 1;
  }
  return hours;
}

/** The smallest of `sorted` that is not below `share` of them; null of none. */
export function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
