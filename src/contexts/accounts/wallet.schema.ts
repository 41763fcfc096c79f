// The GraphQL face of wallets, their balances and their entries.
import { z } from 'zod';
import { WalletOwnerType, WalletStatus } from '../../generated/prisma/enums.js';
import { type Balance, balance } from '../../ledger/account.js';
import { WalletFrozen } from '../../ledger/errors.js';
import { builder, facts, nodesQuery, pageArgs, pageOf } from '../../platform/builder.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { Account } from './account.schema.js';
import { accountBalances, type WalletBalance, walletBalance } from './balance.js';
import { createWallet, freezeWallet, unfreezeWallet, updateWallet, wallet, wallets } from './wallet.js';

const WalletOwnerTypeEnum = builder.enumType(WalletOwnerType, { name: 'WalletOwnerType' });
const WalletStatusEnum = builder.enumType(WalletStatus, { name: 'WalletStatus' });

const BalanceType = builder.objectRef<Balance>('Balance').implement({
  description: 'What a wallet holds: to spend, set aside, ready to stream, and on its way in.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency' }),
    available: t.field({ type: 'Amount', resolve: (b) => formatMinor(b.available, b.currency) }),
    held: t.field({ type: 'Amount', resolve: (b) => formatMinor(b.held, b.currency) }),
    wrapped: t.field({ type: 'Amount', resolve: (b) => formatMinor(b.wrapped, b.currency) }),
    pendingIn: t.field({ type: 'Amount', resolve: (b) => formatMinor(b.pendingIn, b.currency) }),
    total: t.field({ type: 'Amount', resolve: (b) => formatMinor(b.available + b.held + b.wrapped, b.currency) }),
  }),
});

