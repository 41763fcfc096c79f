// The GraphQL face of wallets, their balances and their entries.

import { WalletStatus } from '../../generated/prisma/enums.js';
import { type Balance, balance } from '../../ledger/account.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { currencies, formatMinor } from '../../platform/money.js';
import { builder, facts, listed, nestedPageArgs, pageOf } from '../../platform/schema/builder.js';
import { nestedPage } from '../../platform/schema/nested-page.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { visibleRelation } from '../../platform/schema/visible-relation.js';
import { visibleAccounts } from './account.js';
import { Account } from './account.schema.js';
import { accountBalances, balancesOf, type WalletBalance, walletBalance } from './balance.js';
import { WalletFrozen } from './errors.js';
import { rest } from './rest.js';
import { CreateWalletInput, FreezeWalletInput, UpdateWalletInput, WalletOwnerTypeEnum } from './wallet.input.js';
import {
  closeWallet,
  createWallet,
  freezeWallet,
  namedWallet,
  unfreezeWallet,
  updateWallet,
  visibleWallets,
  wallet,
  wallets,
} from './wallet.js';

const WalletStatusEnum = builder.enumType(WalletStatus, {
  name: 'WalletStatus',
  description: '`active`: it pays and is paid. `frozen`: it is paid but does not spend. `closed`: neither, for good.',
});

const BalanceType = builder.objectRef<Balance>('Balance').implement({
  extensions: { component: true },
  description: 'What a wallet holds in one currency, by bucket.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency' }),
    available: t.field({ type: 'Amount', description: 'What can be spent now.', resolve: (b) => formatMinor(b.available, b.currency) }),
    held: t.field({
      type: 'Amount',
      description: 'What is set aside for holds and approvals; it is captured or comes back.',
      resolve: (b) => formatMinor(b.held, b.currency),
    }),
    wrapped: t.field({
      type: 'Amount',
      description: 'What is ready to be streamed; unwrap it to spend it.',
      resolve: (b) => formatMinor(b.wrapped, b.currency),
    }),
    pendingIn: t.field({
      type: 'Amount',
      description: 'What is on its way to the wallet and not counted in `total`.',
      resolve: (b) => formatMinor(b.pendingIn, b.currency),
    }),
    total: t.field({
      type: 'Amount',
      description: 'The sum of available, held and wrapped.',
      resolve: (b) => formatMinor(b.available + b.held + b.wrapped, b.currency),
    }),
  }),
});

