// The documents by which agents find UCP here: the profile of the platform, and that of a merchant with its endpoint, for each version.
import type { Platform } from '../../platform/ctx.js';
import { jwks } from '../identity/signing-key.js';
import { declaredCapabilities } from './capability.js';
import type { Codec } from './codec.js';
import { codecs } from './codec-table.js';
import { type Place, placeBelow, platformProfilePath } from './merchant-place.js';
import { declareHandlers } from './payment-handler.js';
import { current, publishedAt, shoppingService, type Transport, transports } from './version.js';

/** The versions before ours, which have profiles of their own. */
export const earlier: readonly Codec[] = codecs.filter(({ version }) => version !== current);

/** The services of a version, one for each transport; `at` says where a transport is. */
function servicesOf(version: string, at: (transport: Transport) => object) {
  const { overview, service } = publishedAt(version);
  return transports.map((transport) => ({ version, spec: overview, transport, schema: service(transport), ...at(transport) }));
}

/** The profile of the platform: what it speaks in a version, and by which templates its merchants are reached. */
export async function platformProfile(platform: Platform, origin: string, codec: Codec): Promise<object> {
  const { endpoints, profile } = placeBelow(origin, '{merchant_id}');
  const config = (transport: Transport) => ({ config: { endpoint_template: endpoints[transport], profile_template: profile } });
  return profileOf(platform, origin, codec, { services: servicesOf(codec.version, config), at: origin + platformProfilePath });
}

// Gap G-283: The UCP profile is the same for every id that could be a merchant's.
/**
 * The profile of a merchant: the same for each id that could be one, so that it tells nobody which merchants there are. What a merchant
 * sells and takes, its checkouts say. `origin` is the platform's, whose the payment handlers are.
 */
export async function businessProfile(platform: Platform, origin: string, codec: Codec, { endpoints, profile }: Place): Promise<object> {
  const services = servicesOf(codec.version, (transport) => ({ endpoint: endpoints[transport] }));
  return profileOf(platform, origin, codec, { services, at: profile });
}

async function profileOf(
  platform: Platform,
  origin: string,
  { version, keyMembers }: Codec,
  { services, at }: { services: object[]; at: string },
): Promise<object> {
  const { keys } = await jwks(platform);
  const leaves = Object.fromEntries(earlier.map((one) => [one.version, `${at}/${one.version}`]));
  return {
    ucp: {
      version,
      ...(version === current && { supported_versions: leaves }),
      services: { [shoppingService]: services },
      capabilities: declaredCapabilities(version),
      payment_handlers: declareHandlers(origin, version),
    },
    ...Object.fromEntries(keyMembers.map((name) => [name, keys])),
  };
}
