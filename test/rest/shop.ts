// A small shop, served by the same builder as the platform's own faces: what the tests of rest/ run against.
import { z } from 'zod';
import type { Actor, Ctx } from '../../src/platform/ctx.js';
import { Effect } from '../../src/platform/effect.js';
import { CurrencyMismatch, NotFound, ValidationFailed } from '../../src/platform/errors.js';
import { builder, facts, Pagination, pageArgs } from '../../src/platform/schema/builder.js';
import type { Page } from '../../src/platform/schema/page.js';
import { routesOf } from '../../src/platform/schema/route.js';
import type { RouteSource } from '../../src/rest/routes.js';

export interface Order {
  id: string;
  status: 'open' | 'in_progress' | 'shipped';
  total: string;
  note: string | null;
  address: { line1: string; postalCode: string | null } | null;
  items: { sku: string; quantity: number; giftText: string | null }[];
  metadata: unknown;
  pickupCode: string;
  createdAt: Date;
}

export const orderId = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d';
export const anOrder = (changes: Partial<Order> = {}): Order => ({
  id: orderId,
  status: 'open',
  total: '42.00',
  note: null,
  address: null,
  items: [{ sku: 'A-1', quantity: 2, giftText: null }],
  metadata: { kept: null },
  pickupCode: 'pick-me',
  createdAt: new Date('2026-11-21T10:00:00.000Z'),
  ...changes,
});

/** What the resolvers were given last. */
export const seen: { args?: unknown; runs: number } = { runs: 0 };
const see = (args: unknown) => {
  seen.args = args;
  seen.runs += 1;
};

