// What subscriptions, deliveries and attempts are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { stepWebhook } from './verification.js';
import { deleteWebhook, webhookLifecycle } from './webhook.js';

export const webhook = defineNoun({
  id: { kind: 'webhook', prefix: 'wh', wire: 'prefixed' },
  scope: 'webhooks:read',
  table: 'webhook',
  lifecycle: webhookLifecycle,
  // Endpoints of one workspace that do not answer hold up its own challenges alone.
  due: { concurrency: 32, run: stepWebhook, lane: { column: 'workspace_id', concurrency: 8 } },
  reset: [
    resetStep({
      stage: 'setting',
      rows: ({ db }, most) => db.webhook.findMany({ where: { deletedAt: null }, ...newestRows(most) }),
      end: (ctx, { id }) => deleteWebhook(ctx, id),
    }),
  ],
});

export const delivery = defineNoun({
  id: { kind: 'delivery', prefix: 'dlv', wire: 'prefixed' },
  scope: 'webhooks:read',
  table: 'webhook_delivery',
  settling: { where: 'due_at IS NOT NULL' },
});

export const attempt = defineNoun({ id: { kind: 'attempt', prefix: 'del', wire: 'prefixed' }, scope: 'webhooks:read' });
