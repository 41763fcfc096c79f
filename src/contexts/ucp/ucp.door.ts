// The wire of UCP 2026-04-08: its REST binding for each merchant, and the public documents (docs/protocols.md "UCP").
import { z } from 'zod';
import type { Ctx } from '../../platform/ctx.js';
import {
  type Door,
  type DoorAnswer,
  type DoorRequest,
  type GuardedDoor,
  guardedDoor,
  type OpenDoor,
  type Visit,
} from '../../platform/door.js';
import { type ApiError, NotFound } from '../../platform/errors.js';
import { parseId, printId } from '../../platform/schema/id.js';
import { checkout } from '../checkouts/checkout.js';
import { agentProfile } from './agent-profile.js';
import { checkoutAnswer, createdAnswer, failure, profileAnswer } from './answer.js';
import { activeCapabilities } from './capability.js';
import { CapabilitiesIncompatible, NoSession } from './errors.js';
import { handlerOf, handlerSchemaPath, instrumentSchema } from './payment-handler.js';
import { businessProfile, businessProfilePath, platformProfile } from './profile.js';
import { errorAnswer, leavesNothing, spell, ucpMessagesOf } from './refusal.js';
import { cancelRequest, completeRequest, createRequest, updateRequest } from './request.js';
import { checkSignature } from './request-signature.js';
import {
  answerSession,
  cancelUcpSession,
  completeUcpSession,
  createUcpSession,
  getUcpSession,
  merchantNamed,
  type Talk,
  updateUcpSession,
} from './session.js';
import { checkoutCapability } from './version.js';

const tag = { name: 'ucp', about: 'Checkouts at merchants by the Universal Commerce Protocol, version 2026-04-08.' };
const sessions = '/ucp/{merchant_id}/checkout-sessions';
const headers = [
  { name: 'UCP-Agent', description: '`profile="https://..."`, the address of the profile of the agent.', required: true },
  { name: 'Signature-Input', description: 'What a signature covers (RFC 9421), where the request is signed.' },
  { name: 'Signature', description: 'The signature, by a key of the profile.' },
  { name: 'Content-Digest', description: 'SHA-256 of the body (RFC 9530), where the request is signed.' },
];
const shared = { tag, audience: 'any', headers, echoes: ['Request-Id'], refusal: { spell, schema: failure } } as const;

/** Finds the merchant before anything is fetched, then the profile; checks the signature, and finds what both sides can do. */
async function admit(ctx: Ctx, request: DoorRequest): Promise<Talk> {
  const { origin, params } = request;
  const merchant = await merchantNamed(ctx, params['merchant_id'] ?? '');
  if (merchant === null) throw params['id'] === undefined ? new NotFound() : new NoSession();
  const profile = await agentProfile(ctx, request.header('UCP-Agent'));
  checkSignature({ ...request, host: new URL(origin).host }, profile, ctx.platform.clock.now());
  const active = activeCapabilities(profile.capabilities);
  if (!active.includes(checkoutCapability)) throw new CapabilitiesIncompatible(checkoutCapability);
  return { profile, active, origin, merchant };
}

type Talking = Visit<unknown, Talk>;
const idOf = ({ params }: DoorRequest) => params['id'] ?? '';

/** What an earlier request with the same key has made (Gap G-289). */
const again = async (ctx: Ctx, { admission }: Talking, reference: string): Promise<DoorAnswer> => ({
  body: await answerSession(ctx, admission, await checkout(ctx, 'ucp', reference)),
});

/** The checkout with what was refused in its messages. */
const refusedAt = (step: 'request' | 'payment') => async (ctx: Ctx, visit: Talking, error: ApiError) => {
  const messages = ucpMessagesOf(error, step);
  if (messages === undefined) return undefined;
  if (leavesNothing(error)) return errorAnswer(messages);
  const row = await getUcpSession(ctx, visit.admission, idOf(visit));
  return { status: 200, body: await answerSession(ctx, visit.admission, row, messages) };
};

