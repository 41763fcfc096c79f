// The inputs of signing in.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { emailRule } from './email.js';
import { nameRule } from './member.input.js';

/** Longer than any password: what is wrong with one is said by its rule. */
const passwordRule = z.string().min(1).max(4_096);
const secret = { secret: true } as const;

export const SignInInput = builder.inputType('SignInInput', {
  description: 'Who signs in.',
  fields: (t) => ({
    email: t.string({
      description: 'The e-mail of the person; upper and lower case are the same.',
      validate: z.string().min(1).max(320),
      extensions: { example: 'ada@example.com' },
    }),
    password: t.string({
      description: 'The password of the person.',
      validate: passwordRule,
      extensions: { ...secret, example: 'lamp olive quartz tide' },
    }),
    tenant: t.string({
      required: false,
      description: 'The id of the tenant to sign in to, for somebody who belongs to several; the one that was used last by default.',
      validate: z.string().min(1).max(64),
    }),
  }),
});
export type SignInInput = typeof SignInInput.$inferInput;

export const StepUpInput = builder.inputType('StepUpInput', {
  description: 'What proves once more who asks.',
  fields: (t) => ({
    password: t.string({
      description: 'The password of the person.',
      validate: passwordRule,
      extensions: { ...secret, example: 'lamp olive quartz tide' },
    }),
  }),
});

export const JoinInput = builder.inputType('JoinInput', {
  description: 'How somebody takes up an invitation, or sets a new password by a recovery link.',
  fields: (t) => ({
    token: t.string({
      description: 'What stands behind `#` in the link.',
      validate: z.string().min(1).max(200),
      extensions: { ...secret, example: 'join_Ywn0' },
    }),
    name: t.string({
      required: false,
      description: 'What the person is called; required by an invitation, and of no use to a recovery.',
      validate: nameRule,
      extensions: { example: 'Ada Lovelace' },
    }),
    email: t.string({
      required: false,
      description: 'The e-mail by which the person will be known; required by the link of the first owner, and fixed by all others.',
      validate: emailRule,
    }),
    password: t.string({
      description: 'A new password of 12 to 1,024 characters. The first that anybody would guess, the name and the e-mail are refused.',
      validate: passwordRule,
      extensions: { ...secret, example: 'lamp olive quartz tide' },
    }),
  }),
});
export type JoinInput = typeof JoinInput.$inferInput;

export const RecoverInput = builder.inputType('RecoverInput', {
  description: 'Who has lost the password.',
  fields: (t) => ({
    email: t.string({
      description: 'The e-mail of the person; upper and lower case are the same.',
      validate: z.string().min(1).max(320),
      extensions: { example: 'ada@example.com' },
    }),
  }),
});

export const SwitchTenantInput = builder.inputType('SwitchTenantInput', {
  description: 'Where a person goes on.',
  fields: (t) => ({
    tenantId: t.string({ description: 'One of the `tenants` of the sign-in.', validate: z.string().min(1).max(64) }),
  }),
});

export const SetPasswordInput = builder.inputType('SetPasswordInput', {
  description: 'A new password.',
  fields: (t) => ({
    password: t.string({
      description: 'The new password, of 12 to 1,024 characters.',
      validate: passwordRule,
      extensions: { ...secret, example: 'lamp olive quartz tide' },
    }),
  }),
});
