// The GraphQL face of accounts.

import { AlreadyExists, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { AccountStatusEnum, AccountTypeEnum, CreateAccountInput, UpdateAccountInput } from './account.input.js';
import { account, accounts, createAccount, updateAccount, visibleAccounts } from './account.js';
import { rest } from './rest.js';

export const Account = builder.prismaObject('Account', {
  ...byId(rowsOf('account', visibleAccounts)),
  description: 'A person or business that owns wallets.',
  fields: (t) => ({
    id: t.expose('id', { type: 'AccountId' }),
    type: t.expose('type', { type: AccountTypeEnum, description: 'Whether a person or a business owns the account.' }),
    name: t.exposeString('name', { description: 'Name of the person or business.' }),
    email: t.exposeString('email', { nullable: true, description: 'E-mail address of the owner; null where none was given.' }),
    country: t.exposeString('country', {
      nullable: true,
      description: 'Country of the owner, as an ISO 3166-1 alpha-2 code; null where none was given.',
    }),
    status: t.expose('status', {
      type: AccountStatusEnum,
      description:
        'Changed by PATCH. `active`: its wallets pay and are paid. `suspended`: they are paid but do not spend. `closed`: neither, for good.',
    }),
    kycTier: t.exposeInt('kycTier', { description: 'Tier of the identity check of the owner, from 0 (not checked).' }),
    customerReference: t.exposeString('customerReference', {
      nullable: true,
      description: 'Your own id of the customer, by which portal tokens find the account; null where none was set.',
    }),
    defaultCurrency: t.expose('defaultCurrency', {
      type: 'Currency',
      nullable: true,
      description: 'Currency that mandates of the account use when they name none; null where none was given.',
    }),
    metadata: t.expose('metadata', { type: 'JSONObject' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const AccountPage = pageOf(Account, 'Account');

builder.queryFields((t) => ({
  account: t.prismaField({
    route: rest('GET /v1/accounts/{id}', 'Read an account. An agent reads the account that it acts for; any other is 404.'),
    type: Account,
    authScopes: { audience: 'any', scope: 'accounts:read' },
    args: { id: t.arg({ type: 'AccountId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => account(ctx, id, query),
  }),
  accounts: t.field({
    route: rest(
      'GET /v1/accounts',
      'List accounts, newest first. Filter by type, status or customer reference; an agent sees only the account that it acts for.',
    ),
    type: AccountPage,
    authScopes: { audience: 'any', scope: 'accounts:read' },
    ...listed(t, accounts, {
      type: t.arg({ type: AccountTypeEnum, required: false }),
      status: t.arg({ type: AccountStatusEnum, required: false }),
      customerReference: t.arg.string({ required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createAccount: t.field({
    route: rest(
      'POST /v1/accounts',
      'Open an account for a person or a business. It has no wallet yet: open one with `POST /v1/wallets`. Emits `account.created`.',
      { status: 201 },
    ),
    type: Account,
    authScopes: { audience: 'operator', scope: 'accounts:write' },
    args: { input: t.arg({ type: CreateAccountInput }) },
    resolve: once((ctx, { input }) => createAccount(ctx, input), account),
  }),
  updateAccount: t.field({
    route: rest(
      'PATCH /v1/accounts/{id}',
      'Change an account. Suspending it stops the spending of all its wallets and agents; closing it is final and needs empty wallets with nothing open, else 409 `state_conflict` names what is open. Emits `account.updated` with the members that changed.',
    ),
    type: Account,
    authScopes: { audience: 'operator', scope: 'accounts:write' },
    args: { id: t.arg({ type: 'AccountId' }), input: t.arg({ type: UpdateAccountInput }) },
    ...facts({ errors: [NotFound, StateConflict, AlreadyExists] }),
    resolve: once((ctx, { id, input }) => updateAccount(ctx, { ...input, id }), account),
  }),
}));
