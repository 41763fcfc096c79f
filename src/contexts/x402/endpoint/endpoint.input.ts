// The inputs of x402 endpoints.
import { z } from 'zod';
import { X402EndpointStatus, X402Scheme } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';
import { endpointMethods } from './endpoint.js';
import { mostDiscounts } from './price.js';

export const EndpointStatusEnum = builder.enumType(X402EndpointStatus, {
  name: 'X402EndpointStatus',
  description: '`active`: takes payments. `paused` and `disabled`: takes none.',
});
export const SchemeEnum = builder.enumType(X402Scheme, {
  name: 'X402Scheme',
  description: '`exact`: a fixed price. `upto`: the payer authorizes a maximum, and the seller settles what was used.',
});
export const MethodEnum = builder.enumType('X402Method', {
  description: 'HTTP method of the call; `ANY` is every one.',
  values: endpointMethods,
});
const endpointName = z.string().trim().min(1).max(200);

const path = z
  .string()
  .regex(/^\/[\x21-\x7e]*$/, 'begins with / and has no white space')
  .max(1024);

const url = z.url({ protocol: /^https?$/ }).max(2048);
const network = z.string().min(1).max(64);
const description = z.string().max(500);

const X402VolumeDiscountInput = builder.inputType('X402VolumeDiscountInput', {
  description: 'A price from some number of calls on.',
  fields: (t) => ({
    threshold: t.int({
      description: 'Number of earlier calls of one payer in the UTC month from which on the discount counts.',
      validate: z.int().min(1),
    }),
    priceMultiplier: t.field({
      type: 'Multiplier',
      description: 'What the base price is multiplied by, such as "0.8".',
      validate: z.string().max(8),
    }),
  }),
});

const discountList = { required: false, validate: z.array(z.any()).max(mostDiscounts) } as const;

export const CreateX402EndpointInput = builder.inputType('CreateX402EndpointInput', {
  description: 'A new paid endpoint.',
  fields: (t) => ({
    name: t.string({ description: 'Your own name for the endpoint.', validate: endpointName, extensions: { example: 'Weather' } }),
    path: t.string({
      required: false,
      description: "Path of the call at the seller's gateway, beginning with a slash. Give this or `url`.",
      validate: path,
      extensions: { example: '/weather' },
    }),
    url: t.string({
      required: false,
      description: 'Whole address of the call. Give this or `path`.',
      validate: url,
      extensions: { example: null },
    }),
    method: t.field({ type: MethodEnum }),
    accountId: t.field({ type: 'AccountId', description: 'The account that sells.' }),
    receiverWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: "The wallet that is paid, of the account or one of its agents; by default the account's oldest in the currency.",
    }),
    basePrice: t.field({
      type: 'Amount',
      description: 'What a call costs, in `currency`; with `upto` what it costs at most.',
      extensions: { example: '0.0035' },
    }),
    currency: t.field({
      type: 'Currency',
      required: false,
      description: 'The currency of the price; USDC by default.',
      extensions: { example: 'USDC' },
    }),
    scheme: t.field({ type: SchemeEnum, required: false, description: 'How the price is settled; `exact` by default.' }),
    network: t.string({
      required: false,
      description: "The network that is offered first; that of the platform's ledger by default.",
      validate: network,
      extensions: { example: null },
    }),
    description: t.string({ required: false, description: 'What is sold, for buyers.', validate: description }),
    volumeDiscounts: t.field({
      type: [X402VolumeDiscountInput],
      description: 'Lower prices for payers with many calls in a month; thresholds rise, multipliers fall.',
      ...discountList,
    }),
    discoverable: t.boolean({ required: false, description: 'True lists it in the public discovery; false by default.' }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type CreateX402EndpointInput = typeof CreateX402EndpointInput.$inferInput;

export const UpdateX402EndpointInput = builder.inputType('UpdateX402EndpointInput', {
  description: 'Changes of a paid endpoint. A member that is left out stays as it is.',
  fields: (t) => ({
    name: t.string({ required: false, description: 'New name.', validate: endpointName }),
    path: t.string({ required: false, description: 'New path of the call.', validate: path, extensions: { example: '/weather' } }),
    url: t.string({ required: false, description: 'New whole address of the call.', validate: url }),
    method: t.field({ type: MethodEnum, required: false }),
    receiverWalletId: t.field({ type: 'WalletId', required: false, description: 'New wallet that is paid.' }),
    basePrice: t.field({ type: 'Amount', required: false, description: 'New price of a call, in the currency of the endpoint.' }),
    scheme: t.field({ type: SchemeEnum, required: false }),
    network: t.string({
      required: false,
      description: 'New network that is offered first.',
      validate: network,
      extensions: { example: null },
    }),
    description: t.string({ required: false, description: 'New description for buyers; null removes it.', validate: description }),
    volumeDiscounts: t.field({
      type: [X402VolumeDiscountInput],
      description: 'New volume discounts, which replace those before.',
      ...discountList,
    }),
    discoverable: t.boolean({ required: false, description: 'Whether it is listed in the public discovery.' }),
    status: t.field({ type: EndpointStatusEnum, required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type UpdateX402EndpointInput = typeof UpdateX402EndpointInput.$inferInput;
