// What settlement rules give to the process.
import { context } from '../../manifest/context.js';
import { rowStep } from '../../platform/due/step.js';
import { events } from './events.js';
import { settlementListener } from './listener.js';
import { settlementExecution, settlementRule } from './noun.js';
import { stepTimer } from './schedule.js';

export const settlementRules = context({
  nouns: [settlementRule, settlementExecution],
  events: [events],
  due: [rowStep({ table: 'settlement_timer', concurrency: 4, run: stepTimer })],
  listeners: [settlementListener],
});