export const Wallet = builder.prismaObject('Wallet', {
  ...byId(rowsOf('wallet', visibleWallets)),
  description: 'Holds money of an account or agent in one currency.',
  select: { id: true, ownerType: true, accountId: true, agentId: true, currency: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'WalletId' }),
    ownerType: t.expose('ownerType', { type: WalletOwnerTypeEnum }),
    ownerId: t.field({ type: 'OwnerId', description: 'The account or agent that owns it.', resolve: (w) => w.agentId ?? w.accountId }),
    accountId: t.expose('accountId', { type: 'AccountId', description: 'The account that owns the wallet or its agent.' }),
    account: t.field({
      type: Account,
      nullable: true,
      description: 'The account that it belongs to; null for those who may not read it.',
      ...visibleRelation('account', visibleAccounts),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    name: t.exposeString('name', { nullable: true, description: 'Your own name for the wallet; null where none was given.' }),
    status: t.expose('status', { type: WalletStatusEnum }),
    balance: t.field({
      type: BalanceType,
      description: 'What the wallet holds now, by bucket.',
      resolve: (w, _args, ctx) => balance(ctx, w.id),
    }),
    lowBalanceThreshold: t.field({
      type: 'Amount',
      nullable: true,
      description: '`account.balance.low` is emitted when the available balance falls below it; null turns it off.',
      select: { lowBalanceThreshold: true },
      resolve: (w) => (w.lowBalanceThreshold === null ? null : formatMinor(w.lowBalanceThreshold, w.currency)),
    }),
    frozenAt: t.expose('frozenAt', { type: 'DateTime', nullable: true, description: 'When the wallet was frozen; null while it is not.' }),
    frozenReason: t.exposeString('frozenReason', {
      nullable: true,
      description: 'Why the wallet was frozen; null while it is not, or where no reason was given.',
    }),
    metadata: t.expose('metadata', { type: 'JSONObject' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
export const WalletPage = pageOf(Wallet, 'Wallet');

const WalletBalanceType = builder.objectRef<WalletBalance>('WalletBalance').implement({
  description: 'The balance of a wallet at a point in time.',
  fields: (t) => ({
    walletId: t.expose('walletId', { type: 'WalletId', description: 'The wallet.' }),
    at: t.expose('at', { type: 'DateTime', description: 'The time of these balances.' }),
    balance: t.field({ wire: { shown: false }, type: BalanceType, description: 'The same figures as one object.', resolve: (b) => b }),
    currency: t.expose('currency', { wire: { after: 'total' }, type: 'Currency' }),
    available: t.field({
      type: 'Amount',
      description: 'What could be spent at that time.',
      resolve: (b) => formatMinor(b.available, b.currency),
    }),
    held: t.field({
      type: 'Amount',
      description: 'What was set aside for holds and approvals at that time.',
      resolve: (b) => formatMinor(b.held, b.currency),
    }),
    wrapped: t.field({
      type: 'Amount',
      description: 'What was ready to be streamed at that time.',
      resolve: (b) => formatMinor(b.wrapped, b.currency),
    }),
    total: t.field({
      type: 'Amount',
      description: 'The sum of available, held and wrapped.',
      resolve: (b) => formatMinor(b.available + b.held + b.wrapped, b.currency),
    }),
  }),
});

builder.queryFields((t) => ({
  wallet: t.prismaField({
    route: rest(
      'GET /v1/wallets/{id}',
      'Read a wallet with its balance. An agent reads its own wallets and those of its account; any other is 404.',
    ),
    type: Wallet,
    authScopes: { audience: 'any', scope: 'wallets:read' },
    args: { id: t.arg({ type: 'WalletId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => wallet(ctx, id, query),
  }),
  wallets: t.field({
    route: rest(
      'GET /v1/wallets',
      'List wallets with their balances, newest first. Filter by owner, currency or status; an agent sees its own wallets and those of its account.',
    ),
    type: WalletPage,
    authScopes: { audience: 'any', scope: 'wallets:read' },
    ...listed(t, wallets, {
      ownerType: t.arg({ type: WalletOwnerTypeEnum, required: false }),
      ownerId: t.arg({ type: 'OwnerId', required: false }),
      currency: t.arg({ type: 'Currency', required: false }),
      status: t.arg({ type: WalletStatusEnum, required: false }),
    }),
  }),
  walletBalance: t.field({
    route: rest(
      'GET /v1/wallets/{id}/balance',
      'Read the balance of a wallet, now or at a time in the past. Balances of the past are computed from ledger entries, which never change.',
    ),
    type: WalletBalanceType,
    authScopes: { audience: 'any', scope: 'wallets:read' },
    args: {
      id: t.arg({ type: 'WalletId' }),
      at: t.arg({ type: 'DateTime', required: false, description: 'The time to read the balance at; now by default.' }),
    },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id, at }, ctx) => walletBalance(ctx, id, at ?? undefined),
  }),
  accountBalances: t.field({
    route: rest(
      'GET /v1/accounts/{id}/balances',
      'Read the balances of an account, one line per currency. They sum its own wallets and those of its agents, as far as you may read them, now or at a time in the past.',
      {
        name: 'getAccountBalances',
      },
    ),
    type: [BalanceType],
    authScopes: { audience: 'any', scope: 'wallets:read' },
    args: {
      id: t.arg({ type: 'AccountId' }),
      at: t.arg({ type: 'DateTime', required: false, description: 'The time to read the balances at; now by default.' }),
    },
    ...facts({ errors: [NotFound], most: currencies.length }),
    resolve: (_root, { id, at }, ctx) => accountBalances(ctx, id, at ?? undefined),
  }),
}));

builder.prismaObjectFields(Account, (t) => ({
  wallets: t.field({
    type: WalletPage,
    authScopes: { audience: 'any', scope: 'wallets:read' },
    description: 'The wallets of the account and of its agents, newest first, as far as you may read them.',
    args: nestedPageArgs(t, 'WalletId'),
    extensions: { visible: true },
    resolve: nestedPage({ model: 'Wallet', parent: 'accountId', visible: visibleWallets }),
  }),
  balances: t.field({
    type: [BalanceType],
    description: 'Sums per currency over its wallets and those of its agents, as far as you may read them; now or at a point in time.',
    args: { at: t.arg({ type: 'DateTime', required: false, description: 'The time to read the balances at; now by default.' }) },
    ...facts({ most: currencies.length }),
    resolve: ({ id }, { at }, ctx) => balancesOf(ctx, id, at ?? undefined),
  }),
}));

builder.mutationFields((t) => ({
  createWallet: t.field({
    route: rest(
      'POST /v1/wallets',
      'Open a wallet for an account or an agent. It begins empty and holds one currency. The account must be active, else 409 `state_conflict`.',
      { status: 201 },
    ),
    type: Wallet,
    authScopes: { audience: 'operator', scope: 'wallets:write' },
    args: { input: t.arg({ type: CreateWalletInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { input }) => createWallet(ctx, input), wallet),
  }),
  updateWallet: t.field({
    route: rest(
      'PATCH /v1/wallets/{id}',
      'Change the name, threshold or metadata of a wallet. A null `low_balance_threshold` turns `account.balance.low` off.',
    ),
    type: Wallet,
    authScopes: { audience: 'operator', scope: 'wallets:write' },
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: UpdateWalletInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id, input }) => updateWallet(ctx, { ...input, id }), wallet),
  }),
  freezeWallet: t.field({
    route: rest(
      'POST /v1/wallets/{id}/freeze',
      'Freeze a wallet, which stops its spending. It still takes payments, and streams that it pays are paused. A wallet that is not active is 409 `state_conflict`.',
    ),
    type: Wallet,
    authScopes: { audience: 'operator', scope: 'freeze:write' },
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: FreezeWalletInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => freezeWallet(ctx, id, input.reason ?? null), namedWallet),
  }),
  closeWallet: t.field({
    route: rest(
      'POST /v1/wallets/{id}/close',
      'Close an empty wallet for good. While it holds money, or a hold, stream, payout or task is open on it, the answer is 409 `state_conflict` and `details.open` names what to end first.',
    ),
    type: Wallet,
    authScopes: { audience: 'operator', scope: 'wallets:write' },
    args: { id: t.arg({ type: 'WalletId' }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id }) => closeWallet(ctx, id), wallet),
  }),
  unfreezeWallet: t.field({
    route: rest(
      'POST /v1/wallets/{id}/unfreeze',
      'Let a frozen wallet spend again. Streams that the freeze paused stay paused until they are resumed. A wallet that is not frozen is 409 `state_conflict`.',
    ),
    type: Wallet,
    authScopes: { audience: 'operator', scope: 'policies:write' },
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: FreezeWalletInput }) },
    ...facts({ errors: [NotFound, StateConflict, WalletFrozen] }),
    resolve: once((ctx, { id }) => unfreezeWallet(ctx, id), namedWallet),
  }),
}));
