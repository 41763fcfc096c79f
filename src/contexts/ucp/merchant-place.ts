// Where a merchant is reached by UCP: below the address of the platform, or at an origin of its own (decision 0088).
import type { Transport } from './version.js';

/** Where a merchant is reached: the doors of it are below. */
export const endpointPath = '/ucp/{merchant_id}';
/** Where profiles are. That of a version before has the version after it. */
export const platformProfilePath = '/.well-known/ucp';
/** Where the MCP binding is, below the endpoint of a merchant. */
const mcpPath = '/mcp';
export const merchantMcpPath = endpointPath + mcpPath;
export const businessProfilePath = endpointPath + platformProfilePath;

/** Where a merchant is reached, and its profile. */
export interface Place {
  endpoints: Readonly<Record<Transport, string>>;
  profile: string;
}

const endpointsBelow = (base: string): Place['endpoints'] => ({ rest: base, mcp: base + mcpPath });

/** The place of a merchant below the address of the platform. */
export function placeBelow(origin: string, merchantId: string): Place {
  const at = (path: string) => origin + path.replace('{merchant_id}', merchantId);
  return { endpoints: endpointsBelow(at(endpointPath)), profile: at(businessProfilePath) };
}

/** The place of a merchant at an origin of its own. */
export function placeOfShop(origin: string): Place {
  return { endpoints: endpointsBelow(`${origin}/ucp`), profile: origin + platformProfilePath };
}
