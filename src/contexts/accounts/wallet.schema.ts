// The GraphQL face of wallets, their balances and their entries.
import { WalletStatus } from '../../generated/prisma/enums.js';
import { type Balance, balance } from '../../ledger/account.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { currencies, formatMinor } from '../../platform/money.js';
import { builder, facts, listed, nestedPageArgs, pageOf } from '../../platform/schema/builder.js';
import { nestedPage } from '../../platform/schema/nested-page.js';
import { visibleRelation } from '../../platform/schema/visible-relation.js';
import { visibleAccounts } from './account.js';
import { Account } from './account.schema.js';
import { accountBalances, balancesOf, type WalletBalance, walletBalance } from './balance.js';
import { WalletFrozen } from './errors.js';
import { rest } from './rest.js';
import { CreateWalletInput, FreezeWalletInput, UpdateWalletInput, WalletOwnerTypeEnum } from './wallet.input.js';
import { closeWallet, createWallet, freezeWallet, unfreezeWallet, updateWallet, visibleWallets, wallet, wallets } from './wallet.js';

const WalletStatusEnum = builder.enumType(WalletStatus, { name: 'WalletStatus' });

const BalanceType = builder.objectRef<Balance>('Balance').implement({
  extensions: { component: true },
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
  description: 'Holds money in one currency.',
  select: { id: true, ownerType: true, accountId: true, agentId: true, currency: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'WalletId' }),
    ownerType: t.expose('ownerType', { type: WalletOwnerTypeEnum }),
    ownerId: t.field({ type: 'OwnerId', description: 'The account or agent that owns it.', resolve: (w) => w.agentId ?? w.accountId }),
    accountId: t.expose('accountId', { type: 'AccountId' }),
    account: t.field({
      type: Account,
      nullable: true,
      description: 'The account that it belongs to; null for those who may not read it.',
      ...visibleRelation('account', visibleAccounts),
    }),
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
export const WalletPage = pageOf(Wallet, 'Wallet');

const WalletBalanceType = builder.objectRef<WalletBalance>('WalletBalance').implement({
  description: 'The balance of a wallet at a point in time.',
  fields: (t) => ({
    walletId: t.expose('walletId', { type: 'WalletId' }),
    at: t.expose('at', { type: 'DateTime' }),
    balance: t.field({ wire: { shown: false }, type: BalanceType, resolve: (b) => b }),
    currency: t.expose('currency', { wire: { after: 'total' }, type: 'Currency' }),
    available: t.field({ type: 'Amount', resolve: (b) => formatMinor(b.available, b.currency) }),
    held: t.field({ type: 'Amount', resolve: (b) => formatMinor(b.held, b.currency) }),
    wrapped: t.field({ type: 'Amount', resolve: (b) => formatMinor(b.wrapped, b.currency) }),
    total: t.field({ type: 'Amount', resolve: (b) => formatMinor(b.available + b.held + b.wrapped, b.currency) }),
  }),
});

builder.queryFields((t) => ({
  wallet: t.prismaField({
    route: rest('GET /v1/wallets/{id}', 'Read a wallet with its balance.'),
    type: Wallet,
    args: { id: t.arg({ type: 'WalletId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => wallet(ctx, id, query),
  }),
  wallets: t.field({
    route: rest('GET /v1/wallets', 'List wallets.'),
    type: WalletPage,
    ...listed(t, wallets, {
      ownerType: t.arg({ type: WalletOwnerTypeEnum, required: false }),
      ownerId: t.arg({ type: 'OwnerId', required: false }),
      currency: t.arg({ type: 'Currency', required: false }),
      status: t.arg({ type: WalletStatusEnum, required: false }),
    }),
  }),
  walletBalance: t.field({
    route: rest('GET /v1/wallets/{id}/balance', 'The balance of a wallet, now or at a point in time.'),
    type: WalletBalanceType,
    args: { id: t.arg({ type: 'WalletId' }), at: t.arg({ type: 'DateTime', required: false }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id, at }, ctx) => walletBalance(ctx, id, at ?? undefined),
  }),
  accountBalances: t.field({
    route: rest('GET /v1/accounts/{id}/balances', 'Balances of an account, one line per currency, now or at a point in time.', {
      name: 'getAccountBalances',
    }),
    type: [BalanceType],
    args: { id: t.arg({ type: 'AccountId' }), at: t.arg({ type: 'DateTime', required: false }) },
    ...facts({ errors: [NotFound], most: currencies.length }),
    resolve: (_root, { id, at }, ctx) => accountBalances(ctx, id, at ?? undefined),
  }),
}));

builder.prismaObjectFields(Account, (t) => ({
  wallets: t.field({
    type: WalletPage,
    description: 'The wallets of the account and of its agents, newest first, as far as you may read them.',
    args: nestedPageArgs(t, 'WalletId'),
    extensions: { visible: true },
    resolve: nestedPage({ model: 'Wallet', parent: 'accountId', visible: visibleWallets }),
  }),
  balances: t.field({
    type: [BalanceType],
    description: 'Sums per currency over its wallets and those of its agents, as far as you may read them; now or at a point in time.',
    args: { at: t.arg({ type: 'DateTime', required: false }) },
    ...facts({ most: currencies.length }),
    resolve: ({ id }, { at }, ctx) => balancesOf(ctx, id, at ?? undefined),
  }),
}));

builder.mutationFields((t) => ({
  createWallet: t.field({
    route: rest('POST /v1/wallets', 'Open a wallet for an account or an agent.', { status: 201 }),
    type: Wallet,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: CreateWalletInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { input }) => createWallet(ctx, input), wallet),
  }),
  updateWallet: t.field({
    route: rest('PATCH /v1/wallets/{id}', "Change a wallet's name, threshold or metadata."),
    type: Wallet,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: UpdateWalletInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id, input }) => updateWallet(ctx, { ...input, id }), wallet),
  }),
  freezeWallet: t.field({
    route: rest('POST /v1/wallets/{id}/freeze', "Stop a wallet's spending. It still takes money."),
    type: Wallet,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: FreezeWalletInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => freezeWallet(ctx, id, input.reason ?? null), wallet),
  }),
  closeWallet: t.field({
    route: rest('POST /v1/wallets/{id}/close', 'Close an empty wallet for good.'),
    type: Wallet,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'WalletId' }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id }) => closeWallet(ctx, id), wallet),
  }),
  unfreezeWallet: t.field({
    route: rest('POST /v1/wallets/{id}/unfreeze', 'Let a frozen wallet spend again.'),
    type: Wallet,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: FreezeWalletInput }) },
    ...facts({ errors: [NotFound, StateConflict, WalletFrozen] }),
    resolve: once((ctx, { id }) => unfreezeWallet(ctx, id), wallet),
  }),
}));
