// The doors that anybody may call: what a call costs, and the paid door itself (CONTRACT.md 9). They speak x402, and the schemes that they
// are made with.
import { z } from 'zod';
import type { Platform } from '../../../platform/ctx.js';
import type { DoorAnswer, DoorRequest, OpenDoor } from '../../../platform/door.js';
import { ValidationFailed } from '../../../platform/errors.js';
import { formatMinor } from '../../../platform/money.js';
import { printId } from '../../../platform/schema/id.js';
import { chainOf } from '../chain/chain.js';
import { payerIn, storedPayer } from '../chain/exact.js';
import { isOffer, offersOf, type PaymentOption } from '../endpoint/offer.js';
import { paymentRequired } from '../wire/challenge.js';
import { receiptExtension, signReceipt } from '../wire/offer-receipt.js';
import { credentialIn, type PaymentScheme, type SchemeCredential } from '../wire/payment-scheme.js';
import {
  type PaymentPayload,
  printHeader,
  readPaymentHeader,
  readRequirements,
  requirementsV1,
  requirementsV2,
  resourceInfo,
  settlementResponse,
} from '../wire/wire.js';
import { madeAnswer } from './made-answer.js';
import { type PaidRequest, readPaidRequest } from './paid-request.js';
import { type SettlementOutcome, settlementOf, settlePayload, signedPayment, withNetwork } from './settlement.js';

const refusedFacts = {
  payment_id: z.string().optional().describe('The payment, where one was made.'),
  code: z.string().optional().describe('Code of the rule of the platform that refused it; left out where none did.'),
  details: z.record(z.string(), z.unknown()).optional().describe('What was wrong, and what would help.'),
};
const accepts = 'Ways to pay, of which one is chosen.';
const requiredV1 = z.object({
  x402Version: z.literal(1).describe('Version of the protocol.'),
  error: z.string().describe('Why it has to be paid, or why a payment was none.'),
  accepts: z.array(requirementsV1).describe(accepts),
});
const required = z.union([
  z.object({
    x402Version: z.literal(2).describe('Version of the protocol.'),
    error: z.string().describe('Why it has to be paid, or why a payment was none.'),
    resource: resourceInfo.describe('What is paid for.'),
    accepts: z.array(requirementsV2).describe(accepts),
    extensions: z.record(z.string(), z.unknown()).describe('Extensions of the protocol that are understood.'),
    v1: requiredV1.describe('The same for clients of version 1.'),
    ...refusedFacts,
  }),
  requiredV1.extend(refusedFacts),
]);
/** Why a payment by another scheme was none (RFC 9457). */
const problem = z.object({
  type: z.string().describe('Kind of the problem, as an address.'),
  title: z.string().describe('The kind of the problem, for people.'),
  status: z.number().int().describe('HTTP status of the answer.'),
  detail: z.string().describe('What was wrong, for people.'),
  ...refusedFacts,
  reason: z.string().optional().describe('What was wrong, as a word for programs.'),
});
const paid = z.object({
  paid: z.boolean().describe('False for an upto payment: its seller settles it, and consumes it with that.'),
  payment_id: z.string().describe('The payment.'),
  endpoint_id: z.string().describe('The endpoint that was paid.'),
  proof: z.string().nullable().describe('A JWS that proves the payment; null until it is settled.'),
  receipt: z
    .union([
      settlementResponse.extend({
        extensions: z.record(z.string(), z.unknown()).optional().describe('Extensions of the protocol: the signed receipt, in version 2.'),
      }),
      z.object({
        status: z.string().describe('Whether it was paid.'),
        method: z.string().describe('Method of the payment.'),
        timestamp: z.string().describe('When it was paid, RFC 3339 in UTC.'),
        reference: z.string().describe('Reference of the payment at its method.'),
      }),
    ])
    .describe('The receipt, as the protocol of the payment has it.'),
});
const refused = z.object({
  error: z.string().describe('What happened, for people.'),
  code: z.string().describe('What happened, for programs.'),
  details: z.record(z.string(), z.unknown()).describe('What was wrong, and what would help.'),
  request_id: z.string().describe('Name this to support.'),
});
const waiting = z.object({
  paid: z.literal(false).describe('Not paid yet.'),
  payment_id: z.string().describe('The payment.'),
  endpoint_id: z.string().describe('The endpoint that is paid.'),
  approval: z
    .object({
      id: z.string().describe('Its identifier.'),
      status: z.string().describe('Its status: `pending`.'),
      expires_at: z.string().describe('When it expires, RFC 3339 in UTC.'),
    })
    .describe('The approval that the payment waits for.'),
});

