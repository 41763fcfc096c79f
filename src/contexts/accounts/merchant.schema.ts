// The GraphQL face of merchants.
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { visibleRelation } from '../../platform/schema/visible-relation.js';
import { visibleAccounts } from './account.js';
import { Account } from './account.schema.js';
import { CreateMerchantInput, MerchantStatusEnum, UpdateMerchantInput } from './merchant.input.js';
import { canSeeMerchant, createMerchant, type MerchantWarning, merchant, merchants, updateMerchant, warningsOf } from './merchant.js';
import { rest } from './rest.js';

const WarningType = builder.objectRef<MerchantWarning>('MerchantWarning').implement({
  fields: (t) => ({ code: t.exposeString('code'), message: t.exposeString('message') }),
});

export const Merchant = builder.prismaObject('Merchant', {
  description: 'A seller. Its account, settlement wallet and metadata are null for those who may not read that account.',
  select: { id: true, accountId: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'MerchantId' }),
    name: t.exposeString('name'),
    category: t.exposeString('category'),
    accountId: t.field({
      type: 'AccountId',
      nullable: true,
      description: 'Whose it is.',
      resolve: (row, _args, ctx) => (canSeeMerchant(ctx, row) ? row.accountId : null),
    }),
    account: t.field({ type: Account, nullable: true, description: 'Whose it is.', ...visibleRelation('account', visibleAccounts) }),
    settlementWalletId: t.field({
      type: 'WalletId',
      nullable: true,
      description: 'Where its money goes.',
      select: { settlementWalletId: true },
      resolve: (row, _args, ctx) => (canSeeMerchant(ctx, row) ? row.settlementWalletId : null),
    }),
    url: t.exposeString('url', { nullable: true }),
    status: t.expose('status', { type: MerchantStatusEnum }),
    metadata: t.field({
      type: 'JSONObject',
      nullable: true,
      select: { metadata: true },
      resolve: (row, _args, ctx) => (canSeeMerchant(ctx, row) ? row.metadata : null),
    }),
    acceptsBuyerPrices: t.exposeBoolean('acceptsBuyerPrices', {
      description: 'Whether buyers name the prices of checkouts under /v1, where it has no offer.',
    }),
    warnings: t.field({
      type: [WarningType],
      nullable: true,
      ...facts({ most: 10, embedded: true }),
      select: { metadata: true, acceptsBuyerPrices: true },
      description: 'What should be mended in it.',
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
    route: rest('GET /v1/merchants/{id}', 'Read a merchant.'),
    type: Merchant,
    args: { id: t.arg({ type: 'MerchantId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => merchant(ctx, id, query),
  }),
  merchants: t.field({
    route: rest('GET /v1/merchants', 'List merchants.'),
    type: MerchantPage,
    ...listed(t, merchants, {
      accountId: t.arg({ type: 'AccountId', required: false }),
      category: t.arg.string({ required: false }),
      status: t.arg({ type: MerchantStatusEnum, required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createMerchant: t.field({
    route: rest('POST /v1/merchants', 'Register a merchant.', { status: 201 }),
    type: Merchant,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: CreateMerchantInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { input }) => createMerchant(ctx, input), merchant),
  }),
  updateMerchant: t.field({
    route: rest('PATCH /v1/merchants/{id}', 'Change a merchant.'),
    type: Merchant,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'MerchantId' }), input: t.arg({ type: UpdateMerchantInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id, input }) => updateMerchant(ctx, { ...input, id }), merchant),
  }),
}));