const rest = routesOf('orders', 'Orders of the shop.');
const Status = builder.enumType('OrderStatus', { values: ['open', 'in_progress', 'shipped'] as const });
const Address = builder.objectRef<NonNullable<Order['address']>>('Address').implement({
  fields: (t) => ({ line1: t.exposeString('line1'), postalCode: t.exposeString('postalCode', { nullable: true }) }),
});
const Item = builder.objectRef<Order['items'][number]>('Item').implement({
  fields: (t) => ({
    sku: t.exposeString('sku', { description: 'Stock keeping unit.' }),
    quantity: t.exposeInt('quantity'),
    giftText: t.exposeString('giftText', { nullable: true }),
  }),
});
const OrderRef = builder.objectRef<Order>('Order').implement({
  description: 'What somebody ordered.',
  fields: (t) => ({
    id: t.expose('id', { type: 'TransferId' }),
    status: t.expose('status', { type: Status }),
    total: t.expose('total', { type: 'Amount', description: 'What it costs.' }),
    note: t.exposeString('note', { nullable: true }),
    address: t.expose('address', { type: Address, nullable: true, wire: { orNull: true } }),
    items: t.expose('items', { type: [Item] }),
    metadata: t.expose('metadata', { type: 'JSON' }),
    pickupCode: t.exposeString('pickupCode', { extensions: { secret: true } }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const Orders = builder.objectRef<Page<Order>>('Orders').implement({
  fields: (t) => ({ nodes: t.expose('nodes', { type: [OrderRef] }), pagination: t.field({ type: Pagination, resolve: (page) => page }) }),
});
const Approval = builder.objectRef<{ id: string }>('SaleApproval').implement({ fields: (t) => ({ id: t.exposeString('id') }) });
const Placed = builder.objectRef<{ order: Order; approval: { id: string } | null }>('Placed').implement({
  fields: (t) => ({ order: t.expose('order', { type: OrderRef }), approval: t.expose('approval', { type: Approval, nullable: true }) }),
});
const Receipt = builder.objectRef<{ code: string }>('Receipt').implement({ fields: (t) => ({ code: t.exposeString('code') }) });

const ItemInput = builder.inputType('ItemInput', {
  fields: (t) => ({
    sku: t.string({ validate: z.string().min(1).max(20) }),
    quantity: t.int({ validate: z.int().min(1).max(1000) }),
    giftText: t.string({ required: false }),
  }),
});
const SearchInput: ReturnType<typeof builder.inputRef<{ word?: string | null; not?: object | null }>> = builder.inputRef('SearchInput');
SearchInput.implement({ fields: (t) => ({ word: t.string({ required: false }), not: t.field({ type: SearchInput, required: false }) }) });

export const PlaceOrderInput = builder.inputType('PlaceOrderInput', {
  description: 'What to order.',
  fields: (t) => ({
    maxTotal: t.field({ type: 'Amount', description: 'The most it may cost.' }),
    items: t.field({ type: [ItemInput], validate: z.array(z.unknown()).min(1).max(100) }),
    status: t.field({ type: Status, required: false }),
    shipAfter: t.field({ type: 'DateTime', required: false, validate: z.date().min(new Date('2020-01-01'), 'must be after 2019') }),
    weight: t.float({ required: false }),
    isGift: t.boolean({ required: false }),
    priority: t.int({ required: false, defaultValue: 3 }),
    line1: t.string({ required: false }),
    tags: t.stringList({ required: false }),
    metadata: t.field({ type: 'JSONObject', required: false, extensions: { example: { colour: 'red' } } }),
  }),
});
const ImportOrdersInput = builder.inputType('ImportOrdersInput', {
  fields: (t) => ({ blob: t.string(), search: t.field({ type: SearchInput, required: false }) }),
});

builder.queryFields((t) => ({
  orders: t.field({
    type: Orders,
    args: {
      ...pageArgs(t),
      status: t.arg({ type: Status, required: false, description: 'Only those.' }),
      timeRange: t.arg.string({ required: false, validate: z.string().max(3) }),
      withGifts: t.arg.boolean({ required: false }),
      skus: t.arg.stringList({ required: false }),
      lastSeen: t.arg.string({ required: false }),
    },
    resolve: (_, args) => {
      see(args);
      return {
        nodes: [anOrder()],
        page: args.page ?? 0,
        limit: args.limit ?? 0,
        hasMore: false,
        nextCursor: async () => null,
        total: async () => ({ count: 1, isMinimum: false }),
        totalPages: async () => 1,
      };
    },
  }),
  order: t.field({
    route: rest('GET /v1/orders/{id}', 'Read an order.', { name: 'readOrder' }),
    type: OrderRef,
    args: { id: t.arg({ type: 'TransferId' }) },
    resolve: (_, { id }) => {
      if (id !== orderId) throw new NotFound();
      return anOrder({ address: { line1: 'Main St 1', postalCode: null } });
    },
  }),
  broken: t.field({
    type: Receipt,
    authScopes: { audience: 'public' },
    skipTypeScopes: true,
    resolve: () => Promise.reject(new Error('a bug')),
  }),
}));

builder.mutationFields((t) => ({
  placeOrder: t.field({
    route: rest('POST /v1/orders', 'Place an order.', { status: 201 }),
    type: OrderRef,
    ...facts({ errors: [CurrencyMismatch] }),
    args: { input: t.arg({ type: PlaceOrderInput }) },
    resolve: async (_, { input }) => {
      see(input);
      if (input.maxTotal === '0.01') throw new ValidationFailed([{ path: ['maxTotal'], message: 'is too little', rule: 'amount' }]);
      if (input.maxTotal === '0.02') throw new CurrencyMismatch('w-1', 'USD', 'EUR');
      return anOrder({ total: input.maxTotal, metadata: input.metadata ?? {} });
    },
  }),
  quoteOrder: t.field({
    route: rest('POST /v1/orders', 'What it would cost.', { when: 'dry_run' }),
    type: Receipt,
    ...facts({ effect: 'none' }),
    args: { input: t.arg({ type: PlaceOrderInput }) },
    resolve: (_, { input }) => ({ code: `quote ${input.maxTotal}` }),
  }),
  cancelOrder: t.field({
    route: rest('POST /v1/orders/{id}/cancel', 'Cancel an order.', { names: { orderId: 'id' }, body: 'order', accepted: 'approval' }),
    type: Placed,
    authScopes: { audience: 'operator' },
    args: { orderId: t.arg({ type: 'TransferId' }), waits: t.arg.boolean({ required: false }) },
    resolve: (_, { waits }) => {
      if (waits === false) throw new ValidationFailed([{ path: ['orderId'], message: 'is too late', rule: 'status' }]);
      return { order: anOrder(), approval: waits ? { id: 'apr_1' } : null };
    },
  }),
  importOrders: t.field({
    route: rest('POST /v1/orders/import', 'Import orders.', { status: 202 }),
    type: Receipt,
    ...facts({ batch: true }),
    args: { input: t.arg({ type: ImportOrdersInput }) },
    resolve: (_, { input }) => ({ code: String(input.blob.length) }),
  }),
  knock: t.field({
    route: rest('POST /v1/knock', 'Knock.', { body: true }),
    type: Receipt,
    authScopes: { audience: 'public' },
    skipTypeScopes: true,
    ...facts({ rateClass: 'auth' }),
    resolve: () => ({ code: 'come in' }),
  }),
}));

export const schema = builder.toSchema({ sortSchema: false });

export const shop: RouteSource = {
  file: 'contexts/orders/rest.graphql',
  text: `# What is no plain projection of orders.

"List orders."
query listOrders($status: OrderStatus, $timeRange: String, $since: DateTime, $with_gifts: Boolean, $sku: [String!], $page: Page = 1, $limit: Limit = 50, $last_seen: String @header(name: "Last-Event-ID"))
@route(method: GET, path: "/v1/orders") {
  body: orders(status: $status, timeRange: $timeRange, since: $since, withGifts: $with_gifts, skus: $sku, page: $page, limit: $limit, lastSeen: $last_seen) {
    data: nodes { ...Order }
    pagination { page limit total totalPages }
  }
}

"Fail."
query readBroken @route(method: GET, path: "/v1/broken") { data: broken { code } }
`,
};

const actorOf = (type: Actor['type']): Actor => ({ type, id: 'a', name: 'a', scopes: [], credential: { kind: 'none', id: 'a' } });

/** A ctx that reaches no database: the shop needs none. */
export function shopCtx(type: Actor['type'] = 'api_key'): Ctx {
  return { actor: actorOf(type), requestId: 'req_1', ip: '127.0.0.1', effect: new Effect() } as unknown as Ctx;
}
