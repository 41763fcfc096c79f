// The inputs of accounts.
import { z } from 'zod';
import { AccountStatus, AccountType } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const AccountTypeEnum = builder.enumType(AccountType, {
  name: 'AccountType',
  description: '`person`: a natural person. `business`: a company.',
});
export const AccountStatusEnum = builder.enumType(AccountStatus, {
  name: 'AccountStatus',
  description: '`active`: its wallets pay and are paid. `suspended`: they are paid but do not spend. `closed`: neither, for good.',
});
const name = z.string().trim().min(1).max(200);
const email = z.email().max(254);
const customer = z.string().min(1).max(128);

export const CreateAccountInput = builder.inputType('CreateAccountInput', {
  description: 'A new account.',
  fields: (t) => ({
    type: t.field({ type: AccountTypeEnum, description: 'Whether a person or a business owns the account; it cannot be changed later.' }),
    name: t.string({
      description: 'Name of the person or business, 1 to 200 characters; also shown in events.',
      validate: name,
      extensions: { example: 'Ada Byron' },
    }),
    email: t.string({ required: false, description: 'E-mail address of the owner, at most 254 characters.', validate: email }),
    country: t.string({
      required: false,
      description: 'Country of the owner, as an ISO 3166-1 alpha-2 code such as DE.',
      validate: z.string().regex(/^[A-Z]{2}$/, 'must be two capital letters'),
    }),
    customerReference: t.string({
      required: false,
      description: 'Your own id of the customer. Portal tokens with the same reference read this account.',
      validate: customer,
    }),
    defaultCurrency: t.field({
      type: 'Currency',
      required: false,
      description: 'Currency that mandates of the account use when they name none.',
    }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type CreateAccountInput = typeof CreateAccountInput.$inferInput;

export const UpdateAccountInput = builder.inputType('UpdateAccountInput', {
  description: 'Changes of an account. A member that is left out stays as it is.',
  fields: (t) => ({
    name: t.string({
      required: false,
      description: 'New name, 1 to 200 characters.',
      validate: name,
      extensions: { example: 'Ada Lovelace' },
    }),
    email: t.string({ required: false, description: 'New e-mail address; null removes it.', validate: email }),
    status: t.field({
      type: AccountStatusEnum,
      required: false,
      description: 'New status. Suspending also stops the spending of its agents; closing needs empty wallets with nothing open.',
    }),
    customerReference: t.string({
      required: false,
      description: 'Your own id of the customer. It can be set once, while the account has none.',
      validate: customer,
    }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type UpdateAccountInput = typeof UpdateAccountInput.$inferInput;
