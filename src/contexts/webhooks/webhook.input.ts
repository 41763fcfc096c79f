// The inputs of webhooks.
import { z } from 'zod';
import { WebhookStatus } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const WebhookStatusEnum = builder.enumType(WebhookStatus, {
  name: 'WebhookStatus',
  description: '`active`: events are sent. `paused`: stopped by you. `disabled`: stopped by the platform after too many failures.',
});
export const VerificationEnum = builder.enumType('WebhookVerification', {
  description: '`pending`: the endpoint has not proved itself. `verified`: it has.',
  values: ['pending', 'verified'] as const,
});
const SettableStatusEnum = builder.enumType('SettableWebhookStatus', {
  description: 'The statuses that you can set.',
  values: ['active', 'paused'] as const,
});
export const RotationStrategyEnum = builder.enumType('RotationStrategy', {
  description: '`overlap`: both secrets sign for a while. `immediate`: only the new one signs.',
  values: ['overlap', 'immediate'] as const,
});
const url = z.string().min(1).max(2_048);
const events = z.array(z.string().min(1).max(100)).min(1).max(100);
const description = z.string().trim().max(500);

export const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'A new webhook subscription.',
  fields: (t) => ({
    url: t.string({
      description: 'Where events are sent: https, a public address, port 443 or from 1024 on.',
      validate: url,
      extensions: { example: 'https://hooks.example.com/payments' },
    }),
    events: t.stringList({
      description: 'Event types, wildcards such as `transfer.*`, or `*`.',
      validate: events,
      extensions: { example: ['transfer.*'] },
    }),
    description: t.string({ required: false, description: 'Your own text about the subscription.', validate: description }),
  }),
});
export type CreateWebhookInput = typeof CreateWebhookInput.$inferInput;

export const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'Changes of a webhook subscription. A member that is left out stays as it is.',
  fields: (t) => ({
    url: t.string({ required: false, description: 'New address; the endpoint then has to prove itself again.', validate: url }),
    events: t.stringList({ required: false, description: 'New event types, which replace those before.', validate: events }),
    description: t.string({
      required: false,
      description: 'New text; null removes it.',
      validate: description,
      extensions: { example: 'Of the shop' },
    }),
    status: t.field({
      type: SettableStatusEnum,
      required: false,
      description: '`paused` stops it; `active` starts it again, also after the platform disabled it.',
    }),
  }),
});
export type UpdateWebhookInput = typeof UpdateWebhookInput.$inferInput;

export const RotateSecretInput = builder.inputType('RotateSecretInput', {
  description: 'How a secret is replaced.',
  fields: (t) => ({
    strategy: t.field({
      type: RotationStrategyEnum,
      required: false,
      description: '`overlap`, the default, signs with both secrets for a while; `immediate` only with the new one.',
    }),
    overlapSeconds: t.int({
      required: false,
      description: 'Seconds for which the old secret still signs, at most 604800; 86400 by default.',
      validate: z.number().min(0).max(604_800),
    }),
  }),
});
export type RotateSecretInput = typeof RotateSecretInput.$inferInput;
