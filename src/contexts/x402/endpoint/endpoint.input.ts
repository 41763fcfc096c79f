// The inputs of x402 endpoints.
import { z } from 'zod';
import { X402EndpointStatus, X402Scheme } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';
import { endpointMethods } from './endpoint.js';
import { mostDiscounts } from './price.js';

export const EndpointStatusEnum = builder.enumType(X402EndpointStatus, { name: 'X402EndpointStatus' });
export const SchemeEnum = builder.enumType(X402Scheme, {
  name: 'X402Scheme',
  description: 'upto: the payer authorizes a maximum, and the seller settles what was used.',
});
export const MethodEnum = builder.enumType('X402Method', { values: endpointMethods });
const endpointName = z.string().trim().min(1).max(200);

const path = z
  .string()
  .regex(/^\/[\x21-\x7e]*$/, 'begins with / and has no white space')
  .max(1024);

const url = z.url({ protocol: /^https?$/ }).max(2048);
const network = z.string().min(1).max(64);
const description = z.string().max(500);

const X402VolumeDiscountInput = builder.inputType('X402VolumeDiscountInput', {
  fields: (t) => ({
    threshold: t.int({ description: 'Calls of one payer in a UTC month before it.', validate: z.int().min(1) }),
    priceMultiplier: t.field({ type: 'Multiplier', validate: z.string().max(8) }),
  }),
});

const discountList = { required: false, validate: z.array(z.any()).max(mostDiscounts) } as const;

export const CreateX402EndpointInput = builder.inputType('CreateX402EndpointInput', {
  fields: (t) => ({
    name: t.string({ validate: endpointName, extensions: { example: 'Weather' } }),
    path: t.string({
      required: false,
      description: "A path of the seller's gateway; or give url.",
      validate: path,
      extensions: { example: '/weather' },
    }),
    url: t.string({ required: false, validate: url, extensions: { example: null } }),
    method: t.field({ type: MethodEnum }),
    accountId: t.field({ type: 'AccountId' }),
    receiverWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: "Of the account or one of its agents; by default the account's oldest in the currency.",
    }),
    basePrice: t.field({
      type: 'Amount',
      description: 'What a call costs, and with upto what it costs at most.',
      extensions: { example: '0.0035' },
    }),
    currency: t.field({ type: 'Currency', required: false, description: 'USDC by default.', extensions: { example: 'USDC' } }),
    scheme: t.field({ type: SchemeEnum, required: false, description: 'exact by default.' }),
    network: t.string({ required: false, description: 'That of the ledger by default.', validate: network, extensions: { example: null } }),
    description: t.string({ required: false, validate: description }),
    volumeDiscounts: t.field({ type: [X402VolumeDiscountInput], ...discountList }),
    discoverable: t.boolean({ required: false, description: 'Listed for whoever looks for something to pay. False by default.' }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type CreateX402EndpointInput = typeof CreateX402EndpointInput.$inferInput;

export const UpdateX402EndpointInput = builder.inputType('UpdateX402EndpointInput', {
  fields: (t) => ({
    name: t.string({ required: false, validate: endpointName }),
    path: t.string({ required: false, validate: path, extensions: { example: '/weather' } }),
    url: t.string({ required: false, validate: url }),
    method: t.field({ type: MethodEnum, required: false }),
    receiverWalletId: t.field({ type: 'WalletId', required: false }),
    basePrice: t.field({ type: 'Amount', required: false }),
    scheme: t.field({ type: SchemeEnum, required: false }),
    network: t.string({ required: false, validate: network, extensions: { example: null } }),
    description: t.string({ required: false, validate: description }),
    volumeDiscounts: t.field({ type: [X402VolumeDiscountInput], ...discountList }),
    discoverable: t.boolean({ required: false }),
    status: t.field({ type: EndpointStatusEnum, required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type UpdateX402EndpointInput = typeof UpdateX402EndpointInput.$inferInput;
