// The inputs of merchants.
import { z } from 'zod';
import { MerchantStatus } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { category } from './category.js';
import { hostList } from './shop-host.js';

export const MerchantStatusEnum = builder.enumType(MerchantStatus, {
  name: 'MerchantStatus',
  description: '`active`: it can be paid. `inactive`: new checkouts and payments to it are refused.',
});
const merchantName = z.string().trim().min(1).max(200);
const url = z.url({ protocol: /^https?$/ }).max(2048);

export const CreateMerchantInput = builder.inputType('CreateMerchantInput', {
  description: 'A new merchant.',
  fields: (t) => ({
    name: t.string({
      description: 'Name of the merchant, 1 to 200 characters.',
      validate: merchantName,
      extensions: { example: 'Pottery Ltd' },
    }),
    category: t.string({
      description: 'A slug such as `retail`, or a four-digit merchant category code.',
      validate: category.max(64),
      extensions: { example: 'retail' },
    }),
    accountId: t.field({ type: 'AccountId', description: 'The account that owns the merchant and is paid.' }),
    settlementWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: 'The wallet that is paid. Without it the oldest wallet of the account in the currency is.',
    }),
    url: t.string({ required: false, description: 'Address of the shop, http or https, at most 2,048 characters.', validate: url }),
    metadata: t.field({ type: 'JSONObject', required: false }),
    acceptsBuyerPrices: t.boolean({
      required: false,
      description: 'While there is no offer: false refuses checkouts at prices that the buyer names. True by default.',
    }),
    shopHosts: t.stringList({
      required: false,
      description:
        'Hosts at which this merchant alone is seen, with a port where it is another than 443, at most 20. In production who runs the platform adds them.',
      validate: hostList,
      extensions: { example: ['pottery.shop.example'] },
    }),
  }),
});
export type CreateMerchantInput = typeof CreateMerchantInput.$inferInput;

export const UpdateMerchantInput = builder.inputType('UpdateMerchantInput', {
  description: 'Changes of a merchant. A member that is left out stays as it is; `metadata` is replaced as a whole.',
  fields: (t) => ({
    name: t.string({
      required: false,
      description: 'New name, 1 to 200 characters.',
      validate: merchantName,
      extensions: { example: 'Pottery and Glass Ltd' },
    }),
    category: t.string({ required: false, description: 'New slug or four-digit merchant category code.', validate: category.max(64) }),
    settlementWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: 'New wallet that is paid, one of the account; null goes back to its oldest in the currency.',
    }),
    url: t.string({ required: false, description: 'New address of the shop; null removes it.', validate: url }),
    status: t.field({ type: MerchantStatusEnum, required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
    acceptsBuyerPrices: t.boolean({
      required: false,
      description: 'While there is no offer: false refuses checkouts at prices that the buyer names.',
    }),
    shopHosts: t.stringList({
      required: false,
      description: 'All hosts at which this merchant alone is seen from now on. In production a tenant may leave some out, and add none.',
      validate: hostList,
      extensions: { example: ['glass.shop.example'] },
    }),
  }),
});
export type UpdateMerchantInput = typeof UpdateMerchantInput.$inferInput;
