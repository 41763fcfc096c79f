// What webhooks give to the process.
import { context } from '../../manifest/context.js';
import { deliveryStep } from './attempt.js';
import { attempts, deadLetters, deliveryGauges } from './delivery-metric.js';
import { events } from './events.js';
import { turns } from './gate.js';
import { sweepGates } from './gate.sql.js';
import { attempt, delivery, webhook } from './noun.js';

export const webhooks = context({
  nouns: [webhook, delivery, attempt],
  events: [events],
  due: [deliveryStep],
  realTime: [turns],
  metrics: [attempts, deadLetters],
  gauges: [deliveryGauges],
  sweeps: [sweepGates],
});
