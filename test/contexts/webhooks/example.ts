// Subscriptions and deliveries, as tests of every operation need them.
import type { Example } from '../../example.js';
import type { Client } from '../../harness.js';
import type { Seeds } from '../../operation.js';

/** A webhook, one delivery to it, and the event that it carries. */
export async function webhookSeeds(client: Client): Promise<Seeds> {
  const webhook = await client.make('/v1/webhooks', { url: 'https://hooks.example.com/in', events: ['*'] });
  const { delivery_id: delivery, event_id: event } = await client.make(`/v1/webhooks/${webhook.id}/test`, {});
  return { webhook: webhook.id, delivery, event };
}

export const example: Example = { stored: ({ client }) => webhookSeeds(client) };
