// The GraphQL types of checkouts: ACP and UCP have one set of rules, and a type of their own each (SPEC.md "ACP checkout").

import type { Checkout as CheckoutRow } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { CheckoutPaymentMethodEnum, CheckoutStatusEnum } from './checkout.input.js';
import { type CheckoutProtocol, checkout, type PostalAddress, pricedBy, printCheckoutId, visibleCheckouts } from './checkout.js';
import type { IssuedCheckout } from './checkout-request.js';
import type { CheckoutIntentTraceInput } from './completion.input.js';
import { type CheckoutItem, itemsOf, mostItems } from './item.js';

const PricedByEnum = builder.enumType('CheckoutPricedBy', {
  description: "`merchant`: prices of the merchant's offer. `buyer`: prices that the buyer named.",
  values: ['buyer', 'merchant'] as const,
});

const AddressType = builder.objectRef<PostalAddress>('CheckoutAddress').implement({
  description: 'Where goods are delivered.',
  fields: (t) => ({
    line1: t.exposeString('line1', { description: 'Street and number.' }),
    line2: t.exposeString('line2', { nullable: true, description: 'Second line of the address; null where there is none.' }),
    city: t.exposeString('city', { description: 'City.' }),
    state: t.exposeString('state', { nullable: true, description: 'State or region; null where none was given.' }),
    postalCode: t.exposeString('postalCode', { description: 'Postal code.' }),
    country: t.exposeString('country', { description: 'Country, as an ISO 3166-1 alpha-2 code such as US.' }),
  }),
});

