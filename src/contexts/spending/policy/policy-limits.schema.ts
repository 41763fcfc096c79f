// The GraphQL face of what policies leave an agent.
import { builder, facts } from '../../../platform/schema/builder.js';
import { AgentLimitsType } from './kya-limit.schema.js';
import { mostPolicyLimits, type PolicyLimit, policyLimits } from './policy-limits.js';
import { RuleActionEnum } from './policy-rule.input.js';

const PolicyLimitType = builder.objectRef<PolicyLimit>('PolicyLimit').implement({
  description: 'A counting rule of a policy that binds an agent, and what is left of it.',
  fields: (t) => ({
    policyId: t.expose('policyId', { type: 'PolicyId', description: 'The policy.' }),
    name: t.exposeString('name', { description: 'Name of the policy.' }),
    ruleId: t.exposeString('ruleId', { description: 'The rule of the policy.' }),
    kind: t.exposeString('kind', { description: '`max_amount`, `max_count` or `velocity`.' }),
    per: t.exposeString('per', { description: '`tx`, `hour`, `day`, `week`, `month`, or a number of seconds such as `90s`.' }),
    currency: t.expose('currency', {
      type: 'Currency',
      nullable: true,
      description: 'The currency of the figures; null for a rule that counts spends.',
    }),
    max: t.exposeString('max', {
      nullable: true,
      description: 'The limit: an amount, or a number of spends. Null for an agent where the limit is shared with others.',
    }),
    used: t.exposeString('used', {
      nullable: true,
      description: 'What was used in the present window: an amount, or a number of spends. Null like `max`.',
    }),
    remaining: t.exposeString('remaining', { description: 'What is left in the present window: an amount, or a number of spends.' }),
    resetsAt: t.expose('resetsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next window begins; null for a limit of one spend.',
    }),
    action: t.expose('action', { type: RuleActionEnum }),
  }),
});

builder.objectField(AgentLimitsType, 'policies', (t) =>
  t.field({
    wire: { after: 'kya' },
    type: [PolicyLimitType],
    description: 'Counting rules of the policies that bind it: of the workspace, the account, the agent and its wallets.',
    ...facts({ most: mostPolicyLimits }),
    resolve: ({ agentId }, _args, ctx) => policyLimits(ctx, agentId),
  }),
);
