// What a listener does for shops: finds the merchant of a host, and serves the doors of that merchant alone (decision 0088).
import { Shops } from './contexts/accounts/shop.js';
import type { ShopEntry } from './contexts/accounts/shop.sql.js';
import { merchantMcpPath } from './contexts/ucp/merchant-place.js';
import { operations } from './contexts/ucp/operation.js';
import { spell } from './contexts/ucp/refusal.js';
import { listTools } from './contexts/ucp/tool-list.js';
import type { Endpoint } from './http/router.js';
import type { Handler } from './http/state.js';
import { toolEndpoint } from './mcp/door-tool.js';
import { originFor } from './platform/authority.js';
import type { Environment, Platform } from './platform/ctx.js';
import { type Door, pathAtShop } from './platform/door.js';
import type { Idempotency } from './platform/idempotency.js';
import { printId } from './platform/schema/id.js';

/** A listener that is one shop; `host` is where it listens. */
export interface OneShop {
  merchantId: string;
  host: string;
}

interface ShopListener {
  platform: Platform;
  environment: Environment;
  baseUrl: string | null;
}

/** The shops of the listener's environment, by their hosts. They are reached as the listener is: by https where that has an address of it. */
export function shopsOf({ platform, environment, baseUrl }: ShopListener) {
  const known = new Shops(platform, environment);
  const scheme = baseUrl?.startsWith('https:') ? 'https' : 'http';
  const print = (host: string, entry: ShopEntry | null) =>
    entry && { origin: `${scheme}://${host}`, merchantId: printId('merchant', entry.merchantId) };
  return {
    peek: (host: string) => {
      const entry = known.peek(host);
      return entry === undefined ? undefined : print(host, entry);
    },
    find: async (host: string) => print(host, await known.find(host)),
  };
}

/** UCP over MCP: the operations of a merchant as tools. `guards` let everybody in; each tool asks who calls it. */
export function ucpTools({ guards, ...parts }: ShopListener & { idempotency: Idempotency; guards: readonly Handler[] }): ShopEndpoint {
  const path = merchantMcpPath;
  return { ...toolEndpoint({ ...parts, path, tools: operations, list: listTools, spell, guards }), door: { path } };
}

/** An endpoint with what says where it is at a shop. */
export type ShopEndpoint = Endpoint & { door: Pick<Door, 'path' | 'atShop'> };

/** Every request to the listener is for one shop, by whichever name of the machine it comes. */
export function serveShop({ merchantId, host }: OneShop, shops: Handler): Handler {
  return (http, next) => {
    http.state.shop = { merchantId, origin: originFor({ baseUrl: null, host }, http.req) };
    return shops(http, next);
  };
}

/** Doors as they are served at the origin of a shop: those of its merchant, without its id. */
export function atShops(doors: readonly ShopEndpoint[]): Endpoint[] {
  const nameMerchant: Handler = (http, next) => {
    http.params = { ...http.params, merchant_id: http.state.shop?.merchantId ?? '' };
    return next();
  };
  return doors.flatMap(({ door, handlers, ...endpoint }) => {
    const path = pathAtShop(door);
    return path === undefined ? [] : [{ ...endpoint, path, handlers: [nameMerchant, ...handlers] }];
  });
}