const tag = { name: 'x402' };
const acceptPayment = {
  name: 'Accept-Payment',
  description: 'Orders the challenges, such as `evm/charge, ledger/charge;q=0.5`; those of weight 0 are left out.',
};

export const challengeDoor = (schemes: readonly PaymentScheme[]): OpenDoor => ({
  id: 'challengeX402Endpoint',
  method: 'GET',
  path: '/v1/x402/endpoints/{endpoint_id}/challenge',
  tag,
  summary: 'The 402 of an endpoint, for a gateway to forward',
  description:
    'Says what a call can be paid with: `PAYMENT-REQUIRED` is version 2 of x402, `v1` in the body version 1, and each `WWW-Authenticate: Payment` a challenge of MPP. It is always a 402.',
  headers: [{ name: 'X-PAYMENT', description: 'With it the answer is in version 1 alone.' }, acceptPayment],
  answers: { 402: { schema: required, description: 'What the call can be paid with.' } },
  failures: [400, 404, 409, 503],
  take: async (platform, request) =>
    paymentRequired(await readPaidRequest(platform, request), schemes, {
      version: request.header('X-PAYMENT') === '' ? 2 : 1,
      error: noPayment,
    }),
});

const noPayment = 'PAYMENT-SIGNATURE header is required';

/** A payment that came in a header, in the version that the header is of. */
interface Presented {
  version: 1 | 2;
  payload: PaymentPayload;
}

/** Reads the payment of a request; null where there is none. 400 for what is none. */
function presented({ header }: DoorRequest): Presented | null {
  const [name, version] = header('PAYMENT-SIGNATURE') === '' ? (['X-PAYMENT', 1] as const) : (['PAYMENT-SIGNATURE', 2] as const);
  const text = header(name);
  if (text === '') return null;
  const payload = readPaymentHeader(text);
  if (payload?.x402Version === version) return { version, payload };
  const message = `must be the base64 of a PaymentPayload of version ${version}`;
  throw new ValidationFailed([{ path: [name], message, rule: 'x402' }]);
}

async function take(platform: Platform, request: DoorRequest, schemes: readonly PaymentScheme[]): Promise<DoorAnswer> {
  const paidRequest = await readPaidRequest(platform, request);
  const [payment, credential] = [presented(request), credentialIn(schemes, request)];
  if (payment !== null && credential !== undefined)
    throw new ValidationFailed([{ path: [credential.header], message: 'is a second payment: send one', rule: 'one_of' }]);
  if (credential !== undefined) return takeBy(credential, paidRequest, schemes);
  return payment === null
    ? paymentRequired(paidRequest, schemes, { version: 2, error: noPayment })
    : settleAt(paidRequest, payment, schemes);
}

/** What comes of a payment by another scheme: a refusal that can be paid again says with what, as every 402 does. */
async function takeBy(
  { scheme, authorization }: SchemeCredential,
  paidRequest: PaidRequest,
  schemes: readonly PaymentScheme[],
): Promise<DoorAnswer> {
  const answer = await scheme.take(paidRequest, authorization);
  if (answer.status !== 402) return answer;
  const { headers } = await paymentRequired(paidRequest, schemes, { version: 2, error: noPayment });
  return { ...answer, headers: { ...headers, ...answer.headers } };
}

async function settleAt(paidRequest: PaidRequest, { version, payload }: Presented, schemes: readonly PaymentScheme[]): Promise<DoorAnswer> {
  const offer = await offerFor(paidRequest, payload);
  const network = payload.x402Version === 1 ? payload.network : payload.accepted.network;
  const outcome: SettlementOutcome =
    offer === undefined
      ? { made: null, reason: 'invalid_payment_requirements', payer: undefined }
      : await settlePayload(paidRequest.ctx, withNetwork(paidRequest.ctx, payload), readRequirements(offer), paidRequest.endpoint);
  const settlement = {
    ...settlementOf(outcome, network),
    ...(version === 2 && (await receiptOf(paidRequest, outcome))),
  };
  const headers = { [version === 1 ? 'X-PAYMENT-RESPONSE' : 'PAYMENT-RESPONSE']: printHeader(settlement), 'Cache-Control': 'no-store' };
  if (outcome.made !== null && outcome.reason === null) return madeAnswer(outcome.made, settlement, headers);
  const error = outcome.reason ?? 'unexpected_settle_error';
  return paymentRequired(paidRequest, schemes, { version, error, facts: paidRequestFacts(outcome), headers });
}

