// Identity providers of companies: one made by hand, which lies in the way that a test says, and oidc-provider, which does not.
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { loadLibrary } from '../../../src/contexts/connections/library.js';
import type { Answer, Harness, Json } from '../../harness.js';
import { type Browser, join, type Person } from './browser.js';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A server on loopback. */
abstract class Host {
  readonly #server: Server;

  protected constructor() {
    this.#server = createServer((incoming, response) => this.listener(incoming, response));
  }

  protected abstract listener: RequestListener;

  protected async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** As OIDC_ALLOW_HOSTS names it. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get issuer(): string {
    return `http://${this.host}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Claims and header of an ID token before they are signed. */
export interface Draft {
  claims: Json;
  header: Json;
}

/** A provider whose every answer can be wrong. */
export class FakeProvider extends Host {
  readonly #codes = new Map<string, Json>();
  #key!: KeyObject;
  #jwk!: Json;
  /** Who signs in there. */
  subject = 'ada-1';
  /** Paths in the order in which they were asked for. */
  readonly asked: string[] = [];
  /** Changes a token before it is signed. */
  change: (draft: Draft) => void = () => {};
  /** Changes a token after it was signed. */
  forge: (token: string) => string = (token) => token;
  /** Answers in place of the configuration. */
  discovery: ((response: ServerResponse) => void) | undefined;
  /** More of the configuration. */
  metadata: Json = {};
  /** More of what the browser brings back. */
  back: Record<string, string | undefined> = {};

  static async start(): Promise<FakeProvider> {
    const provider = new FakeProvider();
    provider.rotate();
    await provider.open();
    return provider;
  }

  /** Signs with another key from now on. */
  rotate(): void {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    this.#jwk = { ...publicKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'ES256', use: 'sig' };
  }

  /** Is honest again. */
  reset(): void {
    this.change = () => {};
    this.forge = (token) => token;
    this.discovery = undefined;
    this.metadata = {};
    this.back = {};
  }

  protected listener: RequestListener = (incoming, response) => {
    const url = new URL(incoming.url ?? '', this.issuer);
    this.asked.push(url.pathname);
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (url.pathname === '/.well-known/openid-configuration') {
      if (this.discovery !== undefined) return this.discovery(response);
      return json(200, this.configuration);
    }
    if (url.pathname === '/jwks') return json(200, { keys: [this.#jwk] });
    if (url.pathname === '/authorize') return void response.writeHead(302, { Location: this.#authorize(url.searchParams) }).end();
    let body = '';
    incoming.on('data', (chunk) => (body += chunk));
    incoming.on('end', () => json(200, this.#tokens(new URLSearchParams(body))));
  };

  get configuration(): Json {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
      ...this.metadata,
    };
  }

  #authorize(query: URLSearchParams): string {
    const code = randomUUID();
    this.#codes.set(code, Object.fromEntries(query));
    const given = { code, state: query.get('state') ?? '', ...this.back };
    const kept = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return `${query.get('redirect_uri')}?${new URLSearchParams(kept)}`;
  }

  #tokens(form: URLSearchParams): Json {
    const asked = this.#codes.get(form.get('code') ?? '') ?? {};
    const at = Math.floor(Date.now() / 1000);
    const draft: Draft = {
      header: { alg: 'ES256', kid: this.#jwk.kid },
      claims: {
        iss: this.issuer,
        aud: asked.client_id,
        sub: this.subject,
        nonce: asked.nonce,
        iat: at,
        exp: at + 300,
        // The e-mail of somebody else: it says nothing.
        email: 'owner-1@example.com',
        email_verified: true,
        ...(asked.prompt === 'login' && { auth_time: at }),
      },
    };
    this.change(draft);
    const signed = `${encode(draft.header)}.${encode(draft.claims)}`;
    const signature = sign('sha256', Buffer.from(signed), { key: this.#key, dsaEncoding: 'ieee-p1363' });
    const token = this.forge(`${signed}.${signature.toString('base64url')}`);
    return { access_token: 'x', token_type: 'Bearer', id_token: token };
  }
}

/** A provider that is a real one: oidc-provider, where whoever comes is signed in as `account`. */
export class RealProvider extends Host {
  account = 'ada';
  readonly deleted = new Set<string>();
  readonly #redirectUris: readonly string[];
  #callback: RequestListener = () => {};
  #provider: Json;

  private constructor(redirectUris: readonly string[]) {
    super();
    this.#redirectUris = redirectUris;
  }

  static async start(): Promise<RealProvider> {
    const provider = new RealProvider([]);
    await provider.open();
    return provider;
  }

  /** Begins anew, with a new key, for a client that comes back to `redirectUris`. */
  async restart(redirectUris: readonly string[] = this.#redirectUris): Promise<void> {
    const { Provider } = await loadLibrary();
    const { default: MemoryAdapter } = await import('oidc-provider/lib/adapters/memory_adapter.js' as string);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const client = { client_id: 'agent-payments', client_secret: 'a secret of the company', redirect_uris: redirectUris };
    this.#provider = new Provider(this.issuer, {
      clients: [client],
      adapter: class extends MemoryAdapter {},
      ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
      renderError: (ctx: Json, { error }: Json) => Object.assign(ctx, { body: error }),
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' }] },
      cookies: { keys: ['a key'] },
      features: { devInteractions: { enabled: false } },
      findAccount: (_ctx: unknown, id: string) =>
        this.deleted.has(id) ? undefined : { accountId: id, claims: () => ({ sub: id, email: 'owner-1@example.com' }) },
      interactions: { url: (_ctx: unknown, { uid }: Json) => `/interaction/${uid}` },
      pkce: { required: () => true },
    } as never);
    this.#callback = this.#provider.callback();
  }

  protected listener: RequestListener = (incoming, response) => {
    if (incoming.url?.startsWith('/interaction/'))
      void this.#signIn(incoming, response).catch((error) => response.writeHead(500).end(String(error)));
    else this.#callback(incoming, response);
  };

  /** What the pages of the provider would ask. */
  async #signIn(...exchange: Parameters<RequestListener>): Promise<void> {
    const { prompt, params, session } = await this.#provider.interactionDetails(...exchange);
    if (prompt.name === 'login') return this.#provider.interactionFinished(...exchange, { login: { accountId: this.account } });
    const grant = new this.#provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    grant.addOIDCScope('openid');
    return this.#provider.interactionFinished(...exchange, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
  }
}

/** The cookies that a browser has of a provider. */
export type Jar = Map<string, string>;

/** Goes where a browser is led, until it is led back to the platform: the path there. */
export async function wayBack(place: string, back: string, jar: Jar = new Map()): Promise<string> {
  let url = place;
  for (let steps = 0; steps < 10; steps += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await request(url, { headers: cookie === '' ? {} : { cookie } });
    const text = await reply.body.text();
    for (const line of [reply.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const next = reply.headers['location'];
    if (typeof next !== 'string') throw new Error(`${url} leads nowhere: ${reply.statusCode} ${text.slice(0, 300)}`);
    url = new URL(next, url).href;
    if (url.startsWith(back)) return url.slice(back.length);
  }
  throw new Error('the way does not end');
}

/** A whole round of a browser that is led to a provider by an answer; the answer to the way back. */
export async function comeBack(browser: Browser, begun: Answer, jar?: Jar): Promise<Answer> {
  const place: string = begun.headers.get('location') ?? begun.body?.data?.redirect_to;
  if (place === undefined) throw new Error(`not begun: ${begun.status} ${JSON.stringify(begun.body)}`);
  const back = await browser.get(await wayBack(place, browser.origin, jar));
  // As the console does: the token of the session is not in an address.
  if (back.status === 303) browser.csrf = (await browser.get('/v1/me')).body.data?.session?.csrf_token ?? '';
  return back;
}

export const settings =
  'mutation ($input: SignInSettingsInput!) { setSignInSettings(input: $input) { slug methods idleSeconds absoluteSeconds oidc { issuer clientId } } }';

/** Sets how people sign in, as an owner. */
export function setSignIn({ browser }: Person, input: object): Promise<Answer> {
  return browser.graphql(settings, { input });
}

/** An owner whose company signs in at a provider. */
export async function ownerWith(
  harness: Harness,
  { issuer }: { issuer: string },
  { slug = 'acme', methods = ['password', 'passkey', 'oidc', 'api_key'], tenantId = harness.tenantId, ...more }: Json = {},
): Promise<Person> {
  const owner = await join(harness, 'owner', { tenantId });
  const oidc = { issuer, clientId: 'agent-payments', clientSecret: 'a secret of the company' };
  const { body } = await setSignIn(owner, { slug, methods, oidc, ...more });
  if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors));
  return owner;
}
