// The doors of ACP: its own wire, on the checkouts of this platform (docs/protocols.md "ACP").
import type { Checkout } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { type Door, type DoorRequest, type GuardedDoor, guardedDoor, type OpenDoor } from '../../platform/door.js';
import type { ApiError } from '../../platform/errors.js';
import { checkout } from '../checkouts/checkout.js';
import { discovery, discoveryShape } from './discovery.js';
import { examples } from './example.js';
import { declinedMessage } from './message.js';
import { cancelAcpSession, completeAcpSession, createAcpSession, findSession, type SessionPath, updateAcpSession } from './request.js';
import * as shape from './request-shape.js';
import { printAcpSession } from './session.js';
import { type AcpMessage, sessionShape } from './session-shape.js';
import { acpError, spellAcp } from './spelling.js';
import { acpVersion, checkAcpVersion } from './version.js';

const one = '/acp/{merchant_id}/checkout_sessions/{checkout_session_id}';
const facts = {
  tag: { name: 'acp', about: `Checkouts in the words of ACP, version ${acpVersion}.` },
  audience: 'any',
  scope: 'checkouts:write',
  headers: [
    { name: 'API-Version', description: `\`${acpVersion}\`.`, required: true },
    { name: 'Request-Id', description: 'Comes back in the answer.' },
  ],
  echoes: ['Idempotency-Key', 'Request-Id'],
  refusal: { spell: spellAcp, schema: acpError },
  admit: (_ctx: Ctx, { header }: DoorRequest) => checkAcpVersion(header('API-Version')),
} as const satisfies Partial<GuardedDoor>;

const pathOf = ({ params }: DoorRequest): SessionPath => ({
  merchantId: params['merchant_id'] ?? '',
  ...(params['checkout_session_id'] !== undefined && { sessionId: params['checkout_session_id'] }),
});

const show = async (ctx: Ctx, row: Checkout, { origin }: DoorRequest, besides: readonly AcpMessage[] = []) => ({
  body: await printAcpSession(ctx, row, { origin, besides }),
});

/** The session of an earlier request with the same key, as it is now. */
const again = async (ctx: Ctx, request: DoorRequest, reference: string) => show(ctx, await checkout(ctx, 'acp', reference), request);

const keyed = { ...facts, key: 'required', again } as const;
const ok = { 200: { schema: sessionShape, description: 'The session.' } };

const create = guardedDoor({
  ...keyed,
  id: 'acpCreateCheckoutSession',
  method: 'POST',
  path: '/acp/{merchant_id}/checkout_sessions',
  summary: 'Begin a checkout session',
  description: 'At the prices of the merchant. What is missing or sold out is told in `messages`.',
  request: { schema: shape.createSessionShape, example: examples.ofCreate },
  answers: { 201: { schema: sessionShape, description: 'The session.' } },
  failures: [404, 409, 422],
  take: async (ctx, visit) => show(ctx, await createAcpSession(ctx, pathOf(visit), visit.body), visit),
});

const update = guardedDoor({
  ...keyed,
  id: 'acpUpdateCheckoutSession',
  method: 'POST',
  path: one,
  summary: 'Change a checkout session',
  description: 'What is left out stays as it is. Other items are priced anew.',
  request: { schema: shape.updateSessionShape, example: examples.ofUpdate },
  answers: ok,
  failures: [404, 409, 422],
  take: async (ctx, visit) => show(ctx, await updateAcpSession(ctx, pathOf(visit), visit.body), visit),
});

const read: GuardedDoor = {
  ...facts,
  scope: 'checkouts:read',
  id: 'acpGetCheckoutSession',
  method: 'GET',
  path: one,
  summary: 'Read a checkout session',
  description: 'As it is now.',
  answers: ok,
  failures: [404],
  take: async (ctx, visit) => show(ctx, await findSession(ctx, pathOf(visit)), visit),
};

// Gap G-274: A declined payment is 200 with the session and `payment_declined`, and is not kept for the key.
/** Codes of payments that were declined by who pays, or by what binds it: another payment may be tried. */
const declines: ReadonlySet<string> = new Set([
  'insufficient_balance',
  'currency_mismatch',
  'same_wallet',
  'policy_violation',
  'budget_exceeded',
  'mandate_limit_exceeded',
  'kya_limit_exceeded',
  'merchant_blocked',
  'mandate_revoked',
  'mandate_expired',
  'invalid_mandate_jwt',
  'wallet_frozen',
  'agent_frozen',
  'workspace_frozen',
]);

const complete = guardedDoor({
  ...keyed,
  id: 'acpCompleteCheckoutSession',
  method: 'POST',
  path: `${one}/complete`,
  summary: 'Pay a checkout session',
  description:
    'With a wallet, an AP2 mandate or a vaulted card of this platform: `payment_data.instrument.credential.token` is its id or its `mandate_jwt`. A payment by card is final when its processor says so. A payment that is declined leaves the session as it was: the answer is the session with a message.',
  request: { schema: shape.completeSessionShape, example: examples.ofComplete },
  answers: { 200: { schema: sessionShape, description: 'The session; with its order once it is paid.' } },
  failures: [404, 409, 422],
  take: async (ctx, visit) => show(ctx, await completeAcpSession(ctx, pathOf(visit), visit.body), visit),
  refused: async (ctx, visit, error: ApiError) => {
    const isDeclined = declines.has(error.code);
    if (!isDeclined && error.details?.['reason'] !== 'not_ready') return undefined;
    return show(ctx, await findSession(ctx, pathOf(visit)), visit, isDeclined ? [declinedMessage(error.message)] : []);
  },
});

const cancel = guardedDoor({
  ...keyed,
  id: 'acpCancelCheckoutSession',
  method: 'POST',
  path: `${one}/cancel`,
  summary: 'Cancel a checkout session',
  description: 'A session that is completed or canceled already is 405.',
  request: { schema: shape.cancelSessionShape, example: examples.ofCancel, optional: true },
  answers: ok,
  failures: [404, 405, 409, 422],
  take: async (ctx, visit) => show(ctx, await cancelAcpSession(ctx, pathOf(visit), visit.body), visit),
});

const wellKnown: OpenDoor = {
  id: 'acpDiscovery',
  tag: { name: 'acp' },
  method: 'GET',
  path: '/.well-known/acp.json',
  atShop: '/.well-known/acp.json',
  summary: 'What of ACP is spoken here',
  description:
    '`api_base_url` is a template: put the id of a merchant in the place of `{merchant_id}`, which stands there encoded. At the origin of a shop it is that of its merchant.',
  answers: { 200: { schema: discoveryShape } },
  failures: [400, 503],
  take: async (_platform, { origin, shop }) => ({
    body: discovery(origin, shop?.origin),
    headers: { 'Cache-Control': 'public, max-age=3600' },
  }),
};

export const acpDoors: readonly Door[] = [create, update, read, complete, cancel, wellKnown];
