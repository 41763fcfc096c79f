// The dead-letter queue, and the end of a subscription whose endpoint only fails (CONTRACT.md 16).
import type { Prisma, Webhook } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/database.js';
import { emit } from '../../platform/events.js';
import { printId } from '../../platform/ids.js';
import type { DueRow } from './delivery.sql.js';
import type { Recipient, Recipients } from './recipient.js';

/** A delivery with what a send needs. Letters of one subscription share it, letters of one event share its bytes. */
export interface Letter extends DueRow {
  webhook: Recipient;
  /** Those of its batch. */
  recipients: Recipients;
  body: Buffer;
}

/** A subscription is disabled when so many deliveries in a row were buried, or when it has only failed for so long. */
const mostDlqInARow = 20;
const longestFailureSeconds = 5 * 86_400;

/**
 * Puts a delivery into the dead-letter queue. Tells of it with webhook.dlq, but for a webhook.dlq itself, and but for a subscription
 * that its owner or the platform has stopped (Gap G-72).
 */
export async function buryDelivery(
  ctx: Ctx,
  tx: Tx,
  letter: Letter,
  data: Prisma.WebhookDeliveryUpdateManyMutationInput & { dlqReason: string | null },
  tally: Tally,
): Promise<void> {
  const dlqAt = ctx.clock.now();
  const { count } = await tx.webhookDelivery.updateMany({ where: unsettled(letter), data: { ...data, status: 'dlq', dlqAt, dueAt: null } });
  if (count === 0 || data.dlqReason?.startsWith('subscription_')) return;
  if (letter.eventType !== 'webhook.dlq') {
    const row = await tx.webhookDelivery.findFirstOrThrow({ where: { id: letter.id } });
    const told = {
      delivery_id: printId('delivery', row.id),
      event_id: printId('event', row.eventId),
      event_type: row.eventType,
      webhook_id: printId('webhook', row.webhookId),
      url: row.overrideUrl ?? letter.webhook.url,
      attempts: row.attemptCount,
      last_response_code: row.lastResponseCode,
      last_error: row.lastError,
      first_attempt_at: row.firstAttemptAt?.toISOString() ?? null,
      dlq_at: dlqAt.toISOString(),
    };
    await emit(ctx, tx, 'webhook.dlq', told, { objectId: row.id });
  }
  tally.buried += 1;
}

/** A delivery as it was when it was loaded: what another process has settled since is not touched. */
export function unsettled({ id, attemptCount }: Letter): Prisma.WebhookDeliveryWhereInput {
  return { id, status: 'processing', attemptCount };
}

/** What a group of sends did to a subscription. */
export interface Tally {
  arrived: boolean;
  failed: number;
  buried: number;
}

/** Counts what failed since the last arrival, and disables the subscription when that is enough. */
export async function noteTally(ctx: Ctx, tx: Tx, webhookId: string, { arrived, failed, buried }: Tally): Promise<void> {
  const now = ctx.clock.now();
  if (arrived) {
    await tx.webhook.updateMany({
      where: { id: webhookId, OR: [{ dlqInARow: { gt: 0 } }, { failingSince: { not: null } }] },
      data: { dlqInARow: 0, failingSince: null },
    });
    return;
  }
  if (failed + buried === 0) return;
  await tx.webhook.updateMany({ where: { id: webhookId, failingSince: null }, data: { failingSince: now } });
  const webhook = await tx.webhook.update({ where: { id: webhookId }, data: { dlqInARow: { increment: buried } } });
  if (webhook.status !== 'active' || webhook.deletedAt !== null) return;
  const reason = reasonToDisable(webhook, now);
  if (reason === undefined) return;
  await tx.webhook.update({
    where: { id: webhookId },
    data: { status: 'disabled', disabledAt: now, disabledReason: reason, updatedAt: now },
  });
  const told = {
    webhook_id: printId('webhook', webhookId),
    url: webhook.url,
    reason,
    failing_since: webhook.failingSince?.toISOString() ?? null,
    disabled_at: now.toISOString(),
  };
  await emit(ctx, tx, 'webhook.disabled', told, { objectId: webhookId });
}

function reasonToDisable({ dlqInARow, failingSince }: Webhook, now: Date): string | undefined {
  if (dlqInARow >= mostDlqInARow) return `${dlqInARow} deliveries in a row went to the dead-letter queue`;
  if (failingSince !== null && failingSince <= addSeconds(now, -longestFailureSeconds)) return 'every delivery has failed for 5 days';
  return undefined;
}
