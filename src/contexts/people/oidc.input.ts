// The input of a sign-in at the identity provider of a company.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { emailRule } from './email.js';
import { nameRule } from './member.input.js';

const OidcPurposeEnum = builder.enumType('OidcPurpose', {
  description:
    '`sign_in`: to the tenant of a slug. `join`: by the token of a link. `step_up`: once more. `add`: the provider signs in from now on who is signed in now.',
  values: ['sign_in', 'join', 'step_up', 'add'] as const,
});

export const OidcRoundInput = builder.inputType('OidcRoundInput', {
  description: 'What somebody goes to the identity provider of a company for.',
  fields: (t) => ({
    purpose: t.field({ type: OidcPurposeEnum, description: 'What the round is for.' }),
    slug: t.string({
      required: false,
      description: 'What the tenant is called; with the purpose `sign_in` alone.',
      validate: z.string().min(1).max(100),
    }),
    token: t.string({
      required: false,
      description: 'What stands behind `#` in the link; with the purpose `join` alone.',
      validate: z.string().min(1).max(200),
      extensions: { secret: true },
    }),
    name: t.string({ required: false, description: 'What the person is called, to take up an invitation.', validate: nameRule }),
    email: t.string({
      required: false,
      description: 'The e-mail of the first owner, whose link does not say it.',
      validate: emailRule,
    }),
    returnTo: t.string({
      required: false,
      description: 'The page that the browser comes back to, by its path below `/console`.',
      validate: z.string().min(1).max(2_000),
    }),
  }),
});
export type OidcRoundInput = typeof OidcRoundInput.$inferInput;
