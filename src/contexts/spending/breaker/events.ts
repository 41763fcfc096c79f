// The event of the runaway breaker. It is the platform's own: the subscription `approvals` shows it, and no webhook or list does.
import { z } from 'zod';
import { exampleId, exampleTime, id, time } from '../../../events/data.js';
import { declareEvents } from '../../../events/declaration.js';
import { detectorKinds } from './detector.js';

export const { events, emit } = declareEvents({
  '_breaker.tripped': {
    description: 'the runaway breaker tripped for an agent',
    data: z.strictObject({
      trip_id: id('trip'),
      agent_id: id('agt'),
      kind: z.enum(detectorKinds),
      action: z.enum(['freeze', 'approve', 'notify']),
      evidence: z.record(z.string(), z.unknown()),
      at: time,
      ends_at: time,
    }),
    subject: 'trip_id',
    example: {
      trip_id: exampleId('trip'),
      agent_id: exampleId('agt'),
      kind: 'failures',
      action: 'notify',
      evidence: {
        count: 20,
        from: '2026-03-02T09:59:30.000Z',
        to: exampleTime,
        transfer_ids: [],
        codes: { insufficient_balance: 20 },
      },
      at: exampleTime,
      ends_at: '2026-03-02T11:00:00.000Z',
    },
  },
});
