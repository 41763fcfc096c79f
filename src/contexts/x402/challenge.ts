// What a 402 says: what an endpoint can be paid with, in both versions of x402. Other protocols of payment add their challenge to it here.
import type { X402Endpoint } from '../../generated/prisma/client.js';
import type { Ctx, Environment, Platform } from '../../platform/ctx.js';
import type { DoorAnswer, Knock } from '../../platform/door.js';
import { systemCtx } from '../../platform/due/step.js';
import { NotFound } from '../../platform/errors.js';
import { parseId, printId } from '../../platform/schema/id.js';
import { payableEndpoint, workspaceOfEndpoint } from './endpoint.js';
import { chainNetwork } from './network.js';
import { type Offer, offersOf } from './offer.js';
import { printHeader } from './wire.js';

/** An endpoint that is asked for without a credential, and a ctx of its workspace. */
export interface Asked {
  ctx: Ctx;
  endpoint: X402Endpoint;
  /** The address that is paid for. */
  resource: string;
}

/** Finds the endpoint that a path names, in the environment of the listener. 404, 409 for one that takes no payments. */
export async function askedEndpoint(platform: Platform, { environment, params, header }: Knock): Promise<Asked> {
  const id = parseId('x402Endpoint', params['endpoint_id']);
  const workspace = id === null ? null : await workspaceOfEndpoint(platform, id, environment);
  if (id === null || workspace === null) throw new NotFound();
  const ctx = systemCtx(platform, workspace);
  const endpoint = await payableEndpoint(ctx, id);
  const resource = endpoint.url ?? `${originOf(platform, environment, header('Host'))}/x402/${printId('x402Endpoint', id)}`;
  return { ctx, endpoint, resource };
}

/** Where callers reach the listener: as configured, else as they name it. */
function originOf({ config }: Platform, environment: Environment, host: string): string {
  const configured = environment === 'live' ? config.baseUrl : config.sandboxUrl;
  return configured?.replace(/\/+$/, '') ?? `http://${/^[A-Za-z0-9.:[\]-]{1,255}$/.test(host) ? host : 'localhost'}`;
}

/** PaymentRequirements of version 1. */
function offerV1(ctx: Ctx, { resource, endpoint }: Asked, { amount, network, ...offer }: Offer) {
  const { name, description } = endpoint;
  return {
    ...offer,
    network: chainNetwork(ctx, network)?.nameV1 ?? network,
    maxAmountRequired: amount,
    resource,
    description: description ?? name,
    mimeType: 'application/json',
  };
}

/** The 402 of version 1: its requirements stand in the body. */
async function requiredV1(asked: Asked, error: string) {
  const accepts = (await offersOf(asked.ctx, asked.endpoint)).map((offer) => offerV1(asked.ctx, asked, offer));
  return { x402Version: 1 as const, error, accepts };
}

/** The 402 of version 2, which its header carries. */
async function requiredV2({ ctx, endpoint, resource }: Asked, error: string) {
  const { name, description } = endpoint;
  const info = { url: resource, description: description ?? name, mimeType: 'application/json' };
  return { x402Version: 2 as const, error, resource: info, accepts: await offersOf(ctx, endpoint) };
}

/** A 402, in version 1 alone for who has paid in it. `facts` says more to people, and `headers` what came of a payment. */
export async function paymentRequired(
  asked: Asked,
  { version, error, facts = {}, headers = {} }: { version: 1 | 2; error: string; facts?: object; headers?: Record<string, string> },
): Promise<DoorAnswer> {
  const noStore = { 'Cache-Control': 'no-store', ...headers };
  const v1 = await requiredV1(asked, error);
  if (version === 1) return { status: 402, headers: noStore, body: { ...v1, ...facts } };
  const required = await requiredV2(asked, error);
  return { status: 402, headers: { ...noStore, 'PAYMENT-REQUIRED': printHeader(required) }, body: { ...required, v1, ...facts } };
}
