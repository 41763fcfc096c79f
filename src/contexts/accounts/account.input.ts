// The inputs of accounts.
import { z } from 'zod';
import { AccountStatus, AccountType } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const AccountTypeEnum = builder.enumType(AccountType, { name: 'AccountType' });
export const AccountStatusEnum = builder.enumType(AccountStatus, { name: 'AccountStatus' });
const name = z.string().trim().min(1).max(200);
const email = z.email().max(254);
const customer = z.string().min(1).max(128);

export const CreateAccountInput = builder.inputType('CreateAccountInput', {
  fields: (t) => ({
    type: t.field({ type: AccountTypeEnum }),
    name: t.string({ validate: name, extensions: { example: 'Ada Byron' } }),
    email: t.string({ required: false, validate: email }),
    country: t.string({
      required: false,
      description: 'ISO 3166-1 alpha-2.',
      validate: z.string().regex(/^[A-Z]{2}$/, 'must be two capital letters'),
    }),
    customerReference: t.string({
      required: false,
      description: 'Your customer; portal tokens with it see the account.',
      validate: customer,
    }),
    defaultCurrency: t.field({ type: 'Currency', required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type CreateAccountInput = typeof CreateAccountInput.$inferInput;

export const UpdateAccountInput = builder.inputType('UpdateAccountInput', {
  fields: (t) => ({
    name: t.string({ required: false, validate: name, extensions: { example: 'Ada Lovelace' } }),
    email: t.string({ required: false, validate: email }),
    status: t.field({ type: AccountStatusEnum, required: false }),
    customerReference: t.string({ required: false, description: 'Set once, where the account has none.', validate: customer }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type UpdateAccountInput = typeof UpdateAccountInput.$inferInput;
