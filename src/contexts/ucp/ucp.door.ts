// The wire of UCP: its REST binding for each merchant (docs/protocols.md "UCP").
import { z } from 'zod';
import type { Checkout } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { type DoorAnswer, type DoorRequest, type GuardedDoor, guardedDoor, type Visit } from '../../platform/door.js';
import { type ApiError, NotFound } from '../../platform/errors.js';
import { checkout } from '../checkouts/checkout.js';
import { checkoutAnswer, createdAnswer } from './answer.js';
import { codecs } from './codec-table.js';
import { converse, type Talk } from './conversation.js';
import { shared } from './door-facts.js';
import { NoSession, NothingFound } from './errors.js';
import { endpointPath } from './merchant-place.js';
import { signAnswer } from './message-signature.js';
import { orderWebhookRemarks } from './order-webhook.js';
import { errorAnswer, leavesNothing, ucpMessagesOf } from './refusal.js';
import { cancelRequest, completeRequest } from './request.js';
import {
  answerSession,
  cancelUcpSession,
  completeUcpSession,
  createUcpSession,
  getUcpSession,
  merchantNamed,
  updateUcpSession,
} from './session.js';
import { checkoutCapability } from './version.js';

/** Said once, for all doors of the tag. */
const tag = { name: 'ucp', about: 'Checkouts at merchants by the Universal Commerce Protocol, versions 2026-08-25 and 2026-04-08.' };
const sessions = `${endpointPath}/checkout-sessions`;

/** Finds the merchant before anything is fetched. */
async function admit(ctx: Ctx, request: DoorRequest): Promise<Talk> {
  const { params } = request;
  const merchant = await merchantNamed(ctx, params['merchant_id'] ?? '');
  if (merchant === null) throw params['id'] === undefined ? new NotFound() : new NoSession();
  return converse(ctx, request, merchant, checkoutCapability);
}

type Talking = Visit<unknown, Talk>;
const idOf = ({ params }: DoorRequest) => params['id'] ?? '';

// Gap G-289: `Idempotency-Key` of UCP is required, with 1 to 255 characters.
/** What an earlier request with the same key has made. */
const again = async (ctx: Ctx, { admission }: Talking, reference: string): Promise<DoorAnswer> => ({
  body: await answerSession(ctx, admission, await checkout(ctx, 'ucp', reference)),
});

const answerPayment = (ctx: Ctx, talk: Talk, row: Checkout) => answerSession(ctx, talk, row, orderWebhookRemarks(ctx, talk));

/** The checkout with what was refused in its messages. */
const refusedAt = (step: 'request' | 'payment') => async (ctx: Ctx, visit: Talking, error: ApiError) => {
  const messages = ucpMessagesOf(error, step);
  if (messages === undefined) return undefined;
  if (leavesNothing(error)) return errorAnswer(messages, visit.admission.codec.version);
  const row = await getUcpSession(ctx, visit.admission, idOf(visit));
  return { status: 200, body: await answerSession(ctx, visit.admission, row, messages) };
};

/** The requests of all versions; which one counts, the profile of the agent says. */
const anyCreate = z.union(codecs.map(({ creation }) => creation));
const anyUpdate = z.union(codecs.map(({ change }) => change));

export const createDoor = guardedDoor<typeof anyCreate, Talk>({
  ...shared,
  tag,
  id: 'createUcpSession',
  method: 'POST',
  path: sessions,
  summary: 'Begin a checkout by UCP',
  description:
    'Prices, titles and taxes are those of the offer of the merchant. 200 with `ucp.status: "error"` says why there is no checkout. It can be paid for six hours.',
  request: { schema: anyCreate, example: { line_items: [{ item: { id: 'mug' }, quantity: 2 }] } },
  answers: { 201: { schema: createdAnswer }, 200: { schema: checkoutAnswer, description: 'The merchant refused.' } },
  failures: [400, 401, 403, 404, 409, 422, 424, 503],
  key: 'required',
  admit,
  shape: ({ codec }) => codec.creation,
  take: async (ctx, { admission, body }) => ({
    status: 201,
    body: await answerSession(ctx, admission, await createUcpSession(ctx, admission, body)),
  }),
  again: async (ctx, visit, reference) => ({ ...(await again(ctx, visit, reference)), status: 201 }),
  async refused(_ctx, { admission }, error) {
    // A merchant that is not there is no refusal of a merchant; a cart that is not there is.
    const isNowhere = leavesNothing(error) && !(error instanceof NothingFound);
    const messages = isNowhere ? undefined : ucpMessagesOf(error, 'request');
    return messages && errorAnswer(messages, admission.codec.version);
  },
});

