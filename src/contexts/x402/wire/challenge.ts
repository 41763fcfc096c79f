// What a 402 says: what an endpoint can be paid with, in both versions of x402, and by other schemes in their challenges.
import type { Ctx } from '../../../platform/ctx.js';
import type { DoorAnswer } from '../../../platform/door.js';
import { chainOf } from '../chain/chain.js';
import { offersOf, type PaymentOption } from '../endpoint/offer.js';
import type { PaidRequest } from '../payment/paid-request.js';
import { signedOffers } from './offer-receipt.js';
import { offeredExtensions } from './payment-identifier.js';
import type { PaymentScheme } from './payment-scheme.js';
import { printHeader } from './wire.js';

/** PaymentRequirements of version 1. */
function offerV1(ctx: Ctx, { resource, endpoint }: PaidRequest, { amount, network, ...offer }: PaymentOption) {
  const { name, description } = endpoint;
  return {
    ...offer,
    network: chainOf(ctx, network)?.own.nameV1 ?? network,
    maxAmountRequired: amount,
    resource,
    description: description ?? name,
    mimeType: 'application/json',
  };
}

/** The 402 of version 1: its requirements stand in the body. */
async function requiredV1(paidRequest: PaidRequest, error: string) {
  const accepts = (await offersOf(paidRequest.ctx, paidRequest.endpoint)).map((offer) => offerV1(paidRequest.ctx, paidRequest, offer));
  return { x402Version: 1 as const, error, accepts };
}

/** The 402 of version 2, which its header carries. */
async function requiredV2({ ctx, endpoint, resource, origin }: PaidRequest, error: string) {
  const { name, description } = endpoint;
  const info = { url: resource, description: description ?? name, mimeType: 'application/json' };
  const accepts = await offersOf(ctx, endpoint);
  const extensions = { ...offeredExtensions, ...(await signedOffers({ platform: ctx.platform, origin, resource }, accepts)) };
  return { x402Version: 2 as const, error, resource: info, accepts, extensions };
}

interface Required {
  version: 1 | 2;
  error: string;
  /** Says more to people. */
  facts?: object;
  /** What came of a payment. */
  headers?: Record<string, string>;
}

/** A 402 with the challenges of other schemes; in version 1 alone for who has paid in it. */
export async function paymentRequired(
  paidRequest: PaidRequest,
  schemes: readonly PaymentScheme[],
  { version, error, facts = {}, headers = {} }: Required,
): Promise<DoorAnswer> {
  const noStore = { 'Cache-Control': 'no-store', ...headers };
  const v1 = await requiredV1(paidRequest, error);
  if (version === 1) return { status: 402, headers: noStore, body: { ...v1, ...facts } };
  const required = await requiredV2(paidRequest, error);
  const challenges = (await Promise.all(schemes.map((scheme) => scheme.challenges(paidRequest)))).flat();
  const offered = { 'PAYMENT-REQUIRED': printHeader(required), ...(challenges.length > 0 && { 'WWW-Authenticate': challenges }) };
  return { status: 402, headers: { ...noStore, ...offered }, body: { ...required, v1, ...facts } };
}
