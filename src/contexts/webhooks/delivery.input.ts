// The inputs of deliveries of webhooks.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

const eventType = z.string().min(1).max(100);

export const TestWebhookInput = builder.inputType('TestWebhookInput', {
  description: 'The event to test with.',
  fields: (t) => ({
    eventType: t.string({
      required: false,
      description: 'An example of this type is sent; `webhook.test` by default.',
      validate: eventType,
    }),
  }),
});

export const ReplayWebhookInput = builder.inputType('ReplayWebhookInput', {
  description: 'Which events are sent again.',
  fields: (t) => ({
    since: t.field({ type: 'DateTime', description: 'First instant of the period.' }),
    until: t.field({ type: 'DateTime', required: false, description: 'End of the period; now by default.' }),
    eventTypes: t.stringList({
      required: false,
      description: 'Only these types; all that the subscription names by default.',
      validate: z.array(eventType).min(1).max(100),
    }),
    onlyFailed: t.boolean({ required: false, description: 'True, the default: only what ended in the dead-letter queue.' }),
    overrideUrl: t.string({
      required: false,
      description: 'Sandbox only: send to this address instead.',
      validate: z.string().min(1).max(2_048),
    }),
  }),
});
export type ReplayWebhookInput = typeof ReplayWebhookInput.$inferInput;
