// The doors that anybody knocks at: what a call costs, and the paid door itself (CONTRACT.md 9). Both are x402's own wire.
import { z } from 'zod';
import type { Platform } from '../../platform/ctx.js';
import type { DoorAnswer, Knock, OpenDoor } from '../../platform/door.js';
import { ValidationFailed } from '../../platform/errors.js';
import { printId } from '../../platform/schema/id.js';
import { type Asked, askedEndpoint, paymentRequired } from './challenge.js';
import { payerIn } from './exact.js';
import { chainNetwork } from './network.js';
import { isOffer, type Offer, offersOf } from './offer.js';
import { type Outcome, settlementOf, settlePayload, signedPayment } from './settlement.js';
import {
  type PaymentPayload,
  printHeader,
  readPaymentHeader,
  readRequirements,
  requirementsV1,
  requirementsV2,
  resourceInfo,
  settlementResponse,
} from './wire.js';

const refusedFacts = {
  payment_id: z.string().optional(),
  /** What refused it, where a rule of the platform did. */
  code: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
};
const requiredV1 = z.object({ x402Version: z.literal(1), error: z.string(), accepts: z.array(requirementsV1) });
const required = z.union([
  z.object({
    x402Version: z.literal(2),
    error: z.string(),
    resource: resourceInfo,
    accepts: z.array(requirementsV2),
    v1: requiredV1,
    ...refusedFacts,
  }),
  requiredV1.extend(refusedFacts),
]);
const paid = z.object({
  paid: z.boolean().describe('False for an upto payment: its seller settles it, and consumes it with that.'),
  payment_id: z.string(),
  endpoint_id: z.string(),
  proof: z.string().nullable(),
  receipt: settlementResponse,
});
const waiting = z.object({
  paid: z.literal(false),
  payment_id: z.string(),
  endpoint_id: z.string(),
  approval: z.object({ id: z.string(), status: z.string(), expires_at: z.string() }),
});

const tag = { name: 'x402' };

export const challengeDoor: OpenDoor = {
  id: 'challengeX402Endpoint',
  method: 'GET',
  path: '/v1/x402/endpoints/{endpoint_id}/challenge',
  tag,
  summary: 'The 402 of an endpoint, for a gateway to forward',
  description:
    'Says what a call can be paid with: `PAYMENT-REQUIRED` is version 2 of x402, and `v1` in the body version 1. It is always a 402.',
  headers: [{ name: 'X-PAYMENT', description: 'With it the answer is in version 1 alone.' }],
  answers: { 402: { schema: required, description: 'What the call can be paid with.' } },
  failures: [400, 404, 409, 503],
  take: async (platform, knock) =>
    paymentRequired(await askedEndpoint(platform, knock), { version: knock.header('X-PAYMENT') === '' ? 2 : 1, error: noPayment }),
};

const noPayment = 'PAYMENT-SIGNATURE header is required';

/** A payment that came in a header, in the version that the header is of. */
interface Presented {
  version: 1 | 2;
  payload: PaymentPayload;
}

/** Reads the payment of a request; null where there is none. 400 for what is none. */
function presented({ header }: Knock): Presented | null {
  const [name, version] = header('PAYMENT-SIGNATURE') === '' ? (['X-PAYMENT', 1] as const) : (['PAYMENT-SIGNATURE', 2] as const);
  const text = header(name);
  if (text === '') return null;
  const payload = readPaymentHeader(text);
  if (payload?.x402Version === version) return { version, payload };
  const message = `must be the base64 of a PaymentPayload of version ${version}`;
  throw new ValidationFailed([{ path: [name], message, rule: 'x402' }]);
}

