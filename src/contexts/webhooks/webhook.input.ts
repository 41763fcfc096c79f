// The inputs of webhooks.
import { z } from 'zod';
import { WebhookStatus } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const WebhookStatusEnum = builder.enumType(WebhookStatus, { name: 'WebhookStatus' });
export const VerificationEnum = builder.enumType('WebhookVerification', { values: ['pending', 'verified'] as const });
const SettableStatusEnum = builder.enumType('SettableWebhookStatus', { values: ['active', 'paused'] as const });
export const RotationStrategyEnum = builder.enumType('RotationStrategy', { values: ['overlap', 'immediate'] as const });
const url = z.string().min(1).max(2_048);
const events = z.array(z.string().min(1).max(100)).min(1).max(100);
const description = z.string().trim().max(500);

export const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  fields: (t) => ({
    url: t.string({
      description: 'Where events are posted: https, port 443 or from 1024 on, a public address.',
      validate: url,
      extensions: { example: 'https://hooks.example.com/payments' },
    }),
    events: t.stringList({
      description: 'Types, wildcards such as `transfer.*`, or `*`.',
      validate: events,
      extensions: { example: ['transfer.*'] },
    }),
    description: t.string({ required: false, validate: description }),
  }),
});
export type CreateWebhookInput = typeof CreateWebhookInput.$inferInput;

export const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  fields: (t) => ({
    url: t.string({ required: false, validate: url }),
    events: t.stringList({ required: false, validate: events }),
    description: t.string({ required: false, validate: description, extensions: { example: 'Of the shop' } }),
    status: t.field({ type: SettableStatusEnum, required: false, description: 'A disabled subscription is made active again here.' }),
  }),
});
export type UpdateWebhookInput = typeof UpdateWebhookInput.$inferInput;

export const RotateSecretInput = builder.inputType('RotateSecretInput', {
  fields: (t) => ({
    strategy: t.field({ type: RotationStrategyEnum, required: false, description: '`overlap`, the default, signs with both for a while.' }),
    overlapSeconds: t.int({
      required: false,
      description: 'How long the old secret still signs: 86400 by default.',
      validate: z.number().min(0).max(604_800),
    }),
  }),
});
export type RotateSecretInput = typeof RotateSecretInput.$inferInput;
