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
    kind: t.expose('kind', { type: RuleKindEnum, description: 'What the rule looks at; it decides which other members are there.' }),
    action: t.expose('action', { wire: { after: 'timezone' }, type: RuleActionEnum }),
    per: t.field({
      type: RulePeriodEnum,
      nullable: true,
      description: 'The window that is counted; null for rules that count in none.',
      resolve: member('per'),
    }),
    amount: t.field({
      type: 'Amount',
      nullable: true,
      description: 'The most that may be spent per window, in `currency`; null for other kinds.',
      resolve: member('amount'),
    }),
    currency: t.field({
      type: 'Currency',
      nullable: true,
      description: 'The currency of the amount; null for other kinds.',
      resolve: member('currency'),
    }),
    count: t.int({ nullable: true, description: 'The most spends per window; null for other kinds.', resolve: member('count') }),
    seconds: t.int({
      nullable: true,
      description: 'Length of the window of `velocity`, in seconds; null for other kinds.',
      resolve: member('seconds'),
    }),
    allow: t.stringList({ nullable: true, description: 'Only these are allowed; null where all are.', resolve: member('allow') }),
    block: t.stringList({ nullable: true, description: 'These are refused; null where none is.', resolve: member('block') }),
    days: t.field({
      type: [WeekdayEnum],
      nullable: true,
      description: 'Days on which the hours begin; null for other kinds.',
      resolve: member('days'),
    }),
    from: t.string({
      nullable: true,
      description: 'First minute of the allowed hours, such as 09:00; null for other kinds.',
      resolve: member('from'),
    }),
    to: t.string({ nullable: true, description: 'End of the allowed hours, such as 17:30; null for other kinds.', resolve: member('to') }),
    timezone: t.string({ nullable: true, description: 'Time zone of the hours; null for other kinds.', resolve: member('timezone') }),
  }),
});
