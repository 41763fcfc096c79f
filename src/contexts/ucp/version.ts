// The version of UCP that is spoken here, and the names that it has for what is spoken (docs/protocols.md "UCP").

/** The one version that is served. */
export const ucpVersion = '2026-04-08';

export const shoppingService = 'dev.ucp.shopping';
export const checkoutCapability = 'dev.ucp.shopping.checkout';
export const fulfillmentCapability = 'dev.ucp.shopping.fulfillment';
export const ap2Capability = 'dev.ucp.shopping.ap2_mandate';

/** Versions are dates. */
export const versionPattern = /^\d{4}-\d{2}-\d{2}$/;
/** Names of services, capabilities and handlers: a domain backwards, then what it names. */
export const namePattern = /^[a-z][a-z0-9]*(\.[a-z][a-z0-9_]*)+$/;

const published = `https://ucp.dev/${ucpVersion}`;

/** Where the specification and the schemas of this version are published. */
export const publishedAt = {
  overview: `${published}/specification/overview`,
  service: `${published}/services/shopping/rest.openapi.json`,
  specification: (page: string) => `${published}/specification/${page}`,
  schema: (name: string) => `${published}/schemas/shopping/${name}.json`,
};
