// The dead-letter queue, and the end of a subscription whose endpoint only fails (CONTRACT.md 16).

import type { Prisma, Webhook } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rowKey } from '../../platform/postgres/row.js';
import { printId } from '../../platform/schema/id.js';
import { deadLetters } from './delivery-metric.js';
import { type DueDelivery, unsettled } from './due-delivery.js';
import { emit } from './events.js';

/** A subscription is disabled when so many deliveries in a row went to the dead-letter queue, or when it has only failed for so long. */
const mostDlqInARow = 20;
const longestFailureSeconds = 5 * 86_400;

// Gap G-83: No webhook.dlq for a webhook.dlq itself, nor for a subscription that was disabled or deleted.
/**
 * Moves a delivery to the dead-letter queue and emits webhook.dlq; not for a webhook.dlq itself, and not for a subscription that its owner
 * or the platform has stopped.
 */
export async function moveToDeadLetters(
  ctx: Ctx,
  tx: Tx,
  delivery: DueDelivery,
  data: Prisma.WebhookDeliveryUpdateManyMutationInput & { dlqReason: string | null },
  tally: Tally,
): Promise<void> {
  const dlqAt = ctx.clock.now();
  const { count } = await tx.webhookDelivery.updateMany({
    where: unsettled(delivery),
    data: { ...data, status: 'dlq', dlqAt, dueAt: null },
  });
  if (count === 0) return;
  deadLetters.inc({ reason: data.dlqReason ?? 'unknown' });
  if (data.dlqReason?.startsWith('subscription_')) return;
  if (delivery.eventType !== 'webhook.dlq') {
    const row = await tx.webhookDelivery.findFirstOrThrow({ where: { id: delivery.id } });
    const dead = {
      delivery_id: printId('delivery', row.id),
      event_id: printId('event', row.eventId),
      event_type: row.eventType,
      webhook_id: printId('webhook', row.webhookId),
      url: row.overrideUrl ?? delivery.webhook.url,
      attempts: row.attemptCount,
      last_response_code: row.lastResponseCode,
      last_error: row.lastError,
      first_attempt_at: row.firstAttemptAt?.toISOString() ?? null,
      dlq_at: dlqAt.toISOString(),
    };
    await emit(ctx, tx, 'webhook.dlq', dead, { objectId: row.id });
  }
  tally.dead += 1;
}

/** What a group of sends did to a subscription. */
export interface Tally {
  arrived: boolean;
  failed: number;
  dead: number;
  /** It was answered that nobody wants deliveries there any more. */
  isGone: boolean;
  /** What the last of them failed for. */
  lastError?: string;
}

/** Counts what failed since the last arrival, and disables the subscription when that is enough. */
export async function noteTally(ctx: Ctx, tx: Tx, webhookId: string, { arrived, failed, dead, isGone, lastError }: Tally): Promise<void> {
  const now = ctx.clock.now();
  if (arrived && !isGone) {
    await tx.webhook.updateMany({
      where: { id: webhookId, OR: [{ dlqInARow: { gt: 0 } }, { failingSince: { not: null } }] },
      data: { dlqInARow: 0, failingSince: null },
    });
    return;
  }
  if (failed + dead === 0) return;
  await tx.webhook.updateMany({ where: { id: webhookId, failingSince: null }, data: { failingSince: now } });
  const webhook = await tx.webhook.update({ where: rowKey(ctx, webhookId), data: { dlqInARow: { increment: dead } } });
  if (webhook.status !== 'active' || webhook.deletedAt !== null) return;
  const why = isGone ? 'its endpoint is gone' : reasonToDisable(webhook, now);
  if (why === undefined) return;
  const reason = lastError === undefined ? why : `${why}; the last error: ${lastError}`;
  await tx.webhook.update({
    where: rowKey(ctx, webhookId),
    data: { status: 'disabled', disabledAt: now, disabledReason: reason, dueAt: now, updatedAt: now },
  });
  const disabled = {
    webhook_id: printId('webhook', webhookId),
    url: webhook.url,
    reason,
    failing_since: webhook.failingSince?.toISOString() ?? null,
    disabled_at: now.toISOString(),
  };
  await emit(ctx, tx, 'webhook.disabled', disabled, { objectId: webhookId });
}

function reasonToDisable({ dlqInARow, failingSince }: Webhook, now: Date): string | undefined {
  if (dlqInARow >= mostDlqInARow) return `${dlqInARow} deliveries in a row went to the dead-letter queue`;
  if (failingSince !== null && failingSince <= addSeconds(now, -longestFailureSeconds)) return 'every delivery has failed for 5 days';
  return undefined;
}
