// The events of webhooks (SPEC.md "Event types and data"), and webhook.disabled, which is ours.
import { z } from 'zod';
import { count, exampleId, exampleTime, id, time } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import { text } from '../../events/personal.js';

// Gap G-74: `webhook.disabled` is emitted when a subscription is disabled.
export const { events, emit } = declareEvents({
  // Written for one subscription alone by test-delivery.ts.
  'webhook.test': {
    description: 'test delivery requested',
    data: z.strictObject({ message: z.string(), endpoint_id: id('wh'), endpoint_name: z.string() }),
    subject: 'endpoint_id',
    example: { message: 'A test of this endpoint.', endpoint_id: exampleId('wh'), endpoint_name: 'Orders' },
  },
  // Posted by verification.ts, unsigned and whatever a subscription names; it is no event of a workspace.
  'webhook.verification': {
    description:
      'challenge that an endpoint proves itself by: answer {"challenge": …}, or the challenge as text. Not signed, and sent to every new endpoint whatever it subscribes to',
    data: z.strictObject({ challenge: z.string() }),
    subject: 'challenge',
    example: { challenge: 'k3Jq0uFZ4sO1mT7wYb9xVd2eRc6hNa5L.9f2c4b1a7d6e5f3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0918273645f' },
  },
  'webhook.dlq': {
    description: 'delivery exhausted retries',
    data: z.strictObject({
      delivery_id: id('dlv'),
      event_id: id('evt'),
      event_type: z.string(),
      webhook_id: id('wh'),
      url: z.string(),
      attempts: count,
      last_response_code: z.int().nullable(),
      last_error: text.nullable(),
      first_attempt_at: time.nullable(),
      dlq_at: time,
    }),
    subject: 'delivery_id',
    example: {
      delivery_id: exampleId('dlv'),
      event_id: exampleId('evt'),
      event_type: 'transfer.completed',
      webhook_id: exampleId('wh'),
      url: 'https://example.com/hook',
      attempts: 5,
      last_response_code: 500,
      last_error: null,
      first_attempt_at: '2026-03-02T08:39:00.000Z',
      dlq_at: exampleTime,
    },
  },
  'webhook.disabled': {
    description: 'subscription disabled after failures',
    data: z.strictObject({
      webhook_id: id('wh'),
      url: z.string(),
      reason: z.string(),
      failing_since: time.nullable(),
      disabled_at: time,
    }),
    subject: 'webhook_id',
    example: {
      webhook_id: exampleId('wh'),
      url: 'https://example.com/hook',
      reason: '20 deliveries in a row went to the dead-letter queue',
      failing_since: '2026-02-25T10:00:00.000Z',
      disabled_at: exampleTime,
    },
  },
});
