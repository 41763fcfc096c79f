// The GraphQL face of bank accounts. Agents have none of it; of the details only the end is shown.
import { BankRail } from '../../../generated/prisma/enums.js';
import { NotFound, StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import { UnsupportedRail } from '../../transfers/rail.js';
import { rest } from '../rest.js';
import { CreateBankAccountInput, UpdateBankAccountInput } from './bank-account.input.js';
import { bankAccount, bankAccounts, createBankAccount, deleteBankAccount, updateBankAccount } from './bank-account.js';

const BankRailEnum = builder.enumType(BankRail, { name: 'BankRail' });
const BankAccountStatus = builder.enumType('BankAccountStatus', { values: ['active'] as const });

export const BankAccount = builder.prismaObject('BankAccount', {
  description: 'A bank account that payouts may go to. Its details are stored encrypted and never shown whole.',
  fields: (t) => ({
    id: t.expose('id', { type: 'BankAccountId', description: 'The `ref` of a destination.' }),
    accountId: t.expose('accountId', { type: 'AccountId' }),
    rail: t.expose('rail', { type: BankRailEnum, description: 'The rail that reaches it.' }),
    holderName: t.exposeString('holderName'),
    last4: t.exposeString('last4', { description: 'The end of its number or key.' }),
    isDefault: t.exposeBoolean('isDefault', { description: 'Of its account: the first one is, until another is made so.' }),
    status: t.field({ type: BankAccountStatus, resolve: () => 'active' as const }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const BankAccountPage = pageOf(BankAccount, 'BankAccount');

const DeletedBankAccount = builder.objectRef<{ id: string }>('DeletedBankAccount').implement({
  fields: (t) => ({ id: t.expose('id', { type: 'BankAccountId' }), deleted: t.boolean({ resolve: () => true }) }),
});

builder.queryFields((t) => ({
  bankAccount: t.prismaField({
    route: rest('GET /v1/bank-accounts/{id}', 'Read a bank account.'),
    type: BankAccount,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'BankAccountId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => bankAccount(ctx, id, query),
  }),
  bankAccounts: t.field({
    route: rest('GET /v1/bank-accounts', 'List bank accounts.'),
    type: BankAccountPage,
    authScopes: { audience: 'operator' },
    ...listed(t, bankAccounts, {
      accountId: t.arg({ type: 'AccountId', required: false }),
      rail: t.arg({ type: BankRailEnum, required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createBankAccount: t.field({
    route: rest('POST /v1/bank-accounts', 'Register a bank account that payouts may go to.', { status: 201 }),
    type: BankAccount,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: CreateBankAccountInput }) },
    ...facts({ errors: [NotFound, StateConflict, UnsupportedRail] }),
    resolve: once((ctx, { input }) => createBankAccount(ctx, input), bankAccount),
  }),
  updateBankAccount: t.field({
    route: rest('PATCH /v1/bank-accounts/{id}', "Change the holder's name, or make it the default of its account."),
    type: BankAccount,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'BankAccountId' }), input: t.arg({ type: UpdateBankAccountInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id, input }) => updateBankAccount(ctx, { ...input, id }), bankAccount),
  }),
  deleteBankAccount: t.field({
    route: rest('DELETE /v1/bank-accounts/{id}', 'Delete a bank account, and its details for good.'),
    type: DeletedBankAccount,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'BankAccountId' }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once(
      (ctx, { id }) => deleteBankAccount(ctx, id),
      async (_ctx, reference) => ({ id: reference }) as never,
    ),
  }),
}));
