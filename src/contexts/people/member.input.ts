// The inputs of members.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { roles } from '../../platform/scope.js';

export const MemberRoleEnum = builder.enumType('MemberRole', {
  description: 'What a member is to the tenant. A role is a set of scopes, and nothing else.',
  values: roles,
});

export const AuthorityInput = builder.inputType('AuthorityInput', {
  description: 'Which approvals a member may decide: those of at most an amount.',
  fields: (t) => ({
    maxAmount: t.field({ type: 'Amount', required: false, description: 'The most that the member approves; null or absent: any amount.' }),
    currency: t.field({ type: 'Currency', description: 'The currency of `max_amount`; other ones are converted into it.' }),
  }),
});
export type AuthorityInput = typeof AuthorityInput.$inferInput;

export const SettableStatusEnum = builder.enumType('SettableMemberStatus', {
  description: '`active`: signs in. `suspended`: does not, until that is changed.',
  values: ['active', 'suspended'] as const,
});

export const UpdateMemberInput = builder.inputType('UpdateMemberInput', {
  description: 'What is changed of a member.',
  fields: (t) => ({
    role: t.field({
      type: MemberRoleEnum,
      required: false,
      description: 'The new role. Without an authority beside it the member gets the one that the role begins with.',
    }),
    authority: t.field({
      type: AuthorityInput,
      required: false,
      description: 'The new authority; null takes it away, and the member decides nothing.',
    }),
    status: t.field({
      type: SettableStatusEnum,
      required: false,
      description: '`suspended` ends every session of the member at once; `active` lets the member sign in again.',
    }),
  }),
});
export type UpdateMemberInput = typeof UpdateMemberInput.$inferInput;

/** What people are called. */
export const nameRule = z.string().trim().min(1).max(200);
