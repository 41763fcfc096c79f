// The inputs of merchants.
import { z } from 'zod';
import { MerchantStatus } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { category } from './category.js';

export const MerchantStatusEnum = builder.enumType(MerchantStatus, { name: 'MerchantStatus' });
const merchantName = z.string().trim().min(1).max(200);
const url = z.url({ protocol: /^https?$/ }).max(2048);

export const CreateMerchantInput = builder.inputType('CreateMerchantInput', {
  fields: (t) => ({
    name: t.string({ validate: merchantName, extensions: { example: 'Pottery Ltd' } }),
    category: t.string({
      description: 'A slug, or a four-digit merchant category code.',
      validate: category.max(64),
      extensions: { example: 'retail' },
    }),
    accountId: t.field({ type: 'AccountId' }),
    settlementWalletId: t.field({ type: 'WalletId', required: false }),
    url: t.string({ required: false, validate: url }),
    metadata: t.field({ type: 'JSONObject', required: false }),
    acceptsBuyerPrices: t.boolean({
      required: false,
      description: 'Without an offer: false refuses checkouts at prices that buyers name. True by default.',
    }),
  }),
});
export type CreateMerchantInput = typeof CreateMerchantInput.$inferInput;

export const UpdateMerchantInput = builder.inputType('UpdateMerchantInput', {
  fields: (t) => ({
    name: t.string({ required: false, validate: merchantName, extensions: { example: 'Pottery and Glass Ltd' } }),
    category: t.string({ required: false, validate: category.max(64) }),
    settlementWalletId: t.field({ type: 'WalletId', required: false }),
    url: t.string({ required: false, validate: url }),
    status: t.field({ type: MerchantStatusEnum, required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
    acceptsBuyerPrices: t.boolean({
      required: false,
      description: 'Without an offer: false refuses checkouts at prices that buyers name.',
    }),
  }),
});
export type UpdateMerchantInput = typeof UpdateMerchantInput.$inferInput;