const ItemType = builder.objectRef<CheckoutItem>('CheckoutItem').implement({
  description: 'An item of the basket.',
  fields: (t) => ({
    sku: t.exposeString('sku', { description: "The merchant's id of the product." }),
    title: t.exposeString('title', { nullable: true, description: 'Name of the product, where UCP gives one; else null.' }),
    quantity: t.exposeInt('quantity', { description: 'How many.' }),
    unitPrice: t.field({
      type: 'Amount',
      description: 'Price of one, in `currency`.',
      resolve: ({ unitPrice, currency }) => formatMinor(unitPrice, currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
  }),
});

const FailureType = builder.objectRef<CheckoutRow>('CheckoutFailure').implement({
  description: 'Why the last payment of a checkout failed.',
  fields: (t) => ({
    code: t.string({ resolve: (row) => row.failureCode ?? '' }),
    message: t.string({ resolve: (row) => row.failureMessage ?? '' }),
  }),
});

const IntentTraceType = builder.objectRef<CheckoutIntentTraceInput>('CheckoutIntentTrace').implement({
  description: 'Why the buyer left, in its own words.',
  fields: (t) => ({
    reasonCode: t.exposeString('reasonCode', { description: 'Why, as a word such as `price_sensitivity`.' }),
    traceSummary: t.exposeString('traceSummary', { nullable: true, description: 'Why, in a sentence; null where nothing was said.' }),
  }),
});

const amount = (minor: bigint, { currency }: CheckoutRow) => (minor === 0n ? null : formatMinor(minor, currency));

/** Gap G-254: A checkout also shows members such as `transfer_id`, `failure` and `paid_at`, each left out where there is none. */
export const CheckoutInterface = builder.interfaceRef<CheckoutRow>('Checkout').implement({
  description: 'A basket at a merchant, to be paid before it expires.',
  resolveType: ({ protocol }) => (protocol === 'acp' ? 'ACPCheckout' : 'UCPCheckout'),
  fields: (t) => ({
    id: t.string({ description: 'Its identifier: `acp_chk_` or `ucp_chk_` and a UUID.', resolve: printCheckoutId }),
    merchantId: t.expose('merchantId', { type: 'MerchantId', description: 'The merchant that sells.' }),
    status: t.expose('status', { type: CheckoutStatusEnum }),
    items: t.field({ type: [ItemType], description: 'What is bought.', ...facts({ most: mostItems, embedded: true }), resolve: itemsOf }),
    total: t.field({
      type: 'Amount',
      description: 'What is to be paid, tax and delivery included, in `currency`.',
      resolve: ({ total, currency }) => formatMinor(total, currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    fulfillmentAmount: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What delivery costs, part of the total; null where nothing was agreed.',
      resolve: (row) => amount(row.fulfillmentAmount, row),
    }),
    pricedBy: t.field({
      type: PricedByEnum,
      description: 'Whose prices it has: those of the offer of the merchant, or what the buyer named.',
      resolve: pricedBy,
    }),
    taxAmount: t.field({
      type: 'Amount',
      nullable: true,
      description: 'Tax that is part of the total; null where nothing was agreed.',
      resolve: (row) => amount(row.taxAmount, row),
    }),
    shippingAddress: t.field({
      type: AddressType,
      nullable: true,
      description: 'Where the goods are delivered; null where nothing was said.',
      resolve: ({ shippingAddress }) => shippingAddress as unknown as PostalAddress | null,
    }),
    paymentMethod: t.expose('paymentMethod', { type: CheckoutPaymentMethodEnum, description: 'How the buyer means to pay.' }),
    clientSecret: t.string({
      nullable: true,
      description: 'Lets somebody else complete the checkout. Shown only in the response that created it; null afterwards.',
      extensions: { secret: true },
      resolve: (row) => (row as Partial<IssuedCheckout>).clientSecret ?? null,
    }),
    agentId: t.expose('agentId', {
      type: 'AgentUuid',
      nullable: true,
      description: 'The agent for which it is bought; null where none is named.',
    }),
    transferId: t.expose('transferId', {
      type: 'TransferId',
      nullable: true,
      description: 'The transfer of the last payment; null while there is none.',
    }),
    failure: t.field({
      type: FailureType,
      nullable: true,
      description: 'Why the last payment failed; null where it did not.',
      resolve: (row) => (row.failureCode === null ? null : row),
    }),
    cancelReason: t.exposeString('cancelReason', {
      nullable: true,
      description: 'Why it was cancelled; null where it was not, or where no reason was given.',
    }),
    intentTrace: t.field({
      type: IntentTraceType,
      nullable: true,
      description: 'Why the buyer left; null where nothing was said.',
      resolve: ({ intentTrace }) => intentTrace as unknown as CheckoutIntentTraceInput | null,
    }),
    tracking: t.exposeString('tracking', {
      nullable: true,
      description: 'Number of the parcel, or where it can be followed; null where none was given.',
    }),
    deliveredAt: t.expose('deliveredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was delivered, as the merchant says; null before.',
    }),
    metadata: t.expose('metadata', {
      type: 'JSONObject',
      description: "JSON object of the caller's own; the platform adds `refunded: true` once all was refunded.",
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it expires if it is not paid.' }),
    paidAt: t.expose('paidAt', { type: 'DateTime', nullable: true, description: 'When it was paid; null before.' }),
    fulfilledAt: t.expose('fulfilledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the merchant reported its delivery; null before.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

export const AcpCheckout = builder.objectRef<CheckoutRow>('ACPCheckout').implement({
  ...byId(rowsOf('checkout', visibleCheckouts, { where: { protocol: 'acp' } }), 'acpCheckout'),
  description: 'A checkout by the Agentic Commerce Protocol.',
  interfaces: [CheckoutInterface],
});
export const UcpCheckout = builder.objectRef<CheckoutRow>('UCPCheckout').implement({
  ...byId(rowsOf('checkout', visibleCheckouts, { where: { protocol: 'ucp' } }), 'ucpCheckout'),
  description: 'A checkout by the Universal Commerce Protocol.',
  interfaces: [CheckoutInterface],
  fields: (t) => ({
    successUrl: t.exposeString('successUrl', {
      nullable: true,
      description: 'Where the buyer is sent after paying; null where none was given.',
    }),
    cancelUrl: t.exposeString('cancelUrl', {
      nullable: true,
      description: 'Where a buyer that leaves is sent; null where none was given.',
    }),
  }),
});

/** What ACP and UCP have of their own; the rest is one for both. */
export const protocols = [
  { protocol: 'acp', name: 'Acp', type: AcpCheckout, id: 'AcpCheckoutId' },
  { protocol: 'ucp', name: 'Ucp', type: UcpCheckout, id: 'UcpCheckoutId' },
] as const;

/** What a keyed request that is repeated answers. */
export const reread =
  (protocol: CheckoutProtocol) =>
  (ctx: Ctx, id: string): Promise<CheckoutRow> =>
    checkout(ctx, protocol, id);
