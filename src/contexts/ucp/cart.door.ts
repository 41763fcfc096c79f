// The wire of carts, since UCP 2026-08-25.
import { z } from 'zod';
import type { Ctx } from '../../platform/ctx.js';
import { type DoorAnswer, type DoorRequest, type GuardedDoor, guardedDoor, type Visit } from '../../platform/door.js';
import { type ApiError, NotFound } from '../../platform/errors.js';
import { envelope, line, link, message, refused, total } from './answer.js';
import { cancelCart, cartMade, createCart, getCart, updateCart } from './cart.js';
import { printCart } from './cart-view.js';
import { codecs } from './codec-table.js';
import { converse, type Talk } from './conversation.js';
import { shared } from './door-facts.js';
import { NoSession, NothingFound } from './errors.js';
import { endpointPath } from './merchant-place.js';
import { errorAnswer, ucpMessagesOf } from './refusal.js';
import { type CartRequest, cancelRequest } from './request.js';
import { merchantNamed } from './session.js';
import { cartCapability } from './version.js';

const path = `${endpointPath}/carts`;

const cart = z
  .looseObject({
    ucp: envelope.describe('The version that is spoken; its status is `success`.'),
    id: z.string().describe('Its identifier: `cart_` and a UUID.'),
    line_items: z.array(line).describe('What may be bought, by line.'),
    currency: z.string().describe('The currency of all amounts, such as `USD`.'),
    totals: z.array(total).describe('What it would come to at the prices of now, without delivery.'),
    buyer: z.looseObject({}).describe('Who buys, as it was sent.').optional(),
    messages: z.array(message).describe('What is in the way of buying it, if anything is.').optional(),
    links: z.array(link).describe('Pages of the merchant, such as its terms.'),
    expires_at: z.iso.datetime().describe('Until when it is kept unless it is changed. RFC 3339 in UTC.'),
  })
  .meta({ id: 'UCPCart', description: 'A cart on the wire of UCP.' });
const answer = z.union([cart, refused]);
/** The requests of all versions that have carts. */
const carts = codecs.flatMap(({ cart: one }) => one ?? []);
const anyCart: z.ZodType<CartRequest> = carts.length === 1 ? (carts[0] as z.ZodType<CartRequest>) : z.union(carts);

async function admit(ctx: Ctx, request: DoorRequest): Promise<Talk> {
  const { params } = request;
  const merchant = await merchantNamed(ctx, params['merchant_id'] ?? '');
  if (merchant === null) throw params['id'] === undefined ? new NotFound() : new NoSession();
  return converse(ctx, request, merchant, cartCapability);
}

type Talking = Visit<unknown, Talk>;
const idOf = ({ params }: DoorRequest) => params['id'] ?? '';

const again = async (ctx: Ctx, { admission }: Talking, reference: string): Promise<DoorAnswer> => ({
  body: printCart(admission, await cartMade(ctx, reference)),
});

async function refusedAt(ctx: Ctx, visit: Talking, error: ApiError): Promise<DoorAnswer | undefined> {
  const messages = ucpMessagesOf(error, 'request');
  if (messages === undefined) return undefined;
  if (error instanceof NothingFound) return errorAnswer(messages, visit.admission.codec.version);
  return { status: 200, body: printCart(visit.admission, await getCart(ctx, visit.admission, idOf(visit)), messages) };
}

// A version without carts is refused when its capabilities are looked at.
const shape = ({ codec }: Talk): z.ZodType<CartRequest> => codec.cart ?? anyCart;
const facts = { ...shared, admit, failures: [400, 401, 403, 409, 422, 424, 503] } as const;
const example = { line_items: [{ item: { id: 'mug' }, quantity: 2 }] };

export const createCartDoor = guardedDoor<typeof anyCart, Talk>({
  ...facts,
  id: 'createUcpCart',
  method: 'POST',
  path,
  summary: 'Begin a cart by UCP',
  description:
    'Items at the prices of the offer of the merchant, without delivery. It holds nothing, is kept for seven days after its last change, and becomes a checkout by its id. Since version 2026-08-25.',
  request: { schema: anyCart, example },
  answers: { 201: { schema: cart }, 200: { schema: answer, description: 'The merchant refused.' } },
  failures: [400, 401, 403, 404, 409, 422, 424, 503],
  key: 'required',
  shape,
  take: async (ctx, { admission, body }) => ({ status: 201, body: printCart(admission, await createCart(ctx, admission, body)) }),
  again: async (ctx, visit, reference) => ({ ...(await again(ctx, visit, reference)), status: 201 }),
  async refused(_ctx, { admission }, error) {
    const messages = ucpMessagesOf(error, 'request');
    return messages && errorAnswer(messages, admission.codec.version);
  },
});

export const readCartDoor: GuardedDoor<unknown, Talk> = {
  ...facts,
  scope: 'checkouts:read',
  id: 'getUcpCart',
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a cart by UCP',
  description:
    'The cart at the prices of now. 200 with `not_found` in its messages for one that was cancelled or bought, has expired, or is of somebody else.',
  answers: { 200: { schema: answer } },
  failures: [400, 401, 422, 424, 503],
  take: async (ctx, visit) => ({ body: printCart(visit.admission, await getCart(ctx, visit.admission, idOf(visit))) }),
  refused: refusedAt,
};

export const updateCartDoor = guardedDoor<typeof anyCart, Talk>({
  ...facts,
  id: 'updateUcpCart',
  method: 'PUT',
  path: `${path}/{id}`,
  summary: 'Change a cart by UCP',
  description:
    'The request is the whole cart: what it leaves out is taken away. An open checkout of the cart stays as it is. `not_found` as for reading.',
  request: { schema: anyCart, example: { line_items: [{ id: 'line_1', item: { id: 'mug' }, quantity: 3 }] } },
  answers: { 200: { schema: answer } },
  key: 'required',
  shape,
  take: async (ctx, visit) => ({ body: printCart(visit.admission, await updateCart(ctx, visit.admission, idOf(visit), visit.body)) }),
  again,
  refused: refusedAt,
});

export const cancelCartDoor = guardedDoor<typeof cancelRequest, Talk>({
  ...facts,
  id: 'cancelUcpCart',
  method: 'POST',
  path: `${path}/{id}/cancel`,
  summary: 'Give a cart up by UCP',
  description: 'Answers with the cart as it was; from then on it is `not_found`. An open checkout of it goes on.',
  request: { schema: cancelRequest, example: {}, optional: true },
  answers: { 200: { schema: answer } },
  key: 'required',
  take: async (ctx, visit) => ({ body: printCart(visit.admission, await cancelCart(ctx, visit.admission, idOf(visit))) }),
  again,
  refused: refusedAt,
});