const createDoor = guardedDoor<typeof createRequest, Talk>({
  ...shared,
  id: 'createUcpSession',
  method: 'POST',
  path: sessions,
  summary: 'Begin a checkout by UCP',
  description:
    'Prices, titles and taxes are those of the offer of the merchant. 200 with `ucp.status: "error"` says why there is no checkout. It can be paid for six hours.',
  request: { schema: createRequest, example: { line_items: [{ item: { id: 'mug' }, quantity: 2 }] } },
  answers: { 201: { schema: createdAnswer }, 200: { schema: checkoutAnswer, description: 'The merchant refused.' } },
  failures: [400, 401, 403, 404, 409, 422, 424, 503],
  key: 'required',
  admit,
  take: async (ctx, { admission, body }) => ({
    status: 201,
    body: await answerSession(ctx, admission, await createUcpSession(ctx, admission, body)),
  }),
  again: async (ctx, visit, reference) => ({ ...(await again(ctx, visit, reference)), status: 201 }),
  async refused(_ctx, _visit, error) {
    // A merchant that is not there is no refusal of a merchant.
    const messages = leavesNothing(error) ? undefined : ucpMessagesOf(error, 'request');
    return messages && errorAnswer(messages);
  },
});

const readDoor: GuardedDoor<unknown, Talk> = {
  ...shared,
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

const updateDoor = guardedDoor<typeof updateRequest, Talk>({
  ...shared,
  id: 'updateUcpSession',
  method: 'PUT',
  path: `${sessions}/{id}`,
  summary: 'Change a checkout by UCP',
  description:
    'The lines are those of the request; `buyer` and `fulfillment` stay as they were where they are left out. Other lines or quantities are priced anew. 409 once its payment was begun.',
  request: {
    schema: updateRequest,
    example: {
      line_items: [{ id: 'line_1', item: { id: 'mug' }, quantity: 3 }],
      buyer: { email: 'ada@example.com' },
      fulfillment: {
        methods: [
          {
            id: 'shipping',
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
  take: async (ctx, visit) => ({
    body: await answerSession(ctx, visit.admission, await updateUcpSession(ctx, visit.admission, idOf(visit), visit.body)),
  }),
  again,
  refused: refusedAt('request'),
});

const completeDoor = guardedDoor<typeof completeRequest, Talk>({
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
    body: await answerSession(ctx, visit.admission, await completeUcpSession(ctx, visit.admission, idOf(visit), visit.body)),
  }),
  again,
  refused: refusedAt('payment'),
});

const cancelDoor = guardedDoor<typeof cancelRequest, Talk>({
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

/** Profiles are kept by who reads them, for a minute at least. */
const cached = { 'Cache-Control': 'public, max-age=3600' };

const platformProfileDoor: OpenDoor = {
  tag,
  id: 'getUcpProfile',
  method: 'GET',
  path: '/.well-known/ucp',
  summary: 'The UCP profile of the platform',
  description:
    'What is spoken here, the keys, and the templates of the endpoint and the profile of a merchant in the `config` of the service.',
  answers: { 200: { schema: profileAnswer } },
  failures: [400, 503],
  take: async (platform, { origin }) => ({ body: await platformProfile(platform, origin), headers: cached }),
};

const businessProfileDoor: OpenDoor = {
  tag,
  id: 'getUcpBusinessProfile',
  method: 'GET',
  path: businessProfilePath,
  summary: 'The UCP profile of a merchant',
  description: 'The endpoint of its checkouts. It says nothing of whether there is such a merchant.',
  answers: { 200: { schema: profileAnswer } },
  failures: [400, 404, 503],
  async take(platform, { origin, params }) {
    const id = parseId('merchant', params['merchant_id']);
    if (id === null) throw new NotFound();
    return { body: await businessProfile(platform, origin, printId('merchant', id)), headers: cached };
  },
};

const handlerDoor: OpenDoor = {
  tag,
  id: 'getUcpHandlerSchema',
  method: 'GET',
  path: handlerSchemaPath,
  summary: 'The schema of the instruments of a payment handler',
  description: 'JSON Schema of what `payment.instruments` holds for the handler.',
  answers: { 200: { schema: z.looseObject({}) } },
  failures: [400, 404, 503],
  async take(_platform, { params }) {
    const id = handlerOf(params['handler'] ?? '');
    if (id === null) throw new NotFound();
    return { body: instrumentSchema(id), headers: cached };
  },
};

export const ucpDoors: readonly Door[] = [
  platformProfileDoor,
  businessProfileDoor,
  handlerDoor,
  createDoor,
  readDoor,
  updateDoor,
  completeDoor,
  cancelDoor,
];
