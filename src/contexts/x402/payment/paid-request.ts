// A request at the paid door: for an endpoint, by somebody without a credential.
import type { X402Endpoint } from '../../../generated/prisma/client.js';
import type { Ctx, Platform } from '../../../platform/ctx.js';
import type { DoorRequest } from '../../../platform/door.js';
import { systemCtx } from '../../../platform/due/step.js';
import { NotFound } from '../../../platform/errors.js';
import { parseId } from '../../../platform/schema/id.js';
import { payableEndpoint, resourceOf, workspaceOfEndpoint } from '../endpoint/endpoint.js';

/** The endpoint that is requested, and a ctx of its workspace: nobody has shown a credential. */
export interface PaidRequest {
  ctx: Ctx;
  endpoint: X402Endpoint;
  /** The address that is paid for. */
  resource: string;
  /** The host of the door, which challenges are for. */
  realm: string;
  /** The bytes of the request that is paid for. */
  body: Uint8Array;
}

/** Finds the endpoint that a path names, in the environment of the listener. 404, 409 for one that takes no payments. */
export async function readPaidRequest(platform: Platform, { environment, origin, params, raw, effect }: DoorRequest): Promise<PaidRequest> {
  const id = parseId('x402Endpoint', params['endpoint_id']);
  const workspace = id === null ? null : await workspaceOfEndpoint(platform, id, environment);
  if (id === null || workspace === null) throw new NotFound();
  const ctx = systemCtx(platform, workspace, { action: 'callX402Endpoint', resourceType: 'x402_payment' }, effect);
  const endpoint = await payableEndpoint(ctx, id);
  return { ctx, endpoint, resource: resourceOf(endpoint, origin), realm: new URL(origin).host, body: raw };
}
