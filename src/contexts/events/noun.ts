// What events are to everybody else.
import { defineNoun } from '../../manifest/noun.js';

export const event = defineNoun({
  id: { kind: 'event', prefix: 'evt', wire: 'prefixed' },
  scope: 'webhooks:read',
  table: 'event',
  settling: {
    from: 'outbox',
    id: 'coalesce(event_ids[1], operation_ids[1])',
    status: `'unpublished'`,
    where: 'cardinality(event_ids) + cardinality(operation_ids) > 0',
  },
});
