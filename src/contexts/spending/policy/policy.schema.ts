// The GraphQL face of policies. Agents see none of it: what binds them, and what is left of it, they read among their limits.

import type { PolicyTarget } from '../../../generated/prisma/enums.js';
import { NotFound } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { PeopleOnly } from '../../../platform/person.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import { byId, rowsOf } from '../../../platform/schema/relation.js';
import { operatorsOnly } from '../../../platform/visibility.js';
import type { Approvers, PolicyApproval } from '../pipeline/rule-kind.js';
import { rest } from '../rest.js';
import { CreatePolicyInput, mostApprovers, mostPolicyRules, PolicyTargetEnum, UpdatePolicyInput } from './policy.input.js';
import { approvalRuleOf, createPolicy, deletePolicy, mostPolicies, policies, policy, rulesOf, updatePolicy } from './policy.js';
import { PolicyRuleType } from './policy-rule.schema.js';

const Target = builder.objectRef<{ targetType: PolicyTarget; targetId: string | null }>('PolicyTarget').implement({
  description: 'Whose spends a policy binds.',
  fields: (t) => ({
    type: t.expose('targetType', { type: PolicyTargetEnum, description: 'Kind of the target.' }),
    id: t.exposeString('targetId', { nullable: true, description: 'The UUID of the account, agent or wallet; null for the tenant.' }),
  }),
});

const ApproversType = builder.objectRef<Approvers>('PolicyApprovers').implement({
  description: 'The people who decide.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'How many different members have to approve.' }),
    memberIds: t.field({
      type: ['MemberId'],
      nullable: true,
      wire: { orNull: true },
      description: 'The members whose votes count; null where every member may vote whose authority suffices.',
      ...facts({ most: mostApprovers, embedded: true }),
      resolve: ({ memberIds }) => (memberIds === null ? null : [...memberIds]),
    }),
  }),
});

const ApprovalRule = builder.objectRef<PolicyApproval>('PolicyApproval').implement({
  description: 'From which amount on a spend has to be approved.',
  fields: (t) => ({
    threshold: t.expose('threshold', {
      type: 'Amount',
      description: 'A spend above this amount needs an approval, an equal one does not; in `currency`.',
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    timeoutSeconds: t.exposeInt('timeoutSeconds', { description: 'Seconds until an approval of this policy expires.' }),
    approvers: t.field({
      type: ApproversType,
      nullable: true,
      description: 'The people who decide, and nobody else; null where whoever may decide does so once.',
      resolve: ({ approvers }) => approvers ?? null,
    }),
  }),
});

const Policy = builder.prismaObject('Policy', {
  ...byId(rowsOf('policy', operatorsOnly('policies:read'), { where: { deletedAt: null } })),
  description: 'Rules for the spends of a target. Every policy that binds a spend has to let it pass.',
  fields: (t) => ({
    id: t.expose('id', { type: 'PolicyId' }),
    version: t.exposeInt('version', { description: 'Raised by every change; decisions name it.' }),
    name: t.exposeString('name', { description: 'Your own name for the policy.' }),
    target: t.field({ type: Target, description: 'Whose spends it binds.', resolve: (row) => row }),
    rules: t.field({
      type: [PolicyRuleType],
      description: 'Its rules; every one has to let a spend pass.',
      ...facts({ most: mostPolicyRules }),
      resolve: rulesOf,
    }),
    approval: t.field({
      type: ApprovalRule,
      nullable: true,
      description: 'From which amount on a spend needs an approval; null where none does.',
      resolve: approvalRuleOf,
    }),
    enabled: t.exposeBoolean('enabled', { description: 'False: the policy binds nothing.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const PolicyPage = pageOf(Policy, 'Policy');

const DeletedPolicy = builder.objectRef<{ id: string }>('DeletedPolicy').implement({
  description: 'A policy that was ended.',
  fields: (t) => ({ id: t.expose('id', { type: 'PolicyId' }), deleted: t.boolean({ resolve: () => true }) }),
});

builder.queryFields((t) => ({
  policy: t.prismaField({
    route: rest(
      'GET /v1/policies/{id}',
      'Read a policy with its rules. The version grows with each change, and decisions name the version that they applied.',
    ),
    type: Policy,
    authScopes: { audience: 'operator', scope: 'policies:read' },
    args: { id: t.arg({ type: 'PolicyId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => policy(ctx, id, query),
  }),
  policies: t.field({
    route: rest('GET /v1/policies', 'List policies, newest first. Filter by target or by whether they are enabled.'),
    type: PolicyPage,
    authScopes: { audience: 'operator', scope: 'policies:read' },
    ...facts({ most: mostPolicies }),
    ...listed(t, policies, {
      targetType: t.arg({ type: PolicyTargetEnum, required: false }),
      targetId: t.arg.string({ required: false, description: 'Only policies of this account, agent or wallet.' }),
      enabled: t.arg.boolean({ required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createPolicy: t.field({
    route: rest(
      'POST /v1/policies',
      'Create a policy: rules for the spends of the workspace, an account, an agent or a wallet. It binds from the next spend on, over every protocol. Rules that contradict each other are 400, ids that name nothing here 404.',
      {
        status: 201,
      },
    ),
    type: Policy,
    authScopes: { audience: 'operator', scope: 'policies:write' },
    args: { input: t.arg({ type: CreatePolicyInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { input }) => createPolicy(ctx, input), policy),
  }),
  updatePolicy: t.field({
    route: rest(
      'PATCH /v1/policies/{id}',
      'Change a policy; its target stays. Rules of the same kind, period and currency keep what they have counted. A change raises the version. Where it has `approvers`, people alone loosen it (403 `forbidden`, `reason: person_required`).',
    ),
    type: Policy,
    authScopes: { audience: 'operator', scope: 'policies:write' },
    args: { id: t.arg({ type: 'PolicyId' }), input: t.arg({ type: UpdatePolicyInput }) },
    ...facts({ errors: [NotFound, PeopleOnly] }),
    resolve: once((ctx, { id, input }) => updatePolicy(ctx, { ...input, id }), policy),
  }),
  deletePolicy: t.field({
    route: rest(
      'DELETE /v1/policies/{id}',
      'End a policy, which then binds no spend. Decisions go on naming it. Where it has `approvers`, people alone end it (403 `forbidden`, `reason: person_required`).',
    ),
    type: DeletedPolicy,
    authScopes: { audience: 'operator', scope: 'policies:write' },
    args: { id: t.arg({ type: 'PolicyId' }) },
    ...facts({ errors: [NotFound, PeopleOnly] }),
    resolve: once(
      (ctx, { id }) => deletePolicy(ctx, id),
      async (_ctx, reference) => ({ id: reference }) as never,
    ),
  }),
}));
