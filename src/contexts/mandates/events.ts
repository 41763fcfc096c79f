// The events of mandates (CONTRACT.md 7). That one was executed is told by the transfer that did it.
import { z } from 'zod';
import { anyId, exampleId, exampleTime, id, time } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import { text } from '../../events/personal.js';

const created = z.strictObject({
  mandate_id: id('ap2_mnd'),
  account_id: id('acc'),
  agent_id: id('agt'),
  status: z.literal('active'),
  scope: z.record(z.string(), z.unknown()),
  expires_at: time,
});
const revoked = created.omit({ scope: true, expires_at: true }).extend({
  status: z.literal('revoked'),
  reason: text.nullable(),
  revoked_by: z.union([anyId, z.enum(['portal', 'system'])]),
  revoked_at: time,
});
const mandate = { mandate_id: exampleId('ap2_mnd'), account_id: exampleId('acc'), agent_id: exampleId('agt') };
const subject = 'mandate_id';

export const { events, emit } = declareEvents({
  'ap2.mandate.created': {
    description: 'mandate signed and issued',
    data: created,
    subject,
    example: { ...mandate, status: 'active', scope: { max_per_tx: '50.00', currency: 'USD' }, expires_at: '2026-06-02T10:00:00.000Z' },
  },
  'ap2.mandate.revoked': {
    description: 'mandate revoked',
    data: revoked,
    subject,
    example: { ...mandate, status: 'revoked', reason: 'no longer needed', revoked_by: exampleId('key'), revoked_at: exampleTime },
  },
});
