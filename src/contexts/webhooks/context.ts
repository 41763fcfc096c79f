// What webhooks give to the process.

import { context } from '../../manifest/context.js';
import { sealedById, sealedColumns } from '../../platform/secrets/sealed-column.js';
import { deliveryStep } from './attempt.js';
import { attempts, deadLetters, deliveryGauges } from './delivery-metric.js';
import { events } from './events.js';
import { turns } from './gate.js';
import { sweepGates } from './gate.sql.js';
import { attempt, delivery, webhook } from './noun.js';

export const webhooks = context({
  extensions: [
    sealedColumns.with(sealedById('webhook', 'sealed_secret')),
    sealedColumns.with(sealedById('webhook', 'previous_sealed_secret')),
  ],
  nouns: [webhook, delivery, attempt],
  events: [events],
  due: [deliveryStep],
  realTime: [turns],
  metrics: [attempts, deadLetters],
  gauges: [deliveryGauges],
  sweeps: [sweepGates],
});