/** The signed receipt beside a settlement of version 2; nothing where the payment is not settled. */
async function receiptOf({ ctx: { platform }, origin, resource }: PaidRequest, { made, reason }: SettlementOutcome) {
  if (made === null || reason !== null) return {};
  const receipt = await signReceipt({ platform, origin, resource }, made.payment);
  return receipt === null ? {} : { extensions: receiptExtension(receipt) };
}

// Gap G-304: At the paid door a payment that waits for an approval is 202 with `paid: false`; one that the chain has not answered is 402.
/** What a payment that was none is told besides. */
function paidRequestFacts({ made, error }: SettlementOutcome): object {
  return {
    ...(made !== null && { payment_id: printId('x402Payment', made.payment.id) }),
    ...(error !== undefined && { code: error.code, details: error.details ?? {} }),
  };
}

/** The offer that a payment accepts: one that is made to anybody, or to who pays. What it says of the offer itself counts for nothing. */
async function offerFor({ ctx, endpoint }: PaidRequest, payload: PaymentPayload): Promise<PaymentOption | undefined> {
  const { scheme, network, payload: signed } = signedPayment(payload);
  const payer = payerIn(signed);
  const own = payer === undefined ? [] : await offersOf(ctx, endpoint, storedPayer(payer));
  const offers = [...(await offersOf(ctx, endpoint)), ...own];
  if (payload.x402Version === 2) return offers.find((offer) => isOffer(readRequirements(payload.accepted) as PaymentOption, offer));
  // Version 1 says no more than these two.
  const name = chainOf(ctx, network)?.own.network ?? network;
  const fitting = offers.filter((offer) => offer.scheme === scheme && offer.network === name);
  const { value, amount: major } = (signed as { authorization?: { value?: unknown; amount?: unknown } }).authorization ?? {};
  return fitting.find(({ amount }) => value === amount || major === formatMinor(BigInt(amount), endpoint.currency)) ?? fitting[0];
}

/** The paid door, one for each method: which one a call has is between buyer and seller. */
export const paidDoors = (schemes: readonly PaymentScheme[]): OpenDoor[] => methods.map((method) => paidDoor(method, schemes));

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const paidDoor = (method: (typeof methods)[number], schemes: readonly PaymentScheme[]): OpenDoor => ({
  id: `${method.toLowerCase()}PaidX402`,
  method,
  path: '/x402/{endpoint_id}',
  hasSlash: true,
  tag,
  summary: 'The paid door: pays for a call',
  description: [
    'Without a payment it is a 402 that says what the call can be paid with. With one in `PAYMENT-SIGNATURE` (version 2 of x402) or `X-PAYMENT` (version 1) that is verified and settled it is a 200 with the proof, which the seller consumes once.',
    ...schemes.map(({ about }) => about),
  ].join(' '),
  readsBytes: true,
  headers: [
    { name: 'PAYMENT-SIGNATURE', description: 'The base64 of a PaymentPayload of version 2.' },
    { name: 'X-PAYMENT', description: 'The base64 of a PaymentPayload of version 1.' },
    { name: 'Payment-Authorization', description: 'A credential of MPP, where `Authorization` is something else.' },
    acceptPayment,
  ],
  answers: {
    200: { schema: paid, description: 'Paid.' },
    202: { schema: waiting, description: 'The payment is waiting for an approval.' },
    400: { schema: z.union([problem, refused]), description: 'The payment cannot be read, or is by a method that is not taken here.' },
    402: { schema: z.union([required, problem]), description: 'What the call can be paid with, and why a payment was none.' },
  },
  failures: [400, 404, 409, 503],
  take: (platform, request) => take(platform, request, schemes),
});
