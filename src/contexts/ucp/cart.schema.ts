// The GraphQL face of carts, which are read here; they are made and changed by UCP (cart.door.ts).
import { CartStatus } from '../../generated/prisma/enums.js';
import { NotFound } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { mostItems } from '../checkouts/item.js';
import { type CartLine, cart, carts, linesOfCart, visibleCarts } from './cart.js';

// Gap G-750: GraphQL shows a cart that was cancelled or has expired, with its status; by UCP it is `not_found`.
const CartStatusEnum = builder.enumType(CartStatus, {
  name: 'CartStatus',
  description: '`active`: it can be changed and converted. `cancelled`, `expired`: it has ended.',
});

const CartItem = builder.objectRef<CartLine & { currency: string }>('CartItem').implement({
  description: 'A line of a cart.',
  fields: (t) => ({
    sku: t.exposeString('id', { description: "The merchant's id of the product." }),
    title: t.exposeString('title', { description: 'Name of the product when the line was written.' }),
    quantity: t.exposeInt('quantity', { description: 'How many.' }),
    unitPrice: t.field({
      type: 'Amount',
      description: 'Price of one when the line was written, in the currency of the cart.',
      resolve: ({ unitPrice, currency }) => formatMinor(BigInt(unitPrice), currency as never),
    }),
  }),
});

const Cart = builder.prismaObject('Cart', {
  ...byId(rowsOf('cart', visibleCarts)),
  description: 'What somebody may want to buy of a merchant, by UCP. It holds nothing.',
  fields: (t) => ({
    id: t.expose('id', { type: 'CartId' }),
    merchantId: t.expose('merchantId', { type: 'MerchantId', description: 'The merchant that sells.' }),
    status: t.expose('status', { type: CartStatusEnum }),
    items: t.field({
      type: [CartItem],
      description: 'What is in it.',
      ...facts({ most: mostItems, embedded: true }),
      resolve: (row) => linesOfCart(row).map((line) => ({ ...line, currency: row.currency })),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    buyer: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'Who buys, as the platform said it by UCP; null where it said nothing.',
      resolve: ({ buyer }) => buyer,
    }),
    checkoutId: t.expose('checkoutId', {
      type: 'UcpCheckoutId',
      nullable: true,
      description: 'The checkout that it was converted to last; null where there was none.',
    }),
    agentId: t.expose('creatorAgentId', {
      type: 'AgentUuid',
      nullable: true,
      description: 'The agent that made it; null where no agent did.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it expires unless it is changed before.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const CartPage = pageOf(Cart, 'Cart');

builder.queryFields((t) => ({
  cart: t.prismaField({
    type: Cart,
    description: 'Read a cart of UCP, with the prices that were seen when it was written. An agent reads those that it made.',
    authScopes: { audience: 'any', scope: 'checkouts:read' },
    args: { id: t.arg({ type: 'CartId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => cart(ctx, id, query),
  }),
  carts: t.field({
    type: CartPage,
    description: 'List carts of UCP, newest first. An agent sees those that it made.',
    authScopes: { audience: 'any', scope: 'checkouts:read' },
    ...listed(t, carts, {
      merchantId: t.arg({ type: 'MerchantId', required: false }),
      status: t.arg({ type: CartStatusEnum, required: false }),
    }),
  }),
}));
