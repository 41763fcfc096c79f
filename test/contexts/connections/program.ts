// A program that wants to be connected, and its browser, step by step and without a library: what tests need to get it wrong on purpose.
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'undici';
import type { Answer, Json } from '../../harness.js';
import type { Person } from '../people/browser.js';

export const redirectUri = 'http://127.0.0.1:7777/callback';

export interface Reply {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
  body: Json;
}

/** A request as it is, whose redirects are not followed. */
export async function send(
  url: string,
  { method = 'GET', headers = {}, body }: { method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: string } = {},
): Promise<Reply> {
  const answer = await request(url, { method, headers, body: body ?? null });
  const text = await answer.body.text();
  let parsed: Json;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  return { status: answer.statusCode, headers: answer.headers, text, body: parsed };
}

const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** Keeps cookies by name. */
export class Browser {
  readonly #cookies = new Map<string, string>();

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async open(url: string): Promise<Reply> {
    const reply = await send(url, { headers: this.cookie === '' ? {} : { Cookie: this.cookie } });
    for (const line of [reply.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return reply;
  }
}

/** A program that has registered. */
export class Program {
  readonly url: string;
  readonly clientId: string;
  readonly verifier: string;
  /** The process that it asks for tokens, under the address of the listener. */
  readonly #process: string;

  constructor(url: string, clientId: string, { verifier = randomBytes(32).toString('base64url'), process = url } = {}) {
    this.url = url;
    this.clientId = clientId;
    this.verifier = verifier;
    this.#process = process;
  }

  /** The same program, whose requests come to another process, as they do behind a proxy. */
  at(process: string): Program {
    return new Program(this.url, this.clientId, { verifier: this.verifier, process });
  }

  static async register(url: string, metadata: object = {}): Promise<Program> {
    const reply = await register(url, metadata);
    if (reply.status !== 201) throw new Error(`not registered: ${reply.status} ${reply.text}`);
    return new Program(url, reply.body.client_id);
  }

  get challenge(): string {
    return createHash('sha256').update(this.verifier).digest('base64url');
  }

  /** Where it sends the browser. */
  authorizeUrl(more: Record<string, string | undefined> = {}): string {
    const query = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: redirectUri,
      scope: 'agent:read agent:act',
      state: 'the-state',
      code_challenge: this.challenge,
      code_challenge_method: 'S256',
      resource: `${this.url}/mcp`,
      ...more,
    };
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return `${this.url}/oauth/authorize?${new URLSearchParams(given)}`;
  }

  /** Begins an authorization: the uid of its page. */
  async begin(browser: Browser, more: Record<string, string | undefined> = {}): Promise<string> {
    const reply = await browser.open(this.authorizeUrl(more));
    const uid = /\/console\/connect\/([\w-]+)$/.exec(String(reply.headers['location']))?.[1];
    if (uid === undefined) throw new Error(`no page: ${reply.status} ${String(reply.headers['location'])} ${reply.text}`);
    return uid;
  }

  /** The code that the browser brings. */
  async codeFrom(browser: Browser, redirectTo: string): Promise<URLSearchParams> {
    const reply = await browser.open(redirectTo);
    const location = String(reply.headers['location']);
    if (!location.startsWith('http://127.0.0.1:7777/')) throw new Error(`not sent back: ${reply.status} ${location} ${reply.text}`);
    return new URL(location).searchParams;
  }

  token(members: Record<string, string>): Promise<Reply> {
    const body = new URLSearchParams({ client_id: this.clientId, ...members });
    const headers = { ...form, Host: new URL(this.url).host };
    return send(`${this.#process}/oauth/token`, { method: 'POST', headers, body: body.toString() });
  }

  exchange(code: string, more: Record<string, string> = {}): Promise<Reply> {
    const members = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: this.verifier };
    return this.token({ ...members, resource: `${this.url}/mcp`, ...more });
  }

  refresh(refreshToken: string, more: Record<string, string> = {}): Promise<Reply> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...more });
  }

  revoke(token: string): Promise<Reply> {
    const body = new URLSearchParams({ client_id: this.clientId, token });
    return send(`${this.url}/oauth/revoke`, { method: 'POST', headers: form, body: body.toString() });
  }
}

export function register(url: string, metadata: object = {}): Promise<Reply> {
  const body = JSON.stringify({ client_name: 'Test program', redirect_uris: [redirectUri], ...metadata });
  return send(`${url}/oauth/register`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
}

/** What a person allows by default. */
export const allowance = {
  scopes: ['agent:read', 'agent:act'],
  budget: { amount: '20.00', currency: 'USD', period: 'day' },
};

export interface Connected {
  program: Program;
  browser: Browser;
  connection: Json;
  accessToken: string;
  refreshToken: string;
}

/** The cookies of a person who has signed in, in the browser in which an authorization was begun. */
export function cookiesOf({ browser }: Person, began: Browser): { headers: { Cookie: string } } {
  return { headers: { Cookie: [browser.cookie, began.cookie].filter((cookie) => cookie !== '').join('; ') } };
}

/** What a person allows, at the page of an authorization. */
export function allow(person: Person, began: Browser, uid: string, input: object): Promise<Answer> {
  return person.browser.post(`/v1/connect/${uid}`, { ...allowance, ...input }, cookiesOf(person, began));
}

/** Connects a program to an agent: registered, asked, allowed, and with tokens. */
export async function connectProgram(person: Person, input: object, program?: Program): Promise<Connected> {
  const own = program ?? (await Program.register(person.browser.url));
  const browser = new Browser();
  const uid = await own.begin(browser);
  const answer = await allow(person, browser, uid, input);
  if (answer.status !== 200) throw new Error(`not allowed: ${answer.status} ${JSON.stringify(answer.body)}`);
  const { redirect_to: redirectTo, connection } = answer.body.data;
  const code = (await own.codeFrom(browser, redirectTo)).get('code') ?? '';
  const tokens = await own.exchange(code);
  if (tokens.status !== 200) throw new Error(`no tokens: ${tokens.status} ${tokens.text}`);
  const { access_token: accessToken, refresh_token: refreshToken } = tokens.body;
  return { program: own, browser, connection, accessToken, refreshToken };
}
