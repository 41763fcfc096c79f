// The inputs of checkouts.
import { z } from 'zod';
import { CheckoutPaymentMethod, CheckoutStatus } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { mostItems } from './item.js';

export const CheckoutStatusEnum = builder.enumType(CheckoutStatus, {
  name: 'CheckoutStatus',
  description:
    '`created`: not paid. `pending_payment`: being paid. `paid`. `fulfilled`: delivered. `failed`: the payment failed, and another may be tried. `expired` and `cancelled`: ended unpaid.',
});
export const CheckoutPaymentMethodEnum = builder.enumType(CheckoutPaymentMethod, {
  name: 'CheckoutPaymentMethod',
  description: 'How the buyer intends to pay.',
});

/** Gap G-246: A basket has 1 to 100 items of at most 1,000,000 each, and a total of at most 10^17 minor units. */
const mostOfOne = 1_000_000;
const text = (most: number) => z.string().min(1).max(most);

export const CheckoutAddressInput = builder.inputType('CheckoutAddressInput', {
  description: 'A postal address.',
  fields: (t) => ({
    line1: t.string({ description: 'Street and number.', validate: text(200) }),
    line2: t.string({ required: false, description: 'Second line of the address.', validate: text(200) }),
    city: t.string({ description: 'City.', validate: text(100) }),
    state: t.string({ required: false, description: 'State or region.', validate: text(100) }),
    postalCode: t.string({ description: 'Postal code.', validate: text(20) }),
    country: t.string({
      description: 'Country, as an ISO 3166-1 alpha-2 code such as US.',
      validate: z.string().regex(/^[A-Z]{2}$/, 'must be a country code of two capital letters'),
      extensions: { example: 'US' },
    }),
  }),
});
export type CheckoutAddressInput = typeof CheckoutAddressInput.$inferInput;

const sku = text(128);
const quantity = z.number().int().min(1).max(mostOfOne);
const basket = z.array(z.unknown()).min(1).max(mostItems);
const expiresIn = z.number().int().min(60).max(86_400);
const url = z.url({ protocol: /^https?$/ }).max(2_048);

const AcpItemInput = builder.inputType('ACPItemInput', {
  description: 'An item of the basket.',
  fields: (t) => ({
    sku: t.string({ description: "The merchant's id of the product.", validate: sku, extensions: { example: 'SKU-1' } }),
    quantity: t.int({ description: 'How many, at least 1.', validate: quantity }),
    unitPrice: t.field({
      type: 'Amount',
      description: "Price of one, in `currency`; where the merchant has an offer it has to be the offer's.",
    }),
    currency: t.field({ type: 'Currency' }),
  }),
});

const UcpItemInput = builder.inputType('UCPItemInput', {
  description: 'An item of the basket.',
  fields: (t) => ({
    sku: t.string({ description: "The merchant's id of the product.", validate: sku, extensions: { example: 'SKU-1' } }),
    title: t.string({ required: false, description: 'Name of the product, for people.', validate: text(300) }),
    quantity: t.int({ description: 'How many, at least 1.', validate: quantity }),
    unitPrice: t.field({
      type: 'Amount',
      description: "Price of one, in `currency`; where the merchant has an offer it has to be the offer's.",
    }),
    currency: t.field({ type: 'Currency' }),
  }),
});

export const CreateAcpCheckoutInput = builder.inputType('CreateACPCheckoutInput', {
  description: 'A new ACP checkout.',
  fields: (t) => ({
    merchantId: t.field({ type: 'MerchantId', description: 'The merchant that sells.' }),
    items: t.field({ type: [AcpItemInput], description: 'What is bought, all in one currency.', validate: basket }),
    currency: t.field({ type: 'Currency', required: false, description: 'The currency of the items.' }),
    shippingAddress: t.field({
      type: CheckoutAddressInput,
      required: false,
      description: 'Where the goods are delivered; it can also be given with the payment.',
    }),
    paymentMethod: t.field({
      type: CheckoutPaymentMethodEnum,
      required: false,
      description: 'How the buyer intends to pay; `card` by default.',
    }),
    agentId: t.field({
      type: 'AgentUuid',
      required: false,
      description: 'The agent for which you buy; paying is then a spend of that agent.',
    }),
    metadata: t.field({ type: 'JSONObject', required: false }),
    expiresIn: t.int({
      required: false,
      description: 'Seconds until an unpaid checkout expires, 60 to 86400; 1800 by default.',
      validate: expiresIn,
    }),
  }),
});

export const CreateUcpCheckoutInput = builder.inputType('CreateUCPCheckoutInput', {
  description: 'A new UCP checkout.',
  fields: (t) => ({
    merchantId: t.field({ type: 'MerchantId', description: 'The merchant that sells.' }),
    items: t.field({
      type: [UcpItemInput],
      required: false,
      description: 'What is bought, all in one currency. Required, under this name or `line_items`.',
      validate: basket,
      extensions: { example: [{ sku: 'SKU-1', title: 'Mug', quantity: 2, unit_price: '12.50', currency: 'USD' }] },
    }),
    lineItems: t.field({ type: [UcpItemInput], required: false, description: 'Another name for `items`.', validate: basket }),
    currency: t.field({ type: 'Currency', required: false, description: 'The currency of the items.' }),
    shippingAddress: t.field({
      type: CheckoutAddressInput,
      required: false,
      description: 'Where the goods are delivered; it can also be given with the payment.',
    }),
    paymentMethod: t.field({
      type: CheckoutPaymentMethodEnum,
      required: false,
      description: 'How the buyer intends to pay; `card` by default.',
    }),
    agentId: t.field({
      type: 'AgentUuid',
      required: false,
      description: 'The agent for which you buy; paying is then a spend of that agent.',
    }),
    metadata: t.field({ type: 'JSONObject', required: false }),
    expiresIn: t.int({
      required: false,
      description: 'Seconds until an unpaid checkout expires, 60 to 86400; 1800 by default.',
      validate: expiresIn,
    }),
    successUrl: t.string({ required: false, description: 'Where the buyer is sent after paying.', validate: url }),
    cancelUrl: t.string({ required: false, description: 'Where a buyer that leaves is sent.', validate: url }),
  }),
});
export type CreateUcpCheckoutInput = typeof CreateUcpCheckoutInput.$inferInput;

export const UpdateAcpCheckoutInput = builder.inputType('UpdateACPCheckoutInput', {
  description: 'Changes of an ACP checkout. A member that is left out stays as it is.',
  fields: (t) => ({
    items: t.field({ type: [AcpItemInput], required: false, description: 'New items, which replace those before.', validate: basket }),
    shippingAddress: t.field({ type: CheckoutAddressInput, required: false, description: 'New address; null removes it.' }),
    paymentMethod: t.field({ type: CheckoutPaymentMethodEnum, required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});

export const UpdateUcpCheckoutInput = builder.inputType('UpdateUCPCheckoutInput', {
  description: 'Changes of a UCP checkout. A member that is left out stays as it is.',
  fields: (t) => ({
    items: t.field({ type: [UcpItemInput], required: false, description: 'New items, which replace those before.', validate: basket }),
    lineItems: t.field({ type: [UcpItemInput], required: false, description: 'Another name for `items`.', validate: basket }),
    shippingAddress: t.field({ type: CheckoutAddressInput, required: false, description: 'New address; null removes it.' }),
    paymentMethod: t.field({ type: CheckoutPaymentMethodEnum, required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type UpdateUcpCheckoutInput = typeof UpdateUcpCheckoutInput.$inferInput;
