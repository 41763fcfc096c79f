// An agent that speaks UCP: it publishes its profile on loopback, and holds every answer to the published schemas.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, Client, Json } from '../../harness.js';
import { checkPublished, type Shown } from './published.js';

export const version = '2026-04-08';
/** The version of our own profile. */
export const current = '2026-08-25';
export const checkoutName = 'dev.ucp.shopping.checkout';
export const fulfillmentName = 'dev.ucp.shopping.fulfillment';
export const ap2Name = 'dev.ucp.shopping.ap2_mandate';
export const cartName = 'dev.ucp.shopping.cart';
export const orderName = 'dev.ucp.shopping.order';
export const searchName = 'dev.ucp.shopping.catalog.search';
export const lookupName = 'dev.ucp.shopping.catalog.lookup';

/** A profile with these capabilities. */
export function profileOf(names: readonly string[] = [checkoutName, fulfillmentName], { keys = [] as Json[], ucp = {} } = {}): Json {
  return { ucp: { ...spoken(version, names), ...ucp }, signing_keys: keys };
}

/** A profile of the current version with these capabilities. */
export function currentProfile(names: readonly string[] = [checkoutName, fulfillmentName], keys: Json[] = []): Json {
  return { ucp: spoken(current, names), keys };
}

const spoken = (spokenVersion: string, names: readonly string[]): Json => ({
  version: spokenVersion,
  services: {},
  capabilities: Object.fromEntries(names.map((name) => [name, [{ version: spokenVersion }]])),
  payment_handlers: {},
});

type Served = (response: ServerResponse) => void;

/** Where profiles of agents stand. */
export class ProfileHost {
  readonly #server: Server;
  readonly #served = new Map<string, Served>();
  /** Paths in the order in which they were fetched. */
  readonly fetched: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => {
      const path = request.url ?? '';
      this.fetched.push(path);
      const serve = this.#served.get(path);
      if (serve === undefined) response.writeHead(404).end();
      else serve(response);
    });
  }

  static async start(): Promise<ProfileHost> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ProfileHost(server);
  }

  /** `127.0.0.1:<port>`, as WEBHOOK_ALLOW_HOSTS names it. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Serves a profile under a new address, and returns that. */
  publish(profile: object | Served, path = `/${randomUUID()}`): string {
    const text = JSON.stringify(profile);
    this.#served.set(path, typeof profile === 'function' ? (profile as Served) : (response) => response.end(text));
    return `http://${this.host}${path}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

export interface SendOptions {
  /** What the answer shows. */
  shown?: Shown;
  as?: string | null;
  /** The whole UCP-Agent header; null: none. */
  agent?: string | null;
  key?: string;
  headers?: Record<string, string>;
  raw?: string;
}

/** A client of the wire of one merchant. */
export class Talk {
  readonly client: Client;
  /** Where the merchant is reached. */
  readonly shop: string;
  readonly base: string;
  readonly #profile: string;
  readonly #as: string;

  constructor(client: Client, merchant: Json, profile: string, as: string = client.key) {
    this.client = client;
    this.shop = `/ucp/${merchant.id}`;
    this.base = `${this.shop}/checkout-sessions`;
    this.#profile = profile;
    this.#as = as;
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    { as = this.#as, agent, key, headers = {}, raw, shown = 'checkout' }: SendOptions = {},
  ): Promise<Answer> {
    const said = agent === undefined ? `profile="${this.#profile}"` : agent;
    const answer = await this.client.call(method, (shown === 'checkout' ? this.base : this.shop) + path, {
      as,
      ...(body !== undefined && { body }),
      ...(raw !== undefined && { raw }),
      headers: {
        ...(said !== null && { 'UCP-Agent': said }),
        ...(method !== 'GET' && key !== '' && { 'Idempotency-Key': key ?? randomUUID() }),
        ...headers,
      },
    });
    checkPublished(answer, shown);
    return answer;
  }

  create = (body: object = mugs(), options?: SendOptions) => this.send('POST', '', body, options);
  read = (id: string, options?: SendOptions) => this.send('GET', `/${id}`, undefined, options);
  update = (id: string, body: object, options?: SendOptions) => this.send('PUT', `/${id}`, body, options);
  complete = (id: string, body: object, options?: SendOptions) => this.send('POST', `/${id}/complete`, body, options);
  cancel = (id: string, options?: SendOptions) => this.send('POST', `/${id}/cancel`, undefined, options);

  search = (body: object, options?: SendOptions) => this.send('POST', '/catalog/search', body, { shown: 'search', ...options });
  lookUp = (body: object, options?: SendOptions) => this.send('POST', '/catalog/lookup', body, { shown: 'lookup', ...options });
  product = (body: object, options?: SendOptions) => this.send('POST', '/catalog/product', body, { shown: 'product', ...options });

  createCart = (body: object = mugs(), options?: SendOptions) => this.send('POST', '/carts', body, { shown: 'cart', ...options });
  readCart = (id: string, options?: SendOptions) => this.send('GET', `/carts/${id}`, undefined, { shown: 'cart', ...options });
  updateCart = (id: string, body: object, options?: SendOptions) => this.send('PUT', `/carts/${id}`, body, { shown: 'cart', ...options });
  cancelCart = (id: string, options?: SendOptions) => this.send('POST', `/carts/${id}/cancel`, undefined, { shown: 'cart', ...options });

  readOrder = (id: string, options?: SendOptions) => this.send('GET', `/orders/${id}`, undefined, { shown: 'order', ...options });

  /** A checkout that is ready to be paid: two songs, which nobody has to deliver. */
  async ready(body: object = songs()): Promise<Json> {
    const { status, body: made } = await this.create(body);
    if (status !== 201 || made.status !== 'ready_for_complete') throw new Error(JSON.stringify(made));
    return made;
  }
}

const lines = (id: string, quantity: number) => ({ line_items: [{ item: { id }, quantity }] });
/** Goods: 12.50 each. */
export const mugs = (quantity = 2, extra: object = {}) => ({ ...lines('mug', quantity), ...extra });
/** Digital goods: 1.00 each, and no delivery. */
export const songs = (quantity = 2, extra: object = {}) => ({ ...lines('song', quantity), ...extra });

export const home = {
  street_address: '1 Main St',
  address_locality: 'Springfield',
  address_region: 'IL',
  postal_code: '62701',
  address_country: 'US',
};

/** Shipping to one address, by an option where one is chosen. */
export function shipping(option: string | null = 'standard', destination: object = home): Json {
  return { methods: [{ type: 'shipping', destinations: [destination], groups: [{ selected_option_id: option }] }] };
}

/** The request that pays from a wallet. */
export const byWallet = ({ id }: Json) => payment('wallet', 'wallet', 'wallet_id', id);
/** The request that pays by a mandate. */
export const byMandate = ({ mandate_jwt: jwt }: Json) => payment('mandate', 'ap2_mandate', 'mandate_jwt', jwt);

export function payment(handler: string, type: string, credential: string, token: string): Json {
  return { payment: { instruments: [{ id: 'instrument_1', handler_id: handler, type, credential: { type: credential, token } }] } };
}
