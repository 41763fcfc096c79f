// What a call of an endpoint is charged by each method of MPP, and the challenges of the paid door that say so. They are kept nowhere: the
// id of one says that we made it, and the endpoint says whether it still stands (CONTRACT.md 9).
import { createHash, randomBytes } from 'node:crypto';
import type { X402Endpoint } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { scaleOf } from '../../platform/money.js';
import { parseId, printId } from '../../platform/schema/id.js';
import { chainOf } from '../x402/chain/chain.js';
import { offeredChain, offersOf, type PaymentOption } from '../x402/endpoint/offer.js';
import type { PaidRequest } from '../x402/payment/paid-request.js';
import type { DiscoveredOffer, PricedEndpoint } from '../x402/wire/payment-scheme.js';
import { preferredWays } from './accept-payment.js';
import { type Challenge, decodeMember, encodeMember, isOverdue, isOwnChallenge, makeChallenge, printChallenge } from './challenge.js';
import { PaymentProblem } from './problem.js';

/** Gap G-314: A challenge can be answered once, within five minutes of real time. */
const challengeSeconds = 300;
const intent = 'charge';
/** Gap G-315: The paid door takes `ledger` (inside the platform) and `evm` with EIP-3009, intent `charge`. */
const methods = ['ledger', 'evm'];

/** What a call costs by one method. */
export interface Charge {
  method: string;
  /** What x402 offers for the same. */
  offer: PaymentOption;
  request: object;
}

// Gap G-316: `upto` endpoints have no MPP challenge, and a charge is the base price without volume discounts.
/** What a call is charged: the base price. Nothing where the scheme of the endpoint is upto, which is no charge. */
async function chargesOf(ctx: Ctx, endpoint: X402Endpoint): Promise<Charge[]> {
  const offers = (await offersOf(ctx, endpoint)).filter(({ scheme }) => scheme === 'exact');
  return offers.map((offer) => chargeOf(ctx, endpoint, offer));
}

function chargeOf(ctx: Ctx, { id, currency }: X402Endpoint, offer: PaymentOption): Charge {
  const { amount, payTo: recipient, network } = offer;
  const decimals = scaleOf(currency);
  const common = { amount, recipient, externalId: printId('x402Endpoint', id) };
  const chain = chainOf(ctx, network)?.own;
  if (chain === undefined) {
    return { method: 'ledger', offer, request: { ...common, currency: currency.toLowerCase(), methodDetails: { network, decimals } } };
  }
  const methodDetails = { chainId: Number(chain.chainId), credentialTypes: ['authorization'], decimals };
  return { method: 'evm', offer, request: { ...common, currency: offer.asset, methodDetails } };
}

/** What a call is charged by each method, as the document of the door says it: of every charge one. */
export function discoveredCharges(where: Pick<Ctx, 'platform' | 'workspace'>, endpoint: PricedEndpoint): DiscoveredOffer[] {
  const amount = endpoint.basePrice.toString();
  const chain = offeredChain(where, endpoint);
  const evm = chain === undefined ? [] : [{ intent, method: 'evm', amount, currency: chain.token.address }];
  return endpoint.scheme === 'exact' ? [...evm, { intent, method: 'ledger', amount, currency: endpoint.currency.toLowerCase() }] : evm;
}

/** The secrets of the challenges of a workspace, the newest first: the same in every process, and its own. */
function secretsOf({ platform, workspace }: Ctx): string[] {
  return platform.vault.signatures('mpp_challenge', workspace.id).map((secret) => secret.toString('hex'));
}

/**
 * The challenges of a request that is to be paid, one for each method that the client takes, those first that it prefers. They are good for
 * this body, where there is one.
 */
export async function challengesFor({ ctx, endpoint, realm, preferred, body }: PaidRequest): Promise<string[]> {
  const expires = addSeconds(ctx.platform.clock.now(), challengeSeconds).toISOString();
  const terms = { realm, intent, expires, digest: digestOf(body), description: printable(endpoint.description ?? endpoint.name) };
  const charges = (await chargesOf(ctx, endpoint)).map((charge) => ({ ...charge, intent }));
  return preferredWays(preferred, charges).map(({ method, request }) =>
    printChallenge(makeChallenge(secretsOf(ctx)[0] ?? '', { ...terms, method, request, opaque: newNonce() })),
  );
}

/** Tells challenges apart that are made in one instant: each is answered once. */
function newNonce(): object {
  return { nonce: randomBytes(12).toString('base64url') };
}

/** The digest of a body (RFC 9530); undefined where there is none. */
function digestOf(body: Uint8Array): string | undefined {
  return body.length === 0 ? undefined : `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}

/** A text that a header can carry as it is; undefined for any other. */
function printable(text: string): string | undefined {
  return /^[\x20-\x7e]{1,500}$/.test(text) ? text : undefined;
}

/** The endpoint of a challenge that we made in this workspace; null for one of somebody else. */
export function endpointOfChallenge(ctx: Ctx, challenge: Challenge): string | null {
  if (!secretsOf(ctx).some((secret) => isOwnChallenge(secret, challenge))) return null;
  return parseId('x402Endpoint', decodeMember(challenge.request)?.['externalId']);
}

/** What an endpoint charges for a challenge of ours. Throws PaymentProblem where it is over, or says what is not asked any more. */
export async function chargeFor(ctx: Ctx, endpoint: X402Endpoint, challenge: Challenge): Promise<Charge> {
  if (isOverdue(challenge, ctx.platform.clock.now())) throw new PaymentProblem('payment-expired', 'The challenge has expired.');
  const charges = await chargesOf(ctx, endpoint);
  const found = charges.find(({ method, request }) => method === challenge.method && encodeMember(request) === challenge.request);
  if (found === undefined) throw new PaymentProblem('invalid-challenge', 'The endpoint no longer asks for this.');
  return found;
}

/** The charge that a challenge at the door is for. Throws PaymentProblem for one that is not ours, not for this door, or for another body. */
export async function requestedCharge({ ctx, endpoint, realm, formerRealm, body }: PaidRequest, challenge: Challenge): Promise<Charge> {
  if (challenge.intent !== intent || !methods.includes(challenge.method))
    throw new PaymentProblem('method-unsupported', `Payment by ${challenge.method}/${challenge.intent} is not supported.`);
  if (![realm, formerRealm].includes(challenge.realm) || endpointOfChallenge(ctx, challenge) !== endpoint.id)
    throw new PaymentProblem('invalid-challenge', 'The challenge was not issued by this endpoint.');
  const charge = await chargeFor(ctx, endpoint, challenge);
  if (challenge.digest !== undefined && challenge.digest !== digestOf(body))
    throw new PaymentProblem('invalid-challenge', 'The body is not the one that the challenge is for.', { reason: 'digest' });
  return charge;
}
