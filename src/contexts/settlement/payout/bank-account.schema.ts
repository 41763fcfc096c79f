// The GraphQL face of bank accounts. Agents have none of it; of the details only the end is shown.

import { BankRail } from '../../../generated/prisma/enums.js';
import { NotFound, StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import { byId, rowsOf } from '../../../platform/schema/relation.js';
import { operatorsOnly } from '../../../platform/visibility.js';
import { UnsupportedRail } from '../../transfers/rail.js';
import { rest } from '../rest.js';
import { CreateBankAccountInput, UpdateBankAccountInput } from './bank-account.input.js';
import { bankAccount, bankAccounts, createBankAccount, deleteBankAccount, updateBankAccount } from './bank-account.js';

const BankRailEnum = builder.enumType(BankRail, {
  name: 'BankRail',
  description: '`ach` and `wire`: US dollars. `sepa`: euros. `pix`: Brazilian reais. `spei`: Mexican pesos.',
});
const BankAccountStatus = builder.enumType('BankAccountStatus', {
  description: '`active`: payouts may go to it.',
  values: ['active'] as const,
});

export const BankAccount = builder.prismaObject('BankAccount', {
  ...byId(rowsOf('bankAccount', operatorsOnly('settlement:read'), { where: { deletedAt: null } })),
  description: 'A bank account that payouts may go to. Its details are stored encrypted and never shown whole.',
  fields: (t) => ({
    id: t.expose('id', { type: 'BankAccountId', description: 'Its identifier (`ba_...`), to use as `ref` of a destination.' }),
    accountId: t.expose('accountId', { type: 'AccountId', description: 'The account that it belongs to.' }),
    rail: t.expose('rail', { type: BankRailEnum, description: 'The rail that reaches it.' }),
    holderName: t.exposeString('holderName', { description: 'Name of its holder.' }),
    last4: t.exposeString('last4', { description: 'The last four characters of its number or key.' }),
    isDefault: t.exposeBoolean('isDefault', { description: 'True for the default of its account, to which automatic settlement pays.' }),
    status: t.field({ type: BankAccountStatus, resolve: () => 'active' as const }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const BankAccountPage = pageOf(BankAccount, 'BankAccount');

const DeletedBankAccount = builder.objectRef<{ id: string }>('DeletedBankAccount').implement({
  description: 'A bank account that was deleted.',
  fields: (t) => ({ id: t.expose('id', { type: 'BankAccountId' }), deleted: t.boolean({ resolve: () => true }) }),
});

builder.queryFields((t) => ({
  bankAccount: t.prismaField({
    route: rest('GET /v1/bank-accounts/{id}', 'Read a bank account. Of its number only the last four characters are shown.'),
    type: BankAccount,
    authScopes: { audience: 'operator', scope: 'settlement:read' },
    args: { id: t.arg({ type: 'BankAccountId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => bankAccount(ctx, id, query),
  }),
  bankAccounts: t.field({
    route: rest('GET /v1/bank-accounts', 'List bank accounts, newest first. Filter by account or rail.'),
    type: BankAccountPage,
    authScopes: { audience: 'operator', scope: 'settlement:read' },
    ...listed(t, bankAccounts, {
      accountId: t.arg({ type: 'AccountId', required: false }),
      rail: t.arg({ type: BankRailEnum, required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createBankAccount: t.field({
    route: rest(
      'POST /v1/bank-accounts',
      'Register a bank account for payouts. Its check digits are verified (400) and its details stored encrypted; the first one of an account is its default.',
      { status: 201 },
    ),
    type: BankAccount,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { input: t.arg({ type: CreateBankAccountInput }) },
    ...facts({ errors: [NotFound, StateConflict, UnsupportedRail] }),
    resolve: once((ctx, { input }) => createBankAccount(ctx, input), bankAccount),
  }),
  updateBankAccount: t.field({
    route: rest(
      'PATCH /v1/bank-accounts/{id}',
      "Change the holder's name of a bank account, or make it the default of its account. Its number cannot be changed: register another one.",
    ),
    type: BankAccount,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { id: t.arg({ type: 'BankAccountId' }), input: t.arg({ type: UpdateBankAccountInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id, input }) => updateBankAccount(ctx, { ...input, id }), bankAccount),
  }),
  deleteBankAccount: t.field({
    route: rest(
      'DELETE /v1/bank-accounts/{id}',
      'Delete a bank account with its details, for good. If it was the default, the oldest one that is left becomes it. While a payout is on its way to it the answer is 409 `state_conflict`.',
    ),
    type: DeletedBankAccount,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { id: t.arg({ type: 'BankAccountId' }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once(
      (ctx, { id }) => deleteBankAccount(ctx, id),
      async (_ctx, reference) => ({ id: reference }) as never,
    ),
  }),
}));
