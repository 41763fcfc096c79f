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

export const RuleKindEnum = builder.enumType('RuleKind', { values: ruleKinds as [RuleKind, ...RuleKind[]] });
export const RulePeriodEnum = builder.enumType('RulePeriod', {
  description: 'Windows are UTC hours and days, ISO weeks and months; `tx` is a single spend.',
  values: rulePeriods,
});
export const RuleActionEnum = builder.enumType('RuleAction', {
  description: 'What is done with a spend that the rule does not allow: refused, or held until somebody approves it.',
  values: ruleActions,
});
export const WeekdayEnum = builder.enumType('Weekday', { values: weekdays });
const names = z.array(z.string().min(1).max(100)).min(1).max(longestList);
const text = z.string().max(64);

export const PolicyRuleInput = builder.inputType('PolicyRuleInput', {
  description:
    'A rule. By kind: max_amount {per, amount, currency}; max_count {per, count}; velocity {count, seconds}; merchants, categories and ' +
    'counterparties {allow, block}; protocols {allow}; hours {days, from, to, timezone}; new_counterparty. Any other member is refused.',
  extensions: { example: { kind: 'max_amount', per: 'day', amount: '500.00', currency: 'USD' } },
  fields: (t) => ({
    kind: t.field({ type: RuleKindEnum }),
    action: t.field({ type: RuleActionEnum, required: false, description: '`deny` by default.' }),
    per: t.field({ type: RulePeriodEnum, required: false }),
    amount: t.field({ type: 'Amount', required: false, description: 'The most that may be spent per period.' }),
    currency: t.field({ type: 'Currency', required: false, description: 'Spends in another one are converted, rounded up.' }),
    count: t.int({ required: false, description: 'The most spends.', validate: z.int().min(1).max(mostCount) }),
    seconds: t.int({ required: false, description: 'The length of a window.', validate: z.int().min(1).max(longestVelocitySeconds) }),
    allow: t.stringList({
      required: false,
      description: 'What alone is allowed. Merchants and counterparties (accounts, agents, wallets) are named by their ids.',
      validate: names,
    }),
    block: t.stringList({ required: false, description: 'What is refused.', validate: names }),
    days: t.field({ type: [WeekdayEnum], required: false, description: 'Days on which the hours begin: all by default.' }),
    from: t.string({
      required: false,
      description: 'The first minute, such as 09:00. After `to`, the hours go over midnight.',
      validate: text,
    }),
    to: t.string({ required: false, description: 'The minute after the last, such as 17:30 or 24:00.', validate: text }),
    timezone: t.string({ required: false, description: 'Such as Europe/Berlin; UTC by default.', validate: text }),
  }),
});
export type PolicyRuleInput = typeof PolicyRuleInput.$inferInput;
