// The inputs of policies.
import { z } from 'zod';
import { PolicyTarget } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';
import { PolicyRuleInput } from './policy-rule.input.js';

export const PolicyTargetEnum = builder.enumType(PolicyTarget, {
  name: 'PolicyTargetType',
  description: 'Whose spends are bound: of the whole `tenant`, an `account` with its agents, an `agent` or a `wallet`.',
});

/** Rules of a policy. */
export const mostPolicyRules = 50;

export const PolicyTargetInput = builder.inputType('PolicyTargetInput', {
  description: 'Whose spends a policy binds.',
  fields: (t) => ({
    type: t.field({ type: PolicyTargetEnum, description: 'Kind of the target.' }),
    id: t.string({ required: false, description: 'The account, agent or wallet; left out for the tenant.', validate: z.string().max(64) }),
  }),
});
export type PolicyTargetInput = typeof PolicyTargetInput.$inferInput;

/** Members that a policy may name. */
export const mostApprovers = 20;

/** An approval may wait as long as a hold may last. */
const longestTimeout = 604_800;

export const ApproversInput = builder.inputType('ApproversInput', {
  description: 'The people who decide.',
  fields: (t) => ({
    count: t.int({
      required: false,
      description: 'How many different members have to approve; 1 by default.',
      validate: z.int().min(1).max(5),
    }),
    memberIds: t.field({
      type: ['MemberId'],
      required: false,
      description: 'The members whose votes count; without it every member may vote whose authority suffices.',
      validate: z.array(z.unknown()).min(1).max(mostApprovers),
    }),
  }),
});
export type ApproversInput = typeof ApproversInput.$inferInput;

export const PolicyApprovalInput = builder.inputType('PolicyApprovalInput', {
  description: 'From which amount on a spend needs an approval.',
  fields: (t) => ({
    threshold: t.field({ type: 'Amount', description: 'A spend above this amount needs an approval; 0.00 asks for one of every spend.' }),
    currency: t.field({ type: 'Currency', description: 'The currency of the threshold; spends in others are converted, rounded up.' }),
    timeoutSeconds: t.int({
      required: false,
      description: 'Seconds until an approval expires; 3600 by default.',
      validate: z.int().min(60).max(longestTimeout),
    }),
    approvers: t.field({
      type: ApproversInput,
      required: false,
      description: 'People alone decide, each by a vote of his own; without it whoever may decide does so once.',
    }),
  }),
});
export type PolicyApprovalInput = typeof PolicyApprovalInput.$inferInput;

const name = z.string().trim().min(1).max(200);
const rules = z.array(z.unknown()).max(mostPolicyRules);

export const CreatePolicyInput = builder.inputType('CreatePolicyInput', {
  description: 'A new policy.',
  fields: (t) => ({
    name: t.string({ description: 'Your own name for the policy.', validate: name, extensions: { example: 'At most 500 a day' } }),
    target: t.field({ type: PolicyTargetInput, description: 'Whose spends it binds.' }),
    rules: t.field({
      type: [PolicyRuleInput],
      description: 'Its rules, at most 50; may be empty where there is an `approval`.',
      validate: rules,
    }),
    approval: t.field({
      type: PolicyApprovalInput,
      required: false,
      description: 'From which amount on a spend needs an approval; none by default.',
    }),
    enabled: t.boolean({ required: false, description: 'False creates it without effect; true by default.' }),
  }),
});
export type CreatePolicyInput = typeof CreatePolicyInput.$inferInput;

export const UpdatePolicyInput = builder.inputType('UpdatePolicyInput', {
  description: 'Changes of a policy. A member that is left out stays as it is.',
  fields: (t) => ({
    name: t.string({
      required: false,
      description: 'New name.',
      validate: name,
      extensions: { example: 'At most 500 a day, whoever pays' },
    }),
    rules: t.field({
      type: [PolicyRuleInput],
      required: false,
      description: 'New rules, which replace those before. A rule of the same kind, period and currency keeps what it has counted.',
      validate: rules,
    }),
    approval: t.field({ type: PolicyApprovalInput, required: false, description: 'New approval; null removes it.' }),
    enabled: t.boolean({ required: false, description: 'False takes its effect away, true gives it back.' }),
  }),
});
export type UpdatePolicyInput = typeof UpdatePolicyInput.$inferInput;
