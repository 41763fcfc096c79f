// The versions of UCP that are spoken here, and the names that they have for what is spoken (docs/protocols.md "UCP").
import type { ProtocolVersion } from '../../platform/protocol-version.js';

/** The version of our own profile. */
export const current = '2026-08-25';
/** The version before, which has a profile of its own. */
export const before = '2026-04-08';

const served = (name: string, since: string): ProtocolVersion => ({ name, since, until: null, schema: 'source/schemas' });

/** Newest first. docs/protocols.md prints them. */
export const versions: readonly ProtocolVersion[] = [served(current, '2026-11-26'), served(before, '2026-11-22')];

/** The bindings by which merchants are spoken to. */
export const transports = ['rest', 'mcp'] as const;
export type Transport = (typeof transports)[number];
const services: Record<Transport, string> = { rest: 'rest.openapi.json', mcp: 'mcp.openrpc.json' };

export const shoppingService = 'dev.ucp.shopping';
export const checkoutCapability = 'dev.ucp.shopping.checkout';
export const fulfillmentCapability = 'dev.ucp.shopping.fulfillment';
export const ap2Capability = 'dev.ucp.shopping.ap2_mandate';
export const cartCapability = 'dev.ucp.shopping.cart';
export const orderCapability = 'dev.ucp.shopping.order';
export const searchCapability = 'dev.ucp.shopping.catalog.search';
export const lookupCapability = 'dev.ucp.shopping.catalog.lookup';

/** Versions are dates. */
export const versionPattern = /^\d{4}-\d{2}-\d{2}$/;

/** Where the specification and the schemas of a version are published. */
export function publishedAt(version: string) {
  const published = `https://ucp.dev/${version}`;
  return {
    overview: `${published}/specification/overview`,
    service: (transport: Transport) => `${published}/services/shopping/${services[transport]}`,
    specification: (page: string) => `${published}/specification/${page}`,
    schema: (name: string) => `${published}/schemas/shopping/${name}.json`,
  };
}
