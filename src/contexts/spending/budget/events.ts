// What is told when a budget passes one of its alerts: on the channels of the agents that spend under it, and to subscriptions. No
// webhook is sent: SPEC.md has no event of budgets (CONTRACT.md 5 "SSE channel").
import { z } from 'zod';
import { currency, exampleId, exampleTime, id, money, time } from '../../../events/data.js';
import { declareEvents } from '../../../events/declaration.js';
import { text } from '../../../events/personal.js';

/** How far a budget is used, as all of these say it. */
const state = {
  budget_id: id('bud'),
  /** Of `alerts_at`. */
  fraction: z.number().positive().max(1),
  /** What counts: what was paid, and what is held to be paid. */
  spent: money,
  remaining: money,
  resets_at: time.nullable(),
};

export const { events, emit } = declareEvents({
  '_budget.alert': {
    description: 'budget used up to one of its alerts',
    data: z.strictObject({ ...state, name: text, amount: money, currency }),
    subject: 'budget_id',
    example: {
      budget_id: exampleId('bud'),
      name: 'Research',
      fraction: 0.8,
      amount: '100.00',
      spent: '82.50',
      remaining: '17.50',
      currency: 'USD',
      resets_at: exampleTime,
    },
    channel: {
      type: 'budget_alert',
      data: z.strictObject(state),
      roles: ['spender'],
      line: ({ budget_id, fraction, spent, remaining, resets_at }) => ({ budget_id, fraction, spent, remaining, resets_at }),
    },
  },
});
