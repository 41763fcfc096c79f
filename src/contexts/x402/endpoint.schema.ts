// The GraphQL face of x402 endpoints.
import { z } from 'zod';
import type { X402Endpoint } from '../../generated/prisma/client.js';
import { X402EndpointStatus, X402Scheme } from '../../generated/prisma/enums.js';
import { CurrencyMismatch, NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { endpoint, endpointMethods, endpoints, seesPrivateSide } from './endpoint.js';
import { createEndpoint, deleteEndpoint, updateEndpoint } from './endpoint-request.js';
import { totalOf } from './endpoint-total.sql.js';
import { UnsupportedNetwork } from './errors.js';
import { payToOf } from './offer.js';
import { discountsOf, mostDiscounts, type VolumeDiscount } from './price.js';
import { rest } from './rest.js';

const EndpointStatusEnum = builder.enumType(X402EndpointStatus, { name: 'X402EndpointStatus' });
export const SchemeEnum = builder.enumType(X402Scheme, {
  name: 'X402Scheme',
  description: 'upto: the payer authorizes a maximum, and the seller settles what was used.',
});
const MethodEnum = builder.enumType('X402Method', { values: endpointMethods });

const VolumeDiscountType = builder.objectRef<VolumeDiscount>('X402VolumeDiscount').implement({
  fields: (t) => ({
    threshold: t.exposeInt('threshold', { description: 'Calls of one payer in a UTC month before it.' }),
    priceMultiplier: t.exposeString('priceMultiplier', { description: 'What of the base price a call then costs.' }),
  }),
});

export const EndpointType = builder.objectRef<X402Endpoint>('X402Endpoint').implement({
  description:
    'Something that is paid per call. Its account, wallet, takings and metadata are null for those who may not read that account.',
  fields: (t) => {
    const nullable = { nullable: true } as const;
    return {
      id: t.expose('id', { type: 'X402EndpointId' }),
      accountId: t.field({
        type: 'AccountId',
        ...nullable,
        resolve: (row, _args, ctx) => (seesPrivateSide(ctx, row) ? row.accountId : null),
      }),
      receiverWalletId: t.field({
        type: 'WalletId',
        ...nullable,
        description: 'The wallet that is paid.',
        resolve: (row, _args, ctx) => (seesPrivateSide(ctx, row) ? row.receiverWalletId : null),
      }),
      name: t.exposeString('name'),
      path: t.exposeString('path', nullable),
      url: t.exposeString('url', nullable),
      method: t.field({ type: MethodEnum, resolve: ({ method }) => method as (typeof endpointMethods)[number] }),
      basePrice: t.field({ type: 'Amount', resolve: ({ basePrice, currency }) => formatMinor(basePrice, currency) }),
      currency: t.expose('currency', { type: 'Currency' }),
      scheme: t.expose('scheme', { type: SchemeEnum }),
      network: t.exposeString('network', { description: 'The network that is offered first.' }),
      payTo: t.string({
        description: "The wallet on the ledger network, the wallet's address on a chain.",
        resolve: (row, _args, ctx) => payToOf(ctx, row),
      }),
      description: t.exposeString('description', nullable),
      volumeDiscounts: t.field({ type: [VolumeDiscountType], ...facts({ most: mostDiscounts }), resolve: discountsOf }),
      discoverable: t.exposeBoolean('discoverable'),
      status: t.expose('status', { type: EndpointStatusEnum }),
      totalCalls: t.int({
        ...nullable,
        description: 'Settled payments; a moment behind.',
        resolve: async (row, _args, ctx) => (seesPrivateSide(ctx, row) ? (await totalOf(ctx, row.id)).calls : null),
      }),
      totalRevenue: t.field({
        type: 'Amount',
        ...nullable,
        description: 'What they came to, before fees; a moment behind.',
        resolve: async (row, _args, ctx) =>
          seesPrivateSide(ctx, row) ? formatMinor((await totalOf(ctx, row.id)).revenue, row.currency) : null,
      }),
      metadata: t.field({
        type: 'JSONObject',
        ...nullable,
        resolve: (row, _args, ctx) => (seesPrivateSide(ctx, row) ? row.metadata : null),
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime' }),
      updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    };
  },
});
const EndpointPage = pageOf(EndpointType, 'X402Endpoint');

const DeletedEndpoint = builder.objectRef<Pick<X402Endpoint, 'id'>>('DeletedX402Endpoint').implement({
  fields: (t) => ({ id: t.expose('id', { type: 'X402EndpointId' }), deleted: t.boolean({ resolve: () => true }) }),
});

const endpointName = z.string().trim().min(1).max(200);
const path = z
  .string()
  .regex(/^\/[\x21-\x7e]*$/, 'begins with / and has no white space')
  .max(1024);
const url = z.url({ protocol: /^https?$/ }).max(2048);
const network = z.string().min(1).max(64);
const description = z.string().max(500);

const VolumeDiscountInput = builder.inputType('X402VolumeDiscountInput', {
  fields: (t) => ({
    threshold: t.int({ description: 'Calls of one payer in a UTC month before it.', validate: z.int().min(1) }),
    priceMultiplier: t.field({ type: 'Multiplier', validate: z.string().max(8) }),
  }),
});
const discountList = { required: false, validate: z.array(z.any()).max(mostDiscounts) } as const;

const CreateEndpointInput = builder.inputType('CreateX402EndpointInput', {
  fields: (t) => ({
    name: t.string({ validate: endpointName }),
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
    currency: t.field({ type: 'Currency', required: false, description: 'USDC by default.' }),
    scheme: t.field({ type: SchemeEnum, required: false, description: 'exact by default.' }),
    network: t.string({ required: false, description: 'That of the ledger by default.', validate: network, extensions: { example: null } }),
    description: t.string({ required: false, validate: description }),
    volumeDiscounts: t.field({ type: [VolumeDiscountInput], ...discountList }),
    discoverable: t.boolean({ required: false, description: 'Listed for whoever looks for something to pay. False by default.' }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
const UpdateEndpointInput = builder.inputType('UpdateX402EndpointInput', {
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
    volumeDiscounts: t.field({ type: [VolumeDiscountInput], ...discountList }),
    discoverable: t.boolean({ required: false }),
    status: t.field({ type: EndpointStatusEnum, required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});

builder.queryFields((t) => ({
  x402Endpoint: t.field({
    route: rest('GET /v1/x402/endpoints/{id}', 'Read an endpoint.'),
    type: EndpointType,
    args: { id: t.arg({ type: 'X402EndpointId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => endpoint(ctx, id),
  }),
  x402Endpoints: t.field({
    route: rest('GET /v1/x402/endpoints', 'List endpoints.'),
    type: EndpointPage,
    args: {
      ...pageArgs(t),
      accountId: t.arg({ type: 'AccountId', required: false }),
      status: t.arg({ type: EndpointStatusEnum, required: false }),
    },
    resolve: (_root, filter, ctx) => endpoints(ctx, filter),
  }),
}));

const requestErrors = [NotFound, CurrencyMismatch, UnsupportedNetwork];
builder.mutationFields((t) => ({
  createX402Endpoint: t.field({
    route: rest('POST /v1/x402/endpoints', 'Register an endpoint that is paid per call.', { status: 201 }),
    type: EndpointType,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: CreateEndpointInput }) },
    ...facts({ errors: requestErrors }),
    resolve: once(
      (ctx, { input }) => createEndpoint(ctx, input),
      (ctx, id) => endpoint(ctx, id),
    ),
  }),
  updateX402Endpoint: t.field({
    route: rest('PATCH /v1/x402/endpoints/{id}', 'Change an endpoint: its price, its place, whether it takes payments.'),
    type: EndpointType,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'X402EndpointId' }), input: t.arg({ type: UpdateEndpointInput }) },
    ...facts({ errors: requestErrors }),
    resolve: once(
      (ctx, { id, input }) => updateEndpoint(ctx, { ...input, id }),
      (ctx, id) => endpoint(ctx, id),
    ),
  }),
  deleteX402Endpoint: t.field({
    route: rest('DELETE /v1/x402/endpoints/{id}', 'Remove an endpoint; its payments stay.'),
    type: DeletedEndpoint,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'X402EndpointId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { id }) => deleteEndpoint(ctx, id),
      async (_ctx, id) => ({ id }),
    ),
  }),
}));
