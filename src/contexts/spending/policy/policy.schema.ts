// The GraphQL face of policies. Agents see none of it: what binds them, and what is left of it, they read among their limits.
import type { PolicyTarget } from '../../../generated/prisma/enums.js';
import { NotFound } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import type { PolicyApproval } from '../pipeline/rule-kind.js';
import { rest } from '../rest.js';
import { CreatePolicyInput, mostPolicyRules, PolicyTargetEnum, UpdatePolicyInput } from './policy.input.js';
import { approvalRuleOf, createPolicy, deletePolicy, mostPolicies, policies, policy, rulesOf, updatePolicy } from './policy.js';
import { PolicyRuleType } from './policy-rule.schema.js';

const Target = builder.objectRef<{ targetType: PolicyTarget; targetId: string | null }>('PolicyTarget').implement({
  description: 'Whose spends a policy binds.',
  fields: (t) => ({
    type: t.expose('targetType', { type: PolicyTargetEnum }),
    id: t.exposeString('targetId', { nullable: true, description: 'The UUID of the account, agent or wallet; null for the tenant.' }),
  }),
});

const ApprovalRule = builder.objectRef<PolicyApproval>('PolicyApproval').implement({
  description: 'From which amount on a spend has to be approved.',
  fields: (t) => ({
    threshold: t.expose('threshold', { type: 'Amount', description: 'A spend above it waits for an approval, an equal one does not.' }),
    currency: t.expose('currency', { type: 'Currency' }),
    timeoutSeconds: t.exposeInt('timeoutSeconds', { description: 'How long an approval that this policy asks for waits.' }),
  }),
});

const Policy = builder.prismaObject('Policy', {
  description: 'Rules for the spends of a target. All policies that bind a spend have to let it pass.',
  fields: (t) => ({
    id: t.expose('id', { type: 'PolicyId' }),
    version: t.exposeInt('version', { description: 'Grows with each change; decisions name it.' }),
    name: t.exposeString('name'),
    target: t.field({ type: Target, resolve: (row) => row }),
    rules: t.field({ type: [PolicyRuleType], ...facts({ most: mostPolicyRules }), resolve: rulesOf }),
    approval: t.field({ type: ApprovalRule, nullable: true, resolve: approvalRuleOf }),
    enabled: t.exposeBoolean('enabled'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const PolicyPage = pageOf(Policy, 'Policy');

const DeletedPolicy = builder.objectRef<{ id: string }>('DeletedPolicy').implement({
  fields: (t) => ({ id: t.expose('id', { type: 'PolicyId' }), deleted: t.boolean({ resolve: () => true }) }),
});

builder.queryFields((t) => ({
  policy: t.prismaField({
    route: rest('GET /v1/policies/{id}', 'Read a policy.'),
    type: Policy,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'PolicyId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => policy(ctx, id, query),
  }),
  policies: t.field({
    route: rest('GET /v1/policies', 'List policies.'),
    type: PolicyPage,
    authScopes: { audience: 'operator' },
    ...facts({ most: mostPolicies }),
    ...listed(t, policies, {
      targetType: t.arg({ type: PolicyTargetEnum, required: false }),
      targetId: t.arg.string({ required: false, description: 'An account, an agent or a wallet.' }),
      enabled: t.arg.boolean({ required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createPolicy: t.field({
    route: rest('POST /v1/policies', 'Make a policy: rules for the spends of the workspace, an account, an agent or a wallet.', {
      status: 201,
    }),
    type: Policy,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: CreatePolicyInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { input }) => createPolicy(ctx, input), policy),
  }),
  updatePolicy: t.field({
    route: rest('PATCH /v1/policies/{id}', 'Change a policy. What its rules have used stays.'),
    type: Policy,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'PolicyId' }), input: t.arg({ type: UpdatePolicyInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id, input }) => updatePolicy(ctx, { ...input, id }), policy),
  }),
  deletePolicy: t.field({
    route: rest('DELETE /v1/policies/{id}', 'End a policy.'),
    type: DeletedPolicy,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'PolicyId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { id }) => deletePolicy(ctx, id),
      async (_ctx, reference) => ({ id: reference }) as never,
    ),
  }),
}));
