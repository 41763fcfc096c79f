// What UCP can be asked to do, once for all bindings: REST serves the door of an operation, and the tool of its name asks the same door over MCP.
import type { GuardedDoor } from '../../platform/door.js';
import { cancelCartDoor, createCartDoor, readCartDoor, updateCartDoor } from './cart.door.js';
import { lookupDoor, productDoor, searchDoor } from './catalog.door.js';
import { readOrderDoor } from './order.door.js';
import { cancelDoor, completeDoor, createDoor, readDoor, updateDoor } from './ucp.door.js';
import { current, versions } from './version.js';

export interface UcpOperation {
  /** Its name, which is that of its tool. */
  name: string;
  /** The door by which REST serves it. Where its path has an `{id}`, the tool has an argument `id`. */
  // biome-ignore lint/suspicious/noExplicitAny: what a door's schema reads is the door's own business
  door: GuardedDoor<any, any>;
  /** The versions that have it. */
  versions: readonly string[];
  /** True where the tool has to be given a key too; REST asks for one wherever the door does. */
  needsKey?: true;
  /** The argument of the tool that stands for the body of the request; absent where a request has none. */
  body?: 'checkout' | 'cart' | 'catalog';
  /** Where the schema of that argument is published, below `schemas/shopping/`; `as`: which of its request marks count. */
  published?: { schema: string; as?: 'create' | 'update' | 'complete' };
}

const all = versions.map(({ name }) => name);
const checkoutBody = (as: 'create' | 'update' | 'complete') => ({ body: 'checkout', published: { schema: 'checkout.json', as } }) as const;
const cartBody = (as: 'create' | 'update') => ({ body: 'cart', published: { schema: 'cart.json', as } }) as const;
const catalogBody = (schema: string) => ({ body: 'catalog', published: { schema } }) as const;

/** In the order in which tools are listed. */
export const operations: readonly UcpOperation[] = [
  { name: 'create_checkout', door: createDoor, versions: all, ...checkoutBody('create') },
  { name: 'get_checkout', door: readDoor, versions: all },
  { name: 'update_checkout', door: updateDoor, versions: all, ...checkoutBody('update') },
  { name: 'complete_checkout', door: completeDoor, versions: all, needsKey: true, ...checkoutBody('complete') },
  { name: 'cancel_checkout', door: cancelDoor, versions: all, needsKey: true },
  { name: 'create_cart', door: createCartDoor, versions: [current], ...cartBody('create') },
  { name: 'get_cart', door: readCartDoor, versions: [current] },
  { name: 'update_cart', door: updateCartDoor, versions: [current], ...cartBody('update') },
  { name: 'cancel_cart', door: cancelCartDoor, versions: [current], needsKey: true },
  { name: 'search_catalog', door: searchDoor, versions: [current], ...catalogBody('catalog_search.json#/$defs/search_request') },
  { name: 'lookup_catalog', door: lookupDoor, versions: [current], ...catalogBody('catalog_lookup.json#/$defs/lookup_request') },
  { name: 'get_product', door: productDoor, versions: [current], ...catalogBody('catalog_lookup.json#/$defs/get_product_request') },
  { name: 'get_order', door: readOrderDoor, versions: [current] },
];
