// The GraphQL face of merchants.

import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { visibleRelation } from '../../platform/schema/visible-relation.js';
import { visibleAccounts } from './account.js';
import { Account } from './account.schema.js';
import { CreateMerchantInput, MerchantStatusEnum, UpdateMerchantInput } from './merchant.input.js';
import {
  canSeeMerchant,
  createMerchant,
  type MerchantWarning,
  merchant,
  merchants,
  updateMerchant,
  visibleMerchants,
  warningsOf,
} from './merchant.js';
import { rest } from './rest.js';
import { ShopHostTaken } from './shop.js';

const WarningType = builder.objectRef<MerchantWarning>('MerchantWarning').implement({
  description: 'Something about a merchant that should be fixed.',
  fields: (t) => ({ code: t.exposeString('code'), message: t.exposeString('message') }),
});

export const Merchant = builder.prismaObject('Merchant', {
  ...byId(rowsOf('merchant', visibleMerchants)),
  description: 'A seller. Its account, settlement wallet and metadata are null for those who may not read that account.',
  select: { id: true, accountId: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'MerchantId' }),
    name: t.exposeString('name', { description: 'Name of the merchant, as buyers see it.' }),
    category: t.exposeString('category', {
      description: 'A slug such as `retail`, or a four-digit merchant category code; policies and mandates match it.',
    }),
    accountId: t.field({
      type: 'AccountId',
      nullable: true,
      description: 'The account that owns the merchant; null for those who may not read that account.',
      resolve: (row, _args, ctx) => (canSeeMerchant(ctx, row) ? row.accountId : null),
    }),
    account: t.field({
      type: Account,
      nullable: true,
      description: 'The account that owns the merchant; null for those who may not read that account.',
      ...visibleRelation('account', visibleAccounts),
    }),
    settlementWalletId: t.field({
      type: 'WalletId',
      nullable: true,
      description: 'The wallet that is paid; null where none is set, and for those who may not read the account.',
      select: { settlementWalletId: true },
      resolve: (row, _args, ctx) => (canSeeMerchant(ctx, row) ? row.settlementWalletId : null),
    }),
    url: t.exposeString('url', { nullable: true, description: 'Address of the shop; null where none was given.' }),
    status: t.expose('status', { type: MerchantStatusEnum }),
    metadata: t.field({
      type: 'JSONObject',
      nullable: true,
      select: { metadata: true },
      resolve: (row, _args, ctx) => (canSeeMerchant(ctx, row) ? row.metadata : null),
    }),
    acceptsBuyerPrices: t.exposeBoolean('acceptsBuyerPrices', {
      description: 'Whether buyers may name the prices of checkouts under /v1 while the merchant has no offer.',
    }),
    shopHosts: t.exposeStringList('shopHosts', {
      ...facts({ most: 20, embedded: true }),
      description: 'Hosts at which it alone is seen, by UCP and ACP.',
    }),
    warnings: t.field({
      type: [WarningType],
      nullable: true,
      ...facts({ most: 10, embedded: true }),
      select: {
        metadata: true,
        acceptsBuyerPrices: true,
        account: { select: { wallets: { where: { status: { not: 'closed' } }, take: 1, select: { id: true } } } },
      },
      description:
        'What keeps it from selling or from being paid, and what mends that. Null where nothing does, and for those who may not read the account.',
      resolve: (row, _args, ctx) => {
        const warnings = canSeeMerchant(ctx, row) ? warningsOf(row) : [];
        return warnings.length === 0 ? null : warnings;
      },
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const MerchantPage = pageOf(Merchant, 'Merchant');

builder.queryFields((t) => ({
  merchant: t.prismaField({
    route: rest(
      'GET /v1/merchants/{id}',
      'Read a merchant. Every actor reads its public side; `account_id`, `settlement_wallet_id`, `metadata` and `warnings` are left out for those who may not read its account.',
    ),
    type: Merchant,
    authScopes: { audience: 'any', scope: 'accounts:read' },
    args: { id: t.arg({ type: 'MerchantId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => merchant(ctx, id, query),
  }),
  merchants: t.field({
    route: rest(
      'GET /v1/merchants',
      'List merchants, newest first. Filter by account, category or status; every actor sees the public side of all merchants of the workspace.',
    ),
    type: MerchantPage,
    authScopes: { audience: 'any', scope: 'accounts:read' },
    ...listed(t, merchants, {
      accountId: t.arg({ type: 'AccountId', required: false }),
      category: t.arg.string({ required: false }),
      status: t.arg({ type: MerchantStatusEnum, required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createMerchant: t.field({
    route: rest(
      'POST /v1/merchants',
      'Register a merchant: a seller whom agents can pay. The account and the settlement wallet must be in this workspace, else 404. An offer in `metadata.offer` gives its prices; without one the answer has `warnings`.',
      { status: 201 },
    ),
    type: Merchant,
    authScopes: { audience: 'operator', scope: 'accounts:write' },
    args: { input: t.arg({ type: CreateMerchantInput }) },
    ...facts({ errors: [NotFound, ShopHostTaken] }),
    resolve: once((ctx, { input }) => createMerchant(ctx, input), merchant),
  }),
  updateMerchant: t.field({
    route: rest(
      'PATCH /v1/merchants/{id}',
      'Change a merchant. An inactive merchant is not paid; `metadata` and `shop_hosts` replace what was there, and an invalid `metadata.offer` is 400.',
    ),
    type: Merchant,
    authScopes: { audience: 'operator', scope: 'accounts:write' },
    args: { id: t.arg({ type: 'MerchantId' }), input: t.arg({ type: UpdateMerchantInput }) },
    ...facts({ errors: [NotFound, ShopHostTaken] }),
    resolve: once((ctx, { id, input }) => updateMerchant(ctx, { ...input, id }), merchant),
  }),
}));