export const readDoor: GuardedDoor<unknown, Talk> = {
  ...shared,
  scope: 'checkouts:read',
  id: 'getUcpSession',
  method: 'GET',
  path: `${sessions}/{id}`,
  summary: 'Read a checkout by UCP',
  description: 'The checkout as it is now. 200 with `not_found` in its messages where the merchant has none of this id.',
  answers: { 200: { schema: checkoutAnswer } },
  failures: [400, 401, 422, 424, 503],
  admit,
  take: async (ctx, visit) => ({ body: await answerSession(ctx, visit.admission, await getUcpSession(ctx, visit.admission, idOf(visit))) }),
  refused: refusedAt('request'),
};

export const updateDoor = guardedDoor<typeof anyUpdate, Talk>({
  ...shared,
  id: 'updateUcpSession',
  method: 'PUT',
  path: `${sessions}/{id}`,
  summary: 'Change a checkout by UCP',
  description:
    'The lines are those of the request; `buyer` and `fulfillment` stay as they were where they are left out. Other lines or quantities are priced anew. 409 once its payment was begun.',
  request: {
    schema: anyUpdate,
    example: {
      line_items: [{ id: 'line_1', item: { id: 'mug' }, quantity: 3 }],
      buyer: { email: 'ada@example.com' },
      fulfillment: {
        methods: [
          {
            id: 'shipping',
            type: 'shipping',
            line_item_ids: ['line_1'],
            destinations: [
              {
                street_address: '1 Main St',
                address_locality: 'Springfield',
                address_region: 'IL',
                postal_code: '62701',
                address_country: 'US',
              },
            ],
            groups: [{ id: 'shipping_group', selected_option_id: 'standard' }],
          },
        ],
      },
    },
  },
  answers: { 200: { schema: checkoutAnswer } },
  failures: [400, 401, 403, 409, 422, 424, 503],
  key: 'required',
  admit,
  shape: ({ codec }) => codec.change,
  take: async (ctx, visit) => ({
    body: await answerSession(ctx, visit.admission, await updateUcpSession(ctx, visit.admission, idOf(visit), visit.body)),
  }),
  again,
  refused: refusedAt('request'),
});

export const completeDoor = guardedDoor<typeof completeRequest, Talk>({
  ...shared,
  id: 'completeUcpSession',
  method: 'POST',
  path: `${sessions}/{id}/complete`,
  summary: 'Pay a checkout by UCP',
  description:
    'One instrument of a handler that the checkout names. A payment that is refused is 200 with `payment_failed` in its messages, and may be tried again; one that needs an approval is `requires_escalation`. 409 for a checkout that is paid, cancelled or expired.',
  request: {
    schema: completeRequest,
    example: {
      payment: {
        instruments: [
          {
            id: 'instrument_1',
            handler_id: 'wallet',
            type: 'wallet',
            credential: { type: 'wallet_id', token: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d' },
          },
        ],
      },
    },
  },
  answers: { 200: { schema: checkoutAnswer } },
  failures: [400, 401, 403, 409, 422, 424, 503],
  key: 'required',
  admit,
  take: async (ctx, visit) => ({
    body: await answerPayment(ctx, visit.admission, await completeUcpSession(ctx, visit.admission, idOf(visit), visit.body)),
  }),
  again: async (ctx, { admission }, reference) => ({ body: await answerPayment(ctx, admission, await checkout(ctx, 'ucp', reference)) }),
  refused: refusedAt('payment'),
  seal: signAnswer,
});

export const cancelDoor = guardedDoor<typeof cancelRequest, Talk>({
  ...shared,
  id: 'cancelUcpSession',
  method: 'POST',
  path: `${sessions}/{id}/cancel`,
  summary: 'Call a checkout off by UCP',
  description: 'A checkout that is not paid. 409 for one that is paid, cancelled or expired.',
  request: { schema: cancelRequest, example: {}, optional: true },
  answers: { 200: { schema: checkoutAnswer } },
  failures: [400, 401, 403, 409, 422, 424, 503],
  key: 'required',
  admit,
  take: async (ctx, visit) => ({
    body: await answerSession(ctx, visit.admission, await cancelUcpSession(ctx, visit.admission, idOf(visit))),
  }),
  again,
  refused: refusedAt('request'),
});
