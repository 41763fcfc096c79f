// The GraphQL face of the rules in a policy. One type has the members of all kinds; which of them belong together is for the kind to say.
import { builder } from '../../../platform/schema/builder.js';
import type { PolicyRule } from '../pipeline/rule-kind.js';
import { RuleActionEnum, RuleKindEnum, RulePeriodEnum, WeekdayEnum } from './policy-rule.input.js';

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
