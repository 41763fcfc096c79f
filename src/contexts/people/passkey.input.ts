// The inputs of passkeys.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { emailRule } from './email.js';
import { nameRule } from './member.input.js';

export const PasskeyPurposeEnum = builder.enumType('PasskeyPurpose', {
  description:
    '`sign_in`: with any passkey. `join`: a first one, by the token of a link. `step_up`: with one of your own. `add`: another one of your own.',
  values: ['sign_in', 'join', 'step_up', 'add'] as const,
});

const token = {
  required: false,
  description: 'What stands behind `#` in the link; with the purpose `join` alone.',
  validate: z.string().min(1).max(200),
  extensions: { secret: true },
} as const;

export const PasskeyOptionsInput = builder.inputType('PasskeyOptionsInput', {
  description: 'What a passkey is wanted for.',
  fields: (t) => ({
    purpose: t.field({ type: PasskeyPurposeEnum, description: 'What the passkey is for.' }),
    token: t.string(token),
  }),
});
export type PasskeyOptionsInput = typeof PasskeyOptionsInput.$inferInput;

export const PasskeyInput = builder.inputType('PasskeyInput', {
  description: 'What an authenticator has signed.',
  fields: (t) => ({
    purpose: t.field({ type: PasskeyPurposeEnum, description: 'The purpose for which the options were asked.' }),
    response: t.field({
      type: 'JSONObject',
      description: 'The answer of `navigator.credentials.get` or `create`, in the JSON form of WebAuthn.',
    }),
    token: t.string(token),
    name: t.string({
      required: false,
      description: 'What the person is called, to take up an invitation; with the purpose `add` what the passkey is called.',
      validate: nameRule,
    }),
    email: t.string({
      required: false,
      description: 'The e-mail of the first owner, whose link does not say it.',
      validate: emailRule,
    }),
  }),
});
export type PasskeyInput = typeof PasskeyInput.$inferInput;
