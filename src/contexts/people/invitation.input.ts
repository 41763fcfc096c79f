// The input of invitations.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { emailRule } from './email.js';
import { AuthorityInput, MemberRoleEnum } from './member.input.js';

export const CreateInvitationInput = builder.inputType('CreateInvitationInput', {
  description: 'A place in the tenant, for somebody to take.',
  fields: (t) => ({
    email: t.string({
      description: 'The e-mail by which the person will be known; upper and lower case are the same.',
      validate: emailRule,
      extensions: { example: 'ada@example.com' },
    }),
    role: t.field({ type: MemberRoleEnum, description: 'What the person will be.' }),
    authority: t.field({
      type: AuthorityInput,
      required: false,
      description: 'Which approvals the person may decide; without it what the role begins with, null for none.',
    }),
    expiresIn: t.int({
      required: false,
      description: 'Seconds for which the link is good; a week by default.',
      validate: z.number().min(3_600).max(604_800),
    }),
  }),
});
export type CreateInvitationInput = typeof CreateInvitationInput.$inferInput;
