// The inputs of policy rules.
import { z } from 'zod';
import { builder } from '../../../platform/schema/builder.js';
import { weekdays } from '../pipeline/local-time.js';
import {
  longestList,
  longestVelocitySeconds,
  mostCount,
  type RuleKind,
  ruleActions,
  ruleKinds,
  rulePeriods,
} from '../pipeline/rule-kind.js';

export const RuleKindEnum = builder.enumType('RuleKind', {
  description:
    'What a rule looks at: amounts, numbers of spends, merchants, categories, protocols, payees, hours of the day, or payees that were never paid before.',
  values: ruleKinds as [RuleKind, ...RuleKind[]],
});
export const RulePeriodEnum = builder.enumType('RulePeriod', {
  description: '`tx`: one spend. `hour`, `day`, `week` (ISO) and `month`: windows in UTC.',
  values: rulePeriods,
});
export const RuleActionEnum = builder.enumType('RuleAction', {
  description: 'What happens to a spend that the rule does not allow: `deny` refuses it, `approve` holds it for an approval.',
  values: ruleActions,
});
export const WeekdayEnum = builder.enumType('Weekday', { description: 'A day of the week.', values: weekdays });
const names = z.array(z.string().min(1).max(100)).min(1).max(longestList);
const text = z.string().max(64);

export const PolicyRuleInput = builder.inputType('PolicyRuleInput', {
  description:
    'A rule. By kind: max_amount {per, amount, currency}; max_count {per, count}; velocity {count, seconds}; merchants, categories and ' +
    'counterparties {allow, block}; protocols {allow}; hours {days, from, to, timezone}; new_counterparty. Any other member is refused.',
  extensions: { example: { kind: 'max_amount', per: 'day', amount: '500.00', currency: 'USD' } },
  fields: (t) => ({
    kind: t.field({ type: RuleKindEnum, description: 'What the rule looks at; it decides which other members are taken.' }),
    action: t.field({
      type: RuleActionEnum,
      required: false,
      description: '`deny`, the default, refuses the spend; `approve` holds it for an approval.',
    }),
    per: t.field({ type: RulePeriodEnum, required: false, description: 'The window that is counted, for `max_amount` and `max_count`.' }),
    amount: t.field({ type: 'Amount', required: false, description: 'The most that may be spent per window, in `currency`.' }),
    currency: t.field({
      type: 'Currency',
      required: false,
      description: 'The currency of the amount; spends in others are converted, rounded up.',
    }),
    count: t.int({ required: false, description: 'The most spends per window.', validate: z.int().min(1).max(mostCount) }),
    seconds: t.int({
      required: false,
      description: 'Length of the window of `velocity`, in seconds.',
      validate: z.int().min(1).max(longestVelocitySeconds),
    }),
    allow: t.stringList({
      required: false,
      description: 'Only these are allowed. Merchants and payees (accounts, agents, wallets) are named by id.',
      validate: names,
    }),
    block: t.stringList({ required: false, description: 'These are refused, also where they are allowed too.', validate: names }),
    days: t.field({ type: [WeekdayEnum], required: false, description: 'Days on which the hours begin; every day by default.' }),
    from: t.string({
      required: false,
      description: 'First minute of the allowed hours, such as 09:00. After `to` the hours go past midnight.',
      validate: text,
    }),
    to: t.string({
      required: false,
      description: 'End of the allowed hours, such as 17:30 or 24:00; that minute is not allowed any more.',
      validate: text,
    }),
    timezone: t.string({ required: false, description: 'Time zone of the hours, such as Europe/Berlin; UTC by default.', validate: text }),
  }),
});
export type PolicyRuleInput = typeof PolicyRuleInput.$inferInput;
