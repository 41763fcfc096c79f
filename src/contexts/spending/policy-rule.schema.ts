// The GraphQL face of the rules in a policy. One type has the members of all kinds; which of them belong together is for the kind to say.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { weekdays } from './local-time.js';
import {
  longestList,
  longestVelocitySeconds,
  mostCount,
  type PolicyRule,
  type RuleKind,
  ruleActions,
  ruleKinds,
  rulePeriods,
} from './rule-kind.js';

const RuleKindEnum = builder.enumType('RuleKind', { values: ruleKinds as [RuleKind, ...RuleKind[]] });
const RulePeriodEnum = builder.enumType('RulePeriod', {
  description: 'Windows are UTC hours and days, ISO weeks and months; `tx` is a single spend.',
  values: rulePeriods,
});
export const RuleActionEnum = builder.enumType('RuleAction', {
  description: 'What is done with a spend that the rule does not allow: refused, or held until somebody approves it.',
  values: ruleActions,
});
const WeekdayEnum = builder.enumType('Weekday', { values: weekdays });

type NamesOf<Rule> = Rule extends unknown ? keyof Rule : never;
type ValueOf<Rule, Name> = Rule extends unknown ? (Name extends keyof Rule ? Exclude<Rule[Name], undefined> : never) : never;

/** A member of a rule; null where its kind has none, or it was not given. */
const member =
  <Name extends NamesOf<PolicyRule>>(name: Name) =>
  (rule: PolicyRule): ValueOf<PolicyRule, Name> | null =>
    (rule as { [Key in Name]?: ValueOf<PolicyRule, Name> })[name] ?? null;

export const PolicyRuleType = builder.objectRef<PolicyRule>('PolicyRule').implement({
  description: 'A rule of a policy, with the members of its kind.',
  fields: (t) => ({
    kind: t.expose('kind', { type: RuleKindEnum }),
    action: t.expose('action', { wire: { after: 'timezone' }, type: RuleActionEnum }),
    per: t.field({ type: RulePeriodEnum, nullable: true, resolve: member('per') }),
    amount: t.field({ type: 'Amount', nullable: true, resolve: member('amount') }),
    currency: t.field({ type: 'Currency', nullable: true, resolve: member('currency') }),
    count: t.int({ nullable: true, resolve: member('count') }),
    seconds: t.int({ nullable: true, resolve: member('seconds') }),
    allow: t.stringList({ nullable: true, resolve: member('allow') }),
    block: t.stringList({ nullable: true, resolve: member('block') }),
    days: t.field({ type: [WeekdayEnum], nullable: true, resolve: member('days') }),
    from: t.string({ nullable: true, resolve: member('from') }),
    to: t.string({ nullable: true, resolve: member('to') }),
    timezone: t.string({ nullable: true, resolve: member('timezone') }),
  }),
});

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
