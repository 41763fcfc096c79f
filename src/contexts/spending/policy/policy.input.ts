// The inputs of policies.
import { z } from 'zod';
import { PolicyTarget } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';
import { PolicyRuleInput } from './policy-rule.input.js';

export const PolicyTargetEnum = builder.enumType(PolicyTarget, { name: 'PolicyTargetType' });

/** Rules of a policy. */
export const mostPolicyRules = 50;

export const PolicyTargetInput = builder.inputType('PolicyTargetInput', {
  fields: (t) => ({
    type: t.field({ type: PolicyTargetEnum }),
    id: t.string({ required: false, description: 'The account, agent or wallet; left out for the tenant.', validate: z.string().max(64) }),
  }),
});
export type PolicyTargetInput = typeof PolicyTargetInput.$inferInput;

/** An approval may wait as long as a hold may last. */
const longestTimeout = 604_800;

export const PolicyApprovalInput = builder.inputType('PolicyApprovalInput', {
  fields: (t) => ({
    threshold: t.field({ type: 'Amount', description: '0.00 asks for an approval of every spend.' }),
    currency: t.field({ type: 'Currency' }),
    timeoutSeconds: t.int({ required: false, description: '3600 by default.', validate: z.int().min(60).max(longestTimeout) }),
  }),
});
export type PolicyApprovalInput = typeof PolicyApprovalInput.$inferInput;

const name = z.string().trim().min(1).max(200);
const rules = z.array(z.unknown()).max(mostPolicyRules);

export const CreatePolicyInput = builder.inputType('CreatePolicyInput', {
  fields: (t) => ({
    name: t.string({ validate: name, extensions: { example: 'At most 500 a day' } }),
    target: t.field({ type: PolicyTargetInput }),
    rules: t.field({ type: [PolicyRuleInput], description: 'May be empty where there is an approval.', validate: rules }),
    approval: t.field({ type: PolicyApprovalInput, required: false }),
    enabled: t.boolean({ required: false, description: 'True by default.' }),
  }),
});
export type CreatePolicyInput = typeof CreatePolicyInput.$inferInput;

export const UpdatePolicyInput = builder.inputType('UpdatePolicyInput', {
  fields: (t) => ({
    name: t.string({ required: false, validate: name, extensions: { example: 'At most 500 a day, whoever pays' } }),
    rules: t.field({ type: [PolicyRuleInput], required: false, description: 'They replace the ones before.', validate: rules }),
    approval: t.field({ type: PolicyApprovalInput, required: false, description: 'Null takes it away.' }),
    enabled: t.boolean({ required: false }),
  }),
});
export type UpdatePolicyInput = typeof UpdatePolicyInput.$inferInput;
