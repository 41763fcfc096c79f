// The event of a rule whose action is to notify. The specification names none that says it.
import { z } from 'zod';
import { currency, exampleId, id, money } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import { text } from '../../events/personal.js';

// Gap G-206: The action notify emits `settlement_rule.notified`, a type of our own; no rule may listen to it.
export const { events, emit } = declareEvents({
  'settlement_rule.notified': {
    description: 'a settlement rule fired whose action is notify',
    data: z.strictObject({
      rule_id: id('srl'),
      execution_id: id('exe'),
      name: text,
      trigger: z.string(),
      message: text.nullable(),
      wallet_id: id('wal'),
      available: money,
      currency,
    }),
    subject: 'rule_id',
    example: {
      rule_id: exampleId('srl'),
      execution_id: exampleId('exe'),
      name: 'Tell us',
      trigger: 'balance_threshold',
      message: 'The till is full.',
      wallet_id: exampleId('wal'),
      available: '1000.00',
      currency: 'USD',
    },
  },
});