export const Wallet = builder.prismaObject('Wallet', {
  description: 'A purse in one currency.',
  select: { id: true, ownerType: true, accountId: true, agentId: true, currency: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'WalletId' }),
    ownerType: t.expose('ownerType', { type: WalletOwnerTypeEnum }),
    ownerId: t.field({ type: 'OwnerId', description: 'The account or agent that owns it.', resolve: (w) => w.agentId ?? w.accountId }),
    accountId: t.expose('accountId', { type: 'AccountId' }),
    account: t.relation('account'),
    currency: t.expose('currency', { type: 'Currency' }),
    name: t.exposeString('name', { nullable: true }),
    status: t.expose('status', { type: WalletStatusEnum }),
    balance: t.field({ type: BalanceType, resolve: (w, _args, ctx) => balance(ctx, w.id) }),
    lowBalanceThreshold: t.field({
      type: 'Amount',
      nullable: true,
      select: { lowBalanceThreshold: true },
      resolve: (w) => (w.lowBalanceThreshold === null ? null : formatMinor(w.lowBalanceThreshold, w.currency)),
    }),
    frozenAt: t.expose('frozenAt', { type: 'DateTime', nullable: true }),
    frozenReason: t.exposeString('frozenReason', { nullable: true }),
    metadata: t.expose('metadata', { type: 'JSONObject' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const WalletPage = pageOf(Wallet, 'Wallet');

const WalletBalanceType = builder.objectRef<WalletBalance>('WalletBalance').implement({
  description: 'The balance of a wallet at a point in time.',
  fields: (t) => ({
    walletId: t.expose('walletId', { type: 'WalletId' }),
    at: t.expose('at', { type: 'DateTime' }),
    balance: t.field({ type: BalanceType, resolve: (b) => b }),
    currency: t.expose('currency', { type: 'Currency' }),
    available: t.field({ type: 'Amount', resolve: (b) => formatMinor(b.available, b.currency) }),
    held: t.field({ type: 'Amount', resolve: (b) => formatMinor(b.held, b.currency) }),
    wrapped: t.field({ type: 'Amount', resolve: (b) => formatMinor(b.wrapped, b.currency) }),
    total: t.field({ type: 'Amount', resolve: (b) => formatMinor(b.available + b.held + b.wrapped, b.currency) }),
  }),
});

const walletName = z.string().trim().min(1).max(100);

const CreateWalletInput = builder.inputType('CreateWalletInput', {
  fields: (t) => ({
    ownerType: t.field({ type: WalletOwnerTypeEnum }),
    ownerId: t.field({ type: 'OwnerId' }),
    currency: t.field({ type: 'Currency' }),
    name: t.string({ required: false, validate: walletName }),
    lowBalanceThreshold: t.field({
      type: 'Amount',
      required: false,
      description: 'Emit account.balance.low when available falls below it.',
    }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
const UpdateWalletInput = builder.inputType('UpdateWalletInput', {
  fields: (t) => ({
    name: t.string({ required: false, validate: walletName }),
    lowBalanceThreshold: t.field({ type: 'Amount', required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
const FreezeWalletInput = builder.inputType('FreezeWalletInput', {
  fields: (t) => ({ reason: t.string({ required: false, validate: z.string().max(500) }) }),
});

builder.queryFields((t) => ({
  wallet: t.prismaField({
    type: Wallet,
    args: { id: t.arg({ type: 'WalletId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => wallet(ctx, id, query),
  }),
  wallets: t.field({
    type: WalletPage,
    args: {
      ...pageArgs(t),
      ownerType: t.arg({ type: WalletOwnerTypeEnum, required: false }),
      ownerId: t.arg({ type: 'OwnerId', required: false }),
      currency: t.arg({ type: 'Currency', required: false }),
      status: t.arg({ type: WalletStatusEnum, required: false }),
      after: t.arg({ type: 'WalletId', required: false }),
    },
    resolve: (_root, filter, ctx, info) => wallets(ctx, filter, nodesQuery(ctx, info)),
  }),
  walletBalance: t.field({
    type: WalletBalanceType,
    args: { id: t.arg({ type: 'WalletId' }), at: t.arg({ type: 'DateTime', required: false }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id, at }, ctx) => walletBalance(ctx, id, at ?? undefined),
  }),
  accountBalances: t.field({
    type: [BalanceType],
    args: { id: t.arg({ type: 'AccountId' }), at: t.arg({ type: 'DateTime', required: false }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id, at }, ctx) => accountBalances(ctx, id, at ?? undefined),
  }),
}));

builder.objectField(Account, 'balances', (t) =>
  t.field({
    type: [BalanceType],
    args: { at: t.arg({ type: 'DateTime', required: false }) },
    resolve: ({ id }, { at }, ctx) => accountBalances(ctx, id, at ?? undefined),
  }),
);

builder.mutationFields((t) => ({
  createWallet: t.prismaField({
    type: Wallet,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: CreateWalletInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: (_query, _root, { input }, ctx) =>
      once(
        ctx,
        () => createWallet(ctx, input),
        (id) => wallet(ctx, id),
      ),
  }),
  updateWallet: t.prismaField({
    type: Wallet,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: UpdateWalletInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id, input }, ctx) =>
      once(
        ctx,
        () => updateWallet(ctx, { ...input, id }),
        (reference) => wallet(ctx, reference),
      ),
  }),
  freezeWallet: t.prismaField({
    type: Wallet,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: FreezeWalletInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: (_query, _root, { id, input }, ctx) =>
      once(
        ctx,
        () => freezeWallet(ctx, id, input.reason ?? null),
        (reference) => wallet(ctx, reference),
      ),
  }),
  unfreezeWallet: t.prismaField({
    type: Wallet,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: FreezeWalletInput }) },
    ...facts({ errors: [NotFound, StateConflict, WalletFrozen] }),
    resolve: (_query, _root, { id }, ctx) =>
      once(
        ctx,
        () => unfreezeWallet(ctx, id),
        (reference) => wallet(ctx, reference),
      ),
  }),
}));
