// The documents by which agents find UCP here: the profile of the platform, and that of a merchant with its endpoint.
import type { Platform } from '../../platform/ctx.js';
import { jwks } from '../identity/signing-key.js';
import { declaredCapabilities } from './capability.js';
import { declareHandlers } from './payment-handler.js';
import { publishedAt, shoppingService, ucpVersion } from './version.js';

/** Where a merchant is reached, and its profile. */
const endpointPath = '/ucp/{merchant_id}';
export const businessProfilePath = `${endpointPath}/.well-known/ucp`;

/** A service as profiles declare it, without its place. */
const service = { version: ucpVersion, spec: publishedAt.overview, transport: 'rest', schema: publishedAt.service };

/** The profile of the platform: what it speaks, and by which templates its merchants are reached. */
export async function platformProfile(platform: Platform, origin: string): Promise<object> {
  const config = { endpoint_template: origin + endpointPath, profile_template: origin + businessProfilePath };
  return profileOf(platform, origin, { ...service, config });
}

/**
 * The profile of a merchant: the same for each id that could be one, so that it tells nobody which merchants there are (Gap G-283). What a
 * merchant sells and takes, its checkouts say.
 */
export async function businessProfile(platform: Platform, origin: string, merchantId: string): Promise<object> {
  return profileOf(platform, origin, { ...service, endpoint: origin + endpointPath.replace('{merchant_id}', merchantId) });
}

async function profileOf(platform: Platform, origin: string, shopping: object): Promise<object> {
  const { keys } = await jwks(platform);
  return {
    ucp: {
      version: ucpVersion,
      services: { [shoppingService]: [shopping] },
      capabilities: declaredCapabilities(),
      payment_handlers: declareHandlers(origin),
    },
    signing_keys: keys,
  };
}
