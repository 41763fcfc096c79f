// The GraphQL face of what policies leave an agent.
import { builder, facts } from '../../../platform/schema/builder.js';
import { AgentLimitsType } from './kya-limit.schema.js';
import { mostPolicyLimits, type PolicyLimit, policyLimits } from './policy-limits.js';
import { RuleActionEnum } from './policy-rule.input.js';

const figure = 'An amount, or a number of spends.';
const hidden = 'An agent reads it of policies for itself and its wallets.';

const PolicyLimitType = builder.objectRef<PolicyLimit>('PolicyLimit').implement({
  description: 'A rule of a policy that binds an agent, and what is left of it.',
  fields: (t) => ({
    policyId: t.expose('policyId', { type: 'PolicyId' }),
    name: t.exposeString('name', { description: 'Of the policy.' }),
    ruleId: t.exposeString('ruleId'),
    kind: t.exposeString('kind', { description: 'max_amount, max_count or velocity.' }),
    per: t.exposeString('per', { description: 'tx, hour, day, week, month, or a number of seconds such as 90s.' }),
    currency: t.expose('currency', { type: 'Currency', nullable: true, description: 'Null for a rule that counts spends.' }),
    max: t.exposeString('max', { nullable: true, description: `${figure} ${hidden}` }),
    used: t.exposeString('used', { nullable: true, description: `${figure} ${hidden}` }),
    remaining: t.exposeString('remaining', { description: figure }),
    resetsAt: t.expose('resetsAt', { type: 'DateTime', nullable: true }),
    action: t.expose('action', { type: RuleActionEnum }),
  }),
});

builder.objectField(AgentLimitsType, 'policies', (t) =>
  t.field({
    wire: { after: 'kya' },
    type: [PolicyLimitType],
    description: 'What policies leave: of the workspace, the account, the agent and its wallets.',
    ...facts({ most: mostPolicyLimits }),
    resolve: ({ agentId }, _args, ctx) => policyLimits(ctx, agentId),
  }),
);
