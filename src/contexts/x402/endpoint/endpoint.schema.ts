// The GraphQL face of x402 endpoints.

import type { X402Endpoint } from '../../../generated/prisma/client.js';
import { CurrencyMismatch, NotFound } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../../platform/schema/builder.js';
import { byId, rowsOf } from '../../../platform/schema/relation.js';
import { UnsupportedNetwork } from '../errors.js';
import { rest } from '../rest.js';
import { CreateX402EndpointInput, EndpointStatusEnum, MethodEnum, SchemeEnum, UpdateX402EndpointInput } from './endpoint.input.js';
import { canSeeEndpoint, endpoint, type endpointMethods, endpoints, visibleEndpoints } from './endpoint.js';
import { createEndpoint, deleteEndpoint, updateEndpoint } from './endpoint-request.js';
import { endpointTotalOf } from './endpoint-total.sql.js';
import { payToOf } from './offer.js';
import { discountsOf, mostDiscounts, type VolumeDiscount } from './price.js';

const VolumeDiscountType = builder.objectRef<VolumeDiscount>('X402VolumeDiscount').implement({
  description: 'A price from some number of calls on.',
  fields: (t) => ({
    threshold: t.exposeInt('threshold', {
      description: 'Number of earlier calls of one payer in the UTC month from which on the discount counts.',
    }),
    priceMultiplier: t.exposeString('priceMultiplier', { description: 'What the base price is multiplied by: a decimal string.' }),
  }),
});

export const EndpointType = builder.objectRef<X402Endpoint>('X402Endpoint').implement({
  ...byId(rowsOf('x402Endpoint', visibleEndpoints, { where: { deletedAt: null } })),
  description:
    'Something that is paid per call. Its account, wallet, revenue and metadata are null for those who may not read that account.',
  fields: (t) => {
    const nullable = { nullable: true } as const;
    return {
      id: t.expose('id', { type: 'X402EndpointId' }),
      accountId: t.field({
        type: 'AccountId',
        description: 'The account that sells; null for those who may not read it.',
        ...nullable,
        resolve: (row, _args, ctx) => (canSeeEndpoint(ctx, row) ? row.accountId : null),
      }),
      receiverWalletId: t.field({
        type: 'WalletId',
        ...nullable,
        description: 'The wallet that is paid; null for those who may not read the account.',
        resolve: (row, _args, ctx) => (canSeeEndpoint(ctx, row) ? row.receiverWalletId : null),
      }),
      name: t.exposeString('name', { description: 'Name of the endpoint.' }),
      path: t.exposeString('path', { ...nullable, description: "Path of the call at the seller's gateway; null where there is a `url`." }),
      url: t.exposeString('url', { ...nullable, description: 'Whole address of the call; null where there is a `path`.' }),
      method: t.field({ type: MethodEnum, resolve: ({ method }) => method as (typeof endpointMethods)[number] }),
      basePrice: t.field({
        type: 'Amount',
        description: 'What a call costs before discounts, in `currency`; with `upto` what it costs at most.',
        resolve: ({ basePrice, currency }) => formatMinor(basePrice, currency),
      }),
      currency: t.expose('currency', { type: 'Currency' }),
      scheme: t.expose('scheme', { type: SchemeEnum }),
      network: t.exposeString('network', { description: 'The network that is offered first.' }),
      payTo: t.string({
        description: "Who is paid: the wallet on the ledger network, the wallet's address on a chain.",
        resolve: (row, _args, ctx) => payToOf(ctx, row),
      }),
      description: t.exposeString('description', { ...nullable, description: 'What is sold, for buyers; null where nothing was said.' }),
      volumeDiscounts: t.field({
        type: [VolumeDiscountType],
        description: 'Lower prices for payers with many calls in a month.',
        ...facts({ most: mostDiscounts }),
        resolve: discountsOf,
      }),
      discoverable: t.exposeBoolean('discoverable', { description: 'True: listed in the public discovery.' }),
      status: t.expose('status', { type: EndpointStatusEnum }),
      totalCalls: t.int({
        ...nullable,
        description: 'Number of settled payments, a moment behind; null for those who may not read the account.',
        resolve: async (row, _args, ctx) => (canSeeEndpoint(ctx, row) ? (await endpointTotalOf(ctx, row.id)).calls : null),
      }),
      totalRevenue: t.field({
        type: 'Amount',
        ...nullable,
        description: 'Sum of settled payments before fees, in `currency`, a moment behind; null like `total_calls`.',
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
  description: 'A paid endpoint that was removed.',
  fields: (t) => ({ id: t.expose('id', { type: 'X402EndpointId' }), deleted: t.boolean({ resolve: () => true }) }),
});

builder.queryFields((t) => ({
  x402Endpoint: t.field({
    route: rest(
      'GET /v1/x402/endpoints/{id}',
      'Read a paid endpoint. Every actor reads its public side; account, wallet and revenue are for those who may read its account.',
    ),
    type: EndpointType,
    authScopes: { audience: 'any', scope: 'x402:read' },
    args: { id: t.arg({ type: 'X402EndpointId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => endpoint(ctx, id),
  }),
  x402Endpoints: t.field({
    route: rest(
      'GET /v1/x402/endpoints',
      'List paid endpoints, newest first. Filter by account or status; every actor sees the public side of all endpoints of the workspace.',
    ),
    type: EndpointPage,
    authScopes: { audience: 'any', scope: 'x402:read' },
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
    route: rest(
      'POST /v1/x402/endpoints',
      'Register an endpoint that is paid per call. The platform then answers 402 with its price at `/x402/{endpoint_id}` and verifies payments for it. A wallet in another currency is 422. Emits `x402.endpoint.created`.',
      { status: 201 },
    ),
    type: EndpointType,
    authScopes: { audience: 'operator', scope: 'x402:write' },
    args: { input: t.arg({ type: CreateX402EndpointInput }) },
    ...facts({ errors: requestErrors }),
    resolve: once(
      (ctx, { input }) => createEndpoint(ctx, input),
      (ctx, id) => endpoint(ctx, id),
    ),
  }),
  updateX402Endpoint: t.field({
    route: rest(
      'PATCH /v1/x402/endpoints/{id}',
      'Change a paid endpoint: its price, its address, or whether it takes payments. Its account and currency stay. Challenges with the old price are not accepted any more.',
    ),
    type: EndpointType,
    authScopes: { audience: 'operator', scope: 'x402:write' },
    args: { id: t.arg({ type: 'X402EndpointId' }), input: t.arg({ type: UpdateX402EndpointInput }) },
    ...facts({ errors: requestErrors }),
    resolve: once(
      (ctx, { id, input }) => updateEndpoint(ctx, { ...input, id }),
      (ctx, id) => endpoint(ctx, id),
    ),
  }),
  deleteX402Endpoint: t.field({
    route: rest('DELETE /v1/x402/endpoints/{id}', 'Remove a paid endpoint. It takes no more payments; those of the past stay readable.'),
    type: DeletedEndpoint,
    authScopes: { audience: 'operator', scope: 'x402:write' },
    args: { id: t.arg({ type: 'X402EndpointId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { id }) => deleteEndpoint(ctx, id),
      async (_ctx, id) => ({ id }),
    ),
  }),
}));
