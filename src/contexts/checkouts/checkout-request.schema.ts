// The GraphQL face of checkouts that are begun, changed and read.
import { z } from 'zod';
import type { Checkout } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { MerchantBlocked } from '../spending/errors.js';
import { type CheckoutProtocol, checkout, checkouts } from './checkout.js';
import { AcpCheckout, CheckoutStatusEnum, PaymentMethodEnum, UcpCheckout } from './checkout.schema.js';
import { checkoutChange, newCheckout } from './checkout-input.js';
import { BuyerPricesRefused, CheckoutExpired, NotYourCheckout, OutOfStock, PriceChanged } from './errors.js';
import { mostItems } from './item.js';
import { createPriced, updatePriced } from './merchant-price.js';
import { rest } from './rest.js';

const AcpPage = pageOf(AcpCheckout, 'ACPCheckout');
const UcpPage = pageOf(UcpCheckout, 'UCPCheckout');

/** More of one thing than a basket has (Gap G-246). */
const mostOfOne = 1_000_000;
const text = (most: number) => z.string().min(1).max(most);

export const AddressInput = builder.inputType('CheckoutAddressInput', {
  fields: (t) => ({
    line1: t.string({ validate: text(200) }),
    line2: t.string({ required: false, validate: text(200) }),
    city: t.string({ validate: text(100) }),
    state: t.string({ required: false, validate: text(100) }),
    postalCode: t.string({ validate: text(20) }),
    country: t.string({
      description: 'Two letters.',
      validate: z.string().regex(/^[A-Z]{2}$/, 'must be a country code of two capital letters'),
      extensions: { example: 'US' },
    }),
  }),
});

const sku = text(128);
const quantity = z.number().int().min(1).max(mostOfOne);
const basket = z.array(z.unknown()).min(1).max(mostItems);
const expiresIn = z.number().int().min(60).max(86_400);
const url = z.url({ protocol: /^https?$/ }).max(2_048);

const AcpItemInput = builder.inputType('ACPItemInput', {
  fields: (t) => ({
    sku: t.string({ validate: sku }),
    quantity: t.int({ validate: quantity }),
    unitPrice: t.field({ type: 'Amount' }),
    currency: t.field({ type: 'Currency' }),
  }),
});
const UcpItemInput = builder.inputType('UCPItemInput', {
  fields: (t) => ({
    sku: t.string({ validate: sku }),
    title: t.string({ required: false, validate: text(300) }),
    quantity: t.int({ validate: quantity }),
    unitPrice: t.field({ type: 'Amount' }),
    currency: t.field({ type: 'Currency' }),
  }),
});

