// The GraphQL types of checkouts: ACP and UCP have one set of rules, and a type of their own each (SPEC.md "ACP checkout").
import type { Checkout as CheckoutRow } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { CheckoutPaymentMethodEnum, CheckoutStatusEnum } from './checkout.input.js';
import { type CheckoutProtocol, checkout, type PostalAddress, pricedBy, printCheckoutId } from './checkout.js';
import type { IssuedCheckout } from './checkout-request.js';
import type { CheckoutIntentTraceInput } from './completion.input.js';
import { type CheckoutItem, itemsOf, mostItems } from './item.js';

const PricedByEnum = builder.enumType('CheckoutPricedBy', { values: ['buyer', 'merchant'] as const });

const AddressType = builder.objectRef<PostalAddress>('CheckoutAddress').implement({
  description: 'Where the goods go.',
  fields: (t) => ({
    line1: t.exposeString('line1'),
    line2: t.exposeString('line2', { nullable: true }),
    city: t.exposeString('city'),
    state: t.exposeString('state', { nullable: true }),
    postalCode: t.exposeString('postalCode'),
    country: t.exposeString('country', { description: 'Two letters.' }),
  }),
});

const ItemType = builder.objectRef<CheckoutItem>('CheckoutItem').implement({
  fields: (t) => ({
    sku: t.exposeString('sku'),
    title: t.exposeString('title', { nullable: true, description: 'What it is called, where UCP says it.' }),
    quantity: t.exposeInt('quantity'),
    unitPrice: t.field({ type: 'Amount', resolve: ({ unitPrice, currency }) => formatMinor(unitPrice, currency) }),
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
    reasonCode: t.exposeString('reasonCode'),
    traceSummary: t.exposeString('traceSummary', { nullable: true }),
  }),
});

const amount = (minor: bigint, { currency }: CheckoutRow) => (minor === 0n ? null : formatMinor(minor, currency));

/** Beside what SPEC.md names stands what a caller asks next (Gap G-254). */
export const CheckoutInterface = builder.interfaceRef<CheckoutRow>('Checkout').implement({
  description: 'A basket at a merchant that is to be paid before its time is over.',
  resolveType: ({ protocol }) => (protocol === 'acp' ? 'ACPCheckout' : 'UCPCheckout'),
  fields: (t) => ({
    id: t.string({ description: '`acp_chk_` or `ucp_chk_` and a UUID.', resolve: printCheckoutId }),
    merchantId: t.expose('merchantId', { type: 'MerchantId' }),
    status: t.expose('status', { type: CheckoutStatusEnum }),
    items: t.field({ type: [ItemType], ...facts({ most: mostItems, embedded: true }), resolve: itemsOf }),
    total: t.field({ type: 'Amount', resolve: ({ total, currency }) => formatMinor(total, currency) }),
    currency: t.expose('currency', { type: 'Currency' }),
    fulfillmentAmount: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What delivery costs on top of the items.',
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
      description: 'Tax on top of the items.',
      resolve: (row) => amount(row.taxAmount, row),
    }),
    shippingAddress: t.field({
      type: AddressType,
      nullable: true,
      resolve: ({ shippingAddress }) => shippingAddress as unknown as PostalAddress | null,
    }),
    paymentMethod: t.expose('paymentMethod', { type: CheckoutPaymentMethodEnum, description: 'How the buyer means to pay.' }),
    clientSecret: t.string({
      nullable: true,
      description: 'Lets somebody else complete the checkout. Only in the answer that made it; later it is null.',
      extensions: { secret: true },
      resolve: (row) => (row as Partial<IssuedCheckout>).clientSecret ?? null,
    }),
    agentId: t.expose('agentId', { type: 'AgentUuid', nullable: true, description: 'The agent that it is for.' }),
    transferId: t.expose('transferId', { type: 'TransferId', nullable: true, description: 'The transfer of the last payment.' }),
    failure: t.field({ type: FailureType, nullable: true, resolve: (row) => (row.failureCode === null ? null : row) }),
    cancelReason: t.exposeString('cancelReason', { nullable: true }),
    intentTrace: t.field({
      type: IntentTraceType,
      nullable: true,
      resolve: ({ intentTrace }) => intentTrace as unknown as CheckoutIntentTraceInput | null,
    }),
    tracking: t.exposeString('tracking', { nullable: true }),
    deliveredAt: t.expose('deliveredAt', { type: 'DateTime', nullable: true }),
    metadata: t.expose('metadata', { type: 'JSONObject', description: '`refunded` is true once all of the payment was given back.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    paidAt: t.expose('paidAt', { type: 'DateTime', nullable: true }),
    fulfilledAt: t.expose('fulfilledAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

export const AcpCheckout = builder.objectRef<CheckoutRow>('ACPCheckout').implement({
  description: 'A checkout by the Agentic Commerce Protocol.',
  interfaces: [CheckoutInterface],
});
export const UcpCheckout = builder.objectRef<CheckoutRow>('UCPCheckout').implement({
  description: 'A checkout by the Universal Commerce Protocol.',
  interfaces: [CheckoutInterface],
  fields: (t) => ({
    successUrl: t.exposeString('successUrl', { nullable: true, description: 'Where the buyer goes after the payment.' }),
    cancelUrl: t.exposeString('cancelUrl', { nullable: true, description: 'Where the buyer goes that leaves.' }),
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
