// The GraphQL face of x402 endpoints.
import type { X402Endpoint } from '../../../generated/prisma/client.js';
import { CurrencyMismatch, NotFound } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../../platform/schema/builder.js';
import { UnsupportedNetwork } from '../errors.js';
import { rest } from '../rest.js';
import { CreateX402EndpointInput, EndpointStatusEnum, MethodEnum, SchemeEnum, UpdateX402EndpointInput } from './endpoint.input.js';
import { canSeeEndpoint, endpoint, type endpointMethods, endpoints } from './endpoint.js';
import { createEndpoint, deleteEndpoint, updateEndpoint } from './endpoint-request.js';
import { endpointTotalOf } from './endpoint-total.sql.js';
import { payToOf } from './offer.js';
import { discountsOf, mostDiscounts, type VolumeDiscount } from './price.js';

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
        resolve: (row, _args, ctx) => (canSeeEndpoint(ctx, row) ? row.accountId : null),
      }),
      receiverWalletId: t.field({
        type: 'WalletId',
        ...nullable,
        description: 'The wallet that is paid.',
        resolve: (row, _args, ctx) => (canSeeEndpoint(ctx, row) ? row.receiverWalletId : null),
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
        resolve: async (row, _args, ctx) => (canSeeEndpoint(ctx, row) ? (await endpointTotalOf(ctx, row.id)).calls : null),
      }),
      totalRevenue: t.field({
        type: 'Amount',
        ...nullable,
        description: 'What they came to, before fees; a moment behind.',
        resolve: async (row, _args, ctx) =>
          canSeeEndpoint(ctx, row) ? formatMinor((await endpointTotalOf(ctx, row.id)).revenue, row.currency) : null,
      }),
      metadata: t.field({
        type: 'JSONObject',
        ...nullable,
        resolve: (row, _args, ctx) => (canSeeEndpoint(ctx, row) ? row.metadata : null),
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
    args: { input: t.arg({ type: CreateX402EndpointInput }) },
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
    args: { id: t.arg({ type: 'X402EndpointId' }), input: t.arg({ type: UpdateX402EndpointInput }) },
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
