// How a request of UCP is met: whose profile it names, whether its signature holds, and what both sides can do.
import type { Merchant } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import type { DoorRequest } from '../../platform/door.js';
import { printId } from '../../platform/schema/id.js';
import { type AgentProfile, agentProfile } from './agent-profile.js';
import { activeCapabilities } from './capability.js';
import type { Codec } from './codec.js';
import { codecOf } from './codec-table.js';
import { CapabilitiesIncompatible, VersionUnsupported } from './errors.js';
import { type Place, placeBelow, placeOfShop } from './merchant-place.js';
import { checkSignature } from './request-signature.js';

/** What both sides agreed on for one request, and where we are reached. */
export interface Conversation {
  codec: Codec;
  active: readonly string[];
  origin: string;
}

/** One request of an agent: who it is, what was agreed on, and of which merchant it asks. */
export interface Talk extends Conversation {
  profile: AgentProfile;
  merchant: Merchant;
  /** Where the merchant was called: below our address, or at an origin of its own. */
  place: Place;
}

/**
 * Fetches the profile, checks the signature, and finds what both sides can do: 200 `capabilities_incompatible` where that is not `needed`.
 * `ctx` is that of whoever asks: it has so many profiles fetched.
 */
export async function converse(
  ctx: Pick<Ctx, 'platform' | 'workspace'>,
  request: DoorRequest,
  merchant: Merchant,
  needed: string,
): Promise<Talk> {
  const { origin, shop, carrier } = request;
  const called = new URL(shop?.origin ?? origin).host;
  const profile = await agentProfile(ctx, request.header('UCP-Agent'));
  checkSignature({ ...request, ...carrier, host: called }, profile, ctx.platform.clock.now());
  const codec = codecOf(profile.version);
  if (codec === undefined) throw new VersionUnsupported(profile.version);
  const active = activeCapabilities(profile.capabilities, codec.version);
  if (!active.includes(needed)) throw new CapabilitiesIncompatible(needed, codec.version);
  const place = shop === undefined ? placeBelow(origin, printId('merchant', merchant.id)) : placeOfShop(shop.origin);
  return { profile, codec, active, origin, merchant, place };
}