export const CreateAcpCheckoutInput = builder.inputType('CreateACPCheckoutInput', {
  fields: (t) => ({
    merchantId: t.field({ type: 'MerchantId' }),
    items: t.field({ type: [AcpItemInput], description: 'All in one currency.', validate: basket }),
    currency: t.field({ type: 'Currency', required: false, description: 'That of the items.' }),
    shippingAddress: t.field({ type: AddressInput, required: false }),
    paymentMethod: t.field({ type: PaymentMethodEnum, required: false, description: 'card by default.' }),
    agentId: t.field({ type: 'AgentUuid', required: false, description: 'The agent that you act for: paying is a spend of that agent.' }),
    metadata: t.field({ type: 'JSONObject', required: false }),
    expiresIn: t.int({ required: false, description: 'Seconds; 1800 by default.', validate: expiresIn }),
  }),
});
export const CreateUcpCheckoutInput = builder.inputType('CreateUCPCheckoutInput', {
  fields: (t) => ({
    merchantId: t.field({ type: 'MerchantId' }),
    items: t.field({
      type: [UcpItemInput],
      required: false,
      description: 'All in one currency. Required, under this name or the other.',
      validate: basket,
      extensions: { example: [{ sku: 'SKU-1', title: 'Mug', quantity: 2, unit_price: '12.50', currency: 'USD' }] },
    }),
    lineItems: t.field({ type: [UcpItemInput], required: false, description: 'Another name for `items`.', validate: basket }),
    currency: t.field({ type: 'Currency', required: false, description: 'That of the items.' }),
    shippingAddress: t.field({ type: AddressInput, required: false }),
    paymentMethod: t.field({ type: PaymentMethodEnum, required: false, description: 'card by default.' }),
    agentId: t.field({ type: 'AgentUuid', required: false, description: 'The agent that you act for: paying is a spend of that agent.' }),
    metadata: t.field({ type: 'JSONObject', required: false }),
    expiresIn: t.int({ required: false, description: 'Seconds; 1800 by default.', validate: expiresIn }),
    successUrl: t.string({ required: false, description: 'Where the buyer goes after the payment.', validate: url }),
    cancelUrl: t.string({ required: false, description: 'Where the buyer goes that leaves.', validate: url }),
  }),
});
const UpdateAcpCheckoutInput = builder.inputType('UpdateACPCheckoutInput', {
  fields: (t) => ({
    items: t.field({ type: [AcpItemInput], required: false, description: 'Replaces all of them.', validate: basket }),
    shippingAddress: t.field({ type: AddressInput, required: false, description: 'Null takes it away.' }),
    paymentMethod: t.field({ type: PaymentMethodEnum, required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
const UpdateUcpCheckoutInput = builder.inputType('UpdateUCPCheckoutInput', {
  fields: (t) => ({
    items: t.field({ type: [UcpItemInput], required: false, description: 'Replaces all of them.', validate: basket }),
    lineItems: t.field({ type: [UcpItemInput], required: false, description: 'Another name for `items`.', validate: basket }),
    shippingAddress: t.field({ type: AddressInput, required: false, description: 'Null takes it away.' }),
    paymentMethod: t.field({ type: PaymentMethodEnum, required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});

builder.queryFields((t) => {
  const filters = () => ({
    ...pageArgs(t),
    status: t.arg({ type: CheckoutStatusEnum, required: false }),
    merchantId: t.arg({ type: 'MerchantId', required: false }),
  });
  return {
    acpCheckout: t.field({
      route: rest('GET /v1/acp/checkouts/{id}', 'Read a checkout.'),
      type: AcpCheckout,
      args: { id: t.arg({ type: 'AcpCheckoutId' }) },
      ...facts({ errors: [NotFound] }),
      resolve: (_root, { id }, ctx) => checkout(ctx, 'acp', id),
    }),
    acpCheckouts: t.field({
      route: rest('GET /v1/acp/checkouts', 'List checkouts.'),
      type: AcpPage,
      args: filters(),
      resolve: (_root, filter, ctx) => checkouts.acp(ctx, filter),
    }),
    ucpCheckout: t.field({
      route: rest('GET /v1/ucp/checkouts/{id}', 'Read a checkout.'),
      type: UcpCheckout,
      args: { id: t.arg({ type: 'UcpCheckoutId' }) },
      ...facts({ errors: [NotFound] }),
      resolve: (_root, { id }, ctx) => checkout(ctx, 'ucp', id),
    }),
    ucpCheckouts: t.field({
      route: rest('GET /v1/ucp/checkouts', 'List checkouts of UCP.'),
      type: UcpPage,
      args: filters(),
      resolve: (_root, filter, ctx) => checkouts.ucp(ctx, filter),
    }),
  };
});

/** What a keyed request that is repeated answers. */
const read =
  (protocol: CheckoutProtocol) =>
  (ctx: Ctx, id: string): Promise<Checkout> =>
    checkout(ctx, protocol, id);

const pricing = [PriceChanged, OutOfStock, BuyerPricesRefused];
const creating = facts({ errors: [NotFound, MerchantBlocked, ...pricing] });
const changing = facts({ errors: [NotFound, NotYourCheckout, CheckoutExpired, StateConflict, ...pricing] });

builder.mutationFields((t) => ({
  createAcpCheckout: t.field({
    route: rest('POST /v1/acp/checkouts', 'Begin a checkout: a basket at a merchant, to be paid before its time is over.', { status: 201 }),
    type: AcpCheckout,
    args: { input: t.arg({ type: CreateAcpCheckoutInput }) },
    ...creating,
    resolve: once((ctx, { input }) => createPriced(ctx, newCheckout(ctx, 'acp', input)), read('acp')),
  }),
  updateAcpCheckout: t.field({
    route: rest('PATCH /v1/acp/checkouts/{id}', 'Change a checkout that nobody has begun to pay.'),
    type: AcpCheckout,
    args: { id: t.arg({ type: 'AcpCheckoutId' }), input: t.arg({ type: UpdateAcpCheckoutInput }) },
    ...changing,
    resolve: once((ctx, { id, input }) => updatePriced(ctx, 'acp', id, checkoutChange(input)), read('acp')),
  }),
  createUcpCheckout: t.field({
    route: rest('POST /v1/ucp/checkouts', 'Begin a checkout: a basket at a merchant, to be paid before its time is over.', { status: 201 }),
    type: UcpCheckout,
    args: { input: t.arg({ type: CreateUcpCheckoutInput }) },
    ...creating,
    resolve: once((ctx, { input }) => createPriced(ctx, newCheckout(ctx, 'ucp', input)), read('ucp')),
  }),
  updateUcpCheckout: t.field({
    route: rest('PATCH /v1/ucp/checkouts/{id}', 'Change a checkout that nobody has begun to pay.'),
    type: UcpCheckout,
    args: { id: t.arg({ type: 'UcpCheckoutId' }), input: t.arg({ type: UpdateUcpCheckoutInput }) },
    ...changing,
    resolve: once((ctx, { id, input }) => updatePriced(ctx, 'ucp', id, checkoutChange(input)), read('ucp')),
  }),
}));
