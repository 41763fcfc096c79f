// The inputs of deliveries of webhooks.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

const eventType = z.string().min(1).max(100);

export const TestWebhookInput = builder.inputType('TestWebhookInput', {
  fields: (t) => ({
    eventType: t.string({ required: false, description: '`webhook.test` by default; else an example of that type.', validate: eventType }),
  }),
});

export const ReplayWebhookInput = builder.inputType('ReplayWebhookInput', {
  fields: (t) => ({
    since: t.field({ type: 'DateTime' }),
    until: t.field({ type: 'DateTime', required: false }),
    eventTypes: t.stringList({ required: false, validate: z.array(eventType).min(1).max(100) }),
    onlyFailed: t.boolean({ required: false, description: 'True, the default: only what ended in the dead-letter queue.' }),
    overrideUrl: t.string({ required: false, description: 'Sandbox only: where to, instead.', validate: z.string().min(1).max(2_048) }),
  }),
});
export type ReplayWebhookInput = typeof ReplayWebhookInput.$inferInput;