async function take(platform: Platform, knock: Knock): Promise<DoorAnswer> {
  const asked = await askedEndpoint(platform, knock);
  const payment = presented(knock);
  if (payment === null) return paymentRequired(asked, { version: 2, error: noPayment });
  const { version, payload } = payment;
  const offer = await offerFor(asked, payload);
  const network = payload.x402Version === 1 ? payload.network : payload.accepted.network;
  const outcome: Outcome =
    offer === undefined
      ? { made: null, reason: 'invalid_payment_requirements', payer: undefined }
      : await settlePayload(asked.ctx, withNetwork(asked, payload), readRequirements(offer), asked.endpoint);
  const settlement = settlementOf(outcome, network);
  const headers = { [version === 1 ? 'X-PAYMENT-RESPONSE' : 'PAYMENT-RESPONSE']: printHeader(settlement), 'Cache-Control': 'no-store' };
  if (outcome.made !== null && outcome.reason === null) return madeAnswer(outcome.made, settlement, headers);
  return paymentRequired(asked, { version, error: outcome.reason ?? 'unexpected_settle_error', facts: factsOf(outcome), headers });
}

function madeAnswer({ payment, approval }: NonNullable<Outcome['made']>, receipt: object, headers: Record<string, string>): DoorAnswer {
  const ids = { payment_id: printId('x402Payment', payment.id), endpoint_id: printId('x402Endpoint', payment.endpointId ?? '') };
  if (approval === null)
    return { status: 200, headers, body: { paid: payment.status === 'settled', ...ids, proof: payment.proof, receipt } };
  const waits = { id: printId('approval', approval.id), status: approval.status, expires_at: approval.expiresAt.toISOString() };
  return { status: 202, headers, body: { paid: false, ...ids, approval: waits } };
}

/** What a payment that was none is told besides (Gap G-290). */
function factsOf({ made, error }: Outcome): object {
  return {
    ...(made !== null && { payment_id: printId('x402Payment', made.payment.id) }),
    ...(error !== undefined && { code: error.code, details: error.details ?? {} }),
  };
}

/** The offer that a payment accepts: one that is made to anybody, or to who pays. What it says of the offer itself counts for nothing. */
async function offerFor({ ctx, endpoint }: Asked, payload: PaymentPayload): Promise<Offer | undefined> {
  const { scheme, network, payload: signed } = signedPayment(payload);
  const offers = [...(await offersOf(ctx, endpoint)), ...(await offersOf(ctx, endpoint, payerIn(signed)?.toLowerCase() ?? null))];
  if (payload.x402Version === 2) return offers.find((offer) => isOffer(readRequirements(payload.accepted) as Offer, offer));
  // Version 1 says no more than these two.
  const name = chainNetwork(ctx, network)?.network ?? network;
  const fitting = offers.filter((offer) => offer.scheme === scheme && offer.network === name);
  const { authorization } = signed as { authorization?: { value?: unknown } };
  return fitting.find(({ amount }) => amount === authorization?.value) ?? fitting[0];
}

/** A payload of version 1 with its network in the spelling of version 2, in which everything behind the door is done. */
function withNetwork({ ctx }: Asked, payload: PaymentPayload): PaymentPayload {
  if (payload.x402Version === 2) return payload;
  return { ...payload, network: chainNetwork(ctx, payload.network)?.network ?? payload.network };
}

/** The paid door, one for each method: which one a call has is between buyer and seller. */
export const paidDoors: readonly OpenDoor[] = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) => ({
  id: `${method.toLowerCase()}PaidX402`,
  method,
  path: '/x402/{endpoint_id}',
  tag,
  summary: 'The paid door: pays for a call',
  description:
    'Without a payment it is a 402 that says what the call can be paid with. With one in `PAYMENT-SIGNATURE` (version 2 of x402) or `X-PAYMENT` (version 1) that is verified and settled it is a 200 with the proof, which the seller consumes once.',
  headers: [
    { name: 'PAYMENT-SIGNATURE', description: 'The base64 of a PaymentPayload of version 2.' },
    { name: 'X-PAYMENT', description: 'The base64 of a PaymentPayload of version 1.' },
  ],
  answers: {
    200: { schema: paid, description: 'Paid.' },
    202: { schema: waiting, description: 'The payment waits for an approval.' },
    402: { schema: required, description: 'What the call can be paid with, and why a payment was none.' },
  },
  failures: [400, 404, 409, 503],
  take,
}));
