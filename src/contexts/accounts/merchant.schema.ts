// The GraphQL face of merchants.
import { z } from 'zod';
import { MerchantStatus } from '../../generated/prisma/enums.js';
import { builder, facts, nodesQuery, pageArgs, pageOf } from '../../platform/builder.js';
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { createMerchant, merchant, merchants, updateMerchant } from './merchant.js';

const MerchantStatusEnum = builder.enumType(MerchantStatus, { name: 'MerchantStatus' });

export const Merchant = builder.prismaObject('Merchant', {
  description: 'A seller.',
  fields: (t) => ({
    id: t.expose('id', { type: 'MerchantId' }),
    name: t.exposeString('name'),
    category: t.exposeString('category'),
    accountId: t.expose('accountId', { type: 'AccountId' }),
    account: t.relation('account'),
    settlementWalletId: t.expose('settlementWalletId', { type: 'WalletId', nullable: true }),
    url: t.exposeString('url', { nullable: true }),
    status: t.expose('status', { type: MerchantStatusEnum }),
    metadata: t.expose('metadata', { type: 'JSONObject' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const MerchantPage = pageOf(Merchant, 'Merchant');

const merchantName = z.string().trim().min(1).max(200);
const category = z
  .string()
  .regex(/^(\d{4}|[a-z0-9]+(-[a-z0-9]+)*)$/, 'must be a slug such as cloud-computing, or a four-digit MCC')
  .max(64);
const url = z.url({ protocol: /^https?$/ }).max(2048);

const CreateMerchantInput = builder.inputType('CreateMerchantInput', {
  fields: (t) => ({
    name: t.string({ validate: merchantName }),
    category: t.string({ description: 'A slug, or a four-digit merchant category code.', validate: category }),
    accountId: t.field({ type: 'AccountId' }),
    settlementWalletId: t.field({ type: 'WalletId', required: false }),
    url: t.string({ required: false, validate: url }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
const UpdateMerchantInput = builder.inputType('UpdateMerchantInput', {
  fields: (t) => ({
    name: t.string({ required: false, validate: merchantName }),
    category: t.string({ required: false, validate: category }),
    settlementWalletId: t.field({ type: 'WalletId', required: false }),
    url: t.string({ required: false, validate: url }),
    status: t.field({ type: MerchantStatusEnum, required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});

builder.queryFields((t) => ({
  merchant: t.prismaField({
    type: Merchant,
    args: { id: t.arg({ type: 'MerchantId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => merchant(ctx, id, query),
  }),
  merchants: t.field({
    type: MerchantPage,
    args: {
      ...pageArgs(t),
      accountId: t.arg({ type: 'AccountId', required: false }),
      category: t.arg.string({ required: false }),
      status: t.arg({ type: MerchantStatusEnum, required: false }),
      after: t.arg({ type: 'MerchantId', required: false }),
    },
    resolve: (_root, filter, ctx, info) => merchants(ctx, filter, nodesQuery(ctx, info)),
  }),
}));

builder.mutationFields((t) => ({
  createMerchant: t.prismaField({
    type: Merchant,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: CreateMerchantInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { input }, ctx) =>
      once(
        ctx,
        () => createMerchant(ctx, input),
        (id) => merchant(ctx, id),
      ),
  }),
  updateMerchant: t.prismaField({
    type: Merchant,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'MerchantId' }), input: t.arg({ type: UpdateMerchantInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id, input }, ctx) =>
      once(
        ctx,
        () => updateMerchant(ctx, { ...input, id }),
        (reference) => merchant(ctx, reference),
      ),
  }),
}));
