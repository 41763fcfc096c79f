// The GraphQL face of accounts.
import { AlreadyExists, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { AccountStatusEnum, AccountTypeEnum, CreateAccountInput, UpdateAccountInput } from './account.input.js';
import { account, accounts, createAccount, updateAccount } from './account.js';
import { rest } from './rest.js';

export const Account = builder.prismaObject('Account', {
  description: 'A person or business that owns wallets.',
  fields: (t) => ({
    id: t.expose('id', { type: 'AccountId' }),
    type: t.expose('type', { type: AccountTypeEnum }),
    name: t.exposeString('name'),
    email: t.exposeString('email', { nullable: true }),
    country: t.exposeString('country', { nullable: true }),
    status: t.expose('status', { type: AccountStatusEnum }),
    kycTier: t.exposeInt('kycTier'),
    customerReference: t.exposeString('customerReference', { nullable: true }),
    defaultCurrency: t.expose('defaultCurrency', { type: 'Currency', nullable: true }),
    metadata: t.expose('metadata', { type: 'JSONObject' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const AccountPage = pageOf(Account, 'Account');

builder.queryFields((t) => ({
  account: t.prismaField({
    route: rest('GET /v1/accounts/{id}', 'Read an account.'),
    type: Account,
    args: { id: t.arg({ type: 'AccountId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => account(ctx, id, query),
  }),
  accounts: t.field({
    route: rest('GET /v1/accounts', 'List accounts.'),
    type: AccountPage,
    ...listed(t, accounts, {
      type: t.arg({ type: AccountTypeEnum, required: false }),
      status: t.arg({ type: AccountStatusEnum, required: false }),
      customerReference: t.arg.string({ required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createAccount: t.field({
    route: rest('POST /v1/accounts', 'Open an account.', { status: 201 }),
    type: Account,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: CreateAccountInput }) },
    resolve: once((ctx, { input }) => createAccount(ctx, input), account),
  }),
  updateAccount: t.field({
    route: rest('PATCH /v1/accounts/{id}', 'Change an account.'),
    type: Account,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'AccountId' }), input: t.arg({ type: UpdateAccountInput }) },
    ...facts({ errors: [NotFound, StateConflict, AlreadyExists] }),
    resolve: once((ctx, { id, input }) => updateAccount(ctx, { ...input, id }), account),
  }),
}));
