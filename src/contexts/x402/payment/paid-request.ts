// A request at the paid door: for an endpoint, by somebody without a credential.
import type { X402Endpoint } from '../../../generated/prisma/client.js';
import type { Ctx, Platform } from '../../../platform/ctx.js';
import type { DoorRequest } from '../../../platform/door.js';
import { systemCtx } from '../../../platform/due/step.js';
import { NotFound } from '../../../platform/errors.js';
import { parseId } from '../../../platform/schema/id.js';
import { payableEndpoint, placeOfEndpoint, resourceOf } from '../endpoint/endpoint.js';

/** The endpoint that is requested, and a ctx of its workspace: nobody has shown a credential. */
export interface PaidRequest {
  ctx: Ctx;
  endpoint: X402Endpoint;
  /** The address that is paid for. */
  resource: string;
  /** Where callers reach the door's listener. */
  origin: string;
  /** The name of the host of the door, which challenges are for. */
  realm: string;
  /** The host with its port, where it has one: the realm of challenges that were made before it was the name alone. */
  formerRealm: string;
  /** What Accept-Payment says of the challenges that the client would rather have. */
  preferred: string;
  /** The bytes of the request that is paid for. */
  body: Uint8Array;
}

/** Finds the endpoint that a path names, in the environment of the listener. 404, 409 for one that takes no payments. */
export async function readPaidRequest(
  platform: Platform,
  { environment, origin, params, raw, effect, header }: DoorRequest,
): Promise<PaidRequest> {
  const id = parseId('x402Endpoint', params['endpoint_id']);
  const place = id === null ? null : await placeOfEndpoint(platform, id, environment);
  if (id === null || place === null) throw new NotFound();
  const ctx = systemCtx(place.platform, place.workspace, { action: 'callX402Endpoint', resourceType: 'x402_payment' }, effect);
  const endpoint = await payableEndpoint(ctx, id);
  const { hostname: realm, host: formerRealm } = new URL(origin);
  const preferred = header('Accept-Payment');
  return { ctx, endpoint, resource: resourceOf(endpoint, origin), origin, realm, formerRealm, preferred, body: raw };
}
