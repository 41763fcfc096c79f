// What is told when the money of a stream runs out: on the channels of the agents on both sides, and to subscriptions. No webhook is
// sent: SPEC.md announces most stream.* events as not emitted (CONTRACT.md 3 "Alerts").
import { z } from 'zod';
import { count, exampleId, id } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';

const data = z.strictObject({
  stream_id: id('str'),
  severity: z.enum(['warning', 'critical', 'exhausted']),
  /** For how long the money lasts. */
  runway_seconds: count,
});

export const { events, emit } = declareEvents({
  '_stream.alert': {
    description: 'money of a stream about to be used up',
    data,
    subject: 'stream_id',
    example: { stream_id: exampleId('str'), severity: 'warning', runway_seconds: 86_400 },
    channel: { type: 'stream_alert', data, roles: ['payer', 'payee'], line: (alert) => alert },
  },
});
