// What spend control gives to the process.
import { context } from '../../manifest/context.js';
import { rowStep } from '../../platform/due/step.js';
import { rateKeepers } from '../rates/rate-setting.js';
import { sweepSpendMinutes } from './breaker/breaker.sql.js';
import { breakerListener, inspectAgent } from './breaker/breaker-look.js';
import { events as breakerEvents } from './breaker/events.js';
import { stepCrossing } from './budget/budget-alert.js';
import { events as budgetEvents } from './budget/events.js';
import { events } from './events.js';
import { approval, breakerTrip, budget, decision, policy } from './noun.js';
import { counterpartyListener } from './pipeline/counterparty.sql.js';
import { sweepDecisions } from './pipeline/decision.sql.js';
import { writeRefusals } from './pipeline/refusal-writer.js';
import { requirePersonForRates } from './policy/policy-approver.js';

export const spending = context({
  nouns: [approval, policy, budget, decision, breakerTrip],
  events: [events, budgetEvents, breakerEvents],
  due: [
    rowStep({ table: 'breaker_look', isBookkeeping: true, concurrency: 4, run: inspectAgent }),
    rowStep({ table: 'limit_crossing', isBookkeeping: true, concurrency: 8, run: stepCrossing }),
  ],
  listeners: [counterpartyListener, breakerListener],
  sweeps: [sweepDecisions, sweepSpendMinutes],
  lastWrites: [writeRefusals],
  extensions: [rateKeepers.with(requirePersonForRates)],
});
