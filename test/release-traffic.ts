// Traffic that goes on while a release replaces another one: payments with keys, holds, streams, approvals, pages, GraphQL, MCP, webhooks and
// an agent's channel. It remembers what it was promised, and looks at the end whether all of it is so.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { EventSource } from 'eventsource';
import { expect } from 'vitest';
import { sign } from './contexts/agents/identity.js';
import { ask, make, type Server as Sandbox } from './load.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
type Json = any;

/** An endpoint of webhooks that proves itself, and remembers the events of each path. */
export class Endpoint {
  readonly #server: Server;
  readonly events = new Map<string, Set<string>>();

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', async (request, response) => {
      const event: Json = JSON.parse(await textOf(request));
      const isProof = event.type === 'webhook.verification';
      const path = request.url ?? '';
      if (!isProof) this.events.set(path, (this.events.get(path) ?? new Set()).add(event.data.transfer_id.slice(-36)));
      response.end(isProof ? JSON.stringify({ challenge: event.data.challenge }) : '');
    });
  }

  static async start(): Promise<Endpoint> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Endpoint(server);
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Whose calls are part of the traffic: a call that fails is told, and the others go on. */
type Call = (n: number) => Promise<void>;

export class Traffic {
  /** What went wrong, in words. */
  readonly faults: string[] = [];
  /** How often each kind was called. */
  readonly calls = new Map<string, number>();
  readonly #sandbox: Sandbox;
  readonly #endpoint: Endpoint;
  #world: World | undefined;
  #source: EventSource | undefined;
  #isOver = false;
  #running: Promise<void>[] = [];
  /** Transfers by their keys, and when they were made. */
  readonly #paid = new Map<string, { id: string; at: number; body: Json }>();
  readonly #seen: number[] = [];
  readonly #gaps: string[] = [];
  /** The subscriptions, with when they were made. */
  readonly #hooks = new Map<string, number>();

  constructor(sandbox: Sandbox, endpoint: Endpoint) {
    this.#sandbox = sandbox;
    this.#endpoint = endpoint;
  }

  async start(): Promise<void> {
    this.#world = await openWorld(this.#sandbox);
    await this.subscribe('/first');
    await this.#connect(this.#world);
    const kinds: Record<string, Call> = {
      pay: (n) => this.#pay(n),
      hold: () => this.#hold(),
      stream: () => this.#stream(),
      approve: () => this.#approve(),
      pages: () => this.#pages(),
      graphql: () => this.#graphql(),
      mcp: (n) => this.#mcp(n),
    };
    this.#running = Object.entries(kinds).map(([kind, call]) => this.#loop(kind, call));
  }

  /** Subscribes a path of the endpoint: from now on each payment is to come there once or more. */
  async subscribe(path: string, sandbox = this.#sandbox): Promise<void> {
    const url = `http://${this.#endpoint.host}${path}`;
    const { id } = await make(sandbox, '/v1/webhooks', { url, events: ['transfer.completed'] });
    await expect.poll(async () => (await ask(sandbox, 'GET', `/v1/webhooks/${id}`)).body.data.verification).toBe('verified');
    this.#hooks.set(path, Date.now());
  }

  /** Returns when every kind was called so many times more. */
  async untilCalled(more: number): Promise<void> {
    const goals = [...this.calls].map(([kind, count]) => [kind, count + more] as const);
    await expect.poll(() => goals.filter(([kind, goal]) => (this.calls.get(kind) ?? 0) < goal), { timeout: 120_000 }).toEqual([]);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  /** Looks whether everything that was promised is so. */
  async verify(): Promise<void> {
    const { payee } = this.#world as World;
    for (const [reference, { id, body }] of this.#paid) {
      const found = await ask(this.#sandbox, 'POST', '/v1/transfers', body, { 'idempotency-key': reference });
      expect(found.body.data?.id, `${reference}: ${JSON.stringify(found.body)}`).toBe(id);
    }
    for (const [path, since] of this.#hooks) {
      const wanted = [...this.#paid.values()].filter(({ at }) => at > since).map(({ id }) => id);
      expect(wanted.length).toBeGreaterThan(5);
      const missing = () => wanted.filter((id) => !this.#endpoint.events.get(path)?.has(id));
      await expect.poll(missing, { timeout: 60_000, message: `delivered to ${path}` }).toEqual([]);
    }
    const forAgent = [...this.#paid.values()].filter(({ body }) => body.to_wallet_id === payee.wallet);
    await expect.poll(() => this.#seen.length, { timeout: 30_000 }).toBe(forAgent.length);
    expect(this.#gaps).toEqual([]);
    expect(this.#seen).toEqual(this.#seen.map((_, n) => n + 1));
    this.#source?.close();
  }

  async #loop(kind: string, call: Call): Promise<void> {
    for (let n = 0; !this.#isOver; n += 1) {
      try {
        await call(n);
      } catch (error) {
        this.faults.push(`${kind}: ${error instanceof Error ? error.message : error}`);
      }
      this.calls.set(kind, (this.calls.get(kind) ?? 0) + 1);
      await pause(100);
    }
  }

  /** Sends until it is done: what says that it may be sent again is. */
  async #insist(method: string, path: string, body?: Json, headers: Record<string, string> = {}): Promise<Json> {
    for (let tries = 1; ; tries += 1) {
      const answer = await ask(this.#sandbox, method, path, body, headers);
      if (answer.status < 300) return answer.body;
      const mayRetry = answer.body?.details?.retry?.safe === true || answer.body?.code === 'idempotency_in_flight';
      if (!mayRetry || tries === 20) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      await pause(250);
    }
  }

  async #pay(n: number): Promise<void> {
    const { from, payee } = this.#world as World;
    const key = `upgrade-${randomUUID()}`;
    const body = { type: 'internal', from_wallet_id: from, to_wallet_id: payee.wallet, amount: '0.01', currency: 'USD', reference: key };
    const at = Date.now();
    const { data } = await this.#insist('POST', '/v1/transfers', body, { 'idempotency-key': key });
    this.#paid.set(key, { id: data.id, at, body });
    // The answer that one process has kept is given by another one.
    const again = await this.#insist('POST', '/v1/transfers', body, { 'idempotency-key': key });
    if (again.data.id !== data.id) throw new Error(`${key} was paid twice`);
    const [old] = [...this.#paid.values()].slice(n % this.#paid.size);
    if (old !== undefined) await this.#insist('GET', `/v1/transfers/${old.id}`);
  }

  async #hold(): Promise<void> {
    const { from, to } = this.#world as World;
    const body = { type: 'internal', from_wallet_id: from, to_wallet_id: to, amount: '1.00', currency: 'USD', capture: 'manual' };
    const { data } = await this.#insist('POST', '/v1/transfers', body, { 'idempotency-key': randomUUID() });
    const captured = await this.#insist('POST', `/v1/transfers/${data.id}/capture`, {}, { 'idempotency-key': randomUUID() });
    if (captured.data.status !== 'completed') throw new Error(`a captured hold is ${captured.data.status}`);
  }

  async #stream(): Promise<void> {
    const { from, to } = this.#world as World;
    const body = { from_wallet_id: from, to_wallet_id: to, currency: 'USD', flow_rate: '0.01', initial_deposit: '1.00' };
    const key = { 'idempotency-key': randomUUID() };
    const { data } = await this.#insist('POST', '/v1/streams', body, key);
    await this.#insist('POST', `/v1/streams/${data.id}/pause`, {});
    await this.#insist('POST', `/v1/streams/${data.id}/resume`, {});
    await this.#insist('POST', `/v1/streams/${data.id}/cancel`, {});
  }

  async #approve(): Promise<void> {
    const { spender, to } = this.#world as World;
    const body = { type: 'internal', from_wallet_id: spender.wallet, to_wallet_id: to, amount: '2.00', currency: 'USD' };
    const { approval } = await this.#insist('POST', '/v1/transfers', body, { 'idempotency-key': randomUUID(), ...spender.credential });
    const { transfer } = await this.#insist('POST', `/v1/approvals/${approval.id}/approve`, {}, {});
    if (transfer.status !== 'completed') throw new Error(`an approved transfer is ${transfer.status}`);
  }

  async #pages(): Promise<void> {
    const seen = new Set<string>();
    for (let after = '', page = 0; page < 4; page += 1) {
      const { data, pagination } = await this.#insist('GET', `/v1/transfers?limit=3${after && `&starting_after=${after}`}`);
      for (const { id } of data) {
        if (seen.has(id)) throw new Error(`${id} is on two pages`);
        seen.add(id);
      }
      if (!pagination.has_more) break;
      after = pagination.next_cursor;
    }
    await this.#insist('GET', '/v1/events?limit=5');
    await this.#insist('GET', '/v1/audit-log?limit=5');
    const { data } = await this.#insist('GET', '/v1/audit-log/verify');
    if (data.valid !== true) throw new Error(`the audit log is not valid: ${JSON.stringify(data)}`);
  }

  async #graphql(): Promise<void> {
    const query =
      '{ transfers(limit: 3) { nodes { id amount status } } accounts(limit: 2) { nodes { name wallets { nodes { balance { available } } } } } }';
    const { data, errors } = await this.#insist('POST', '/graphql', { query });
    if (errors !== undefined || data.transfers === null) throw new Error(`GraphQL: ${JSON.stringify(errors)}`);
  }

  /** A session that one process has begun goes on with another one. */
  async #mcp(n: number): Promise<void> {
    const world = this.#world as World;
    const accept = { accept: 'application/json, text/event-stream' };
    if (n % 20 === 0) {
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'upgrade', version: '1' } };
      const begun = await ask(this.#sandbox, 'POST', '/mcp', { jsonrpc: '2.0', id: 0, method: 'initialize', params }, accept);
      world.mcp = begun.headers.get('mcp-session-id') ?? '';
    }
    const body = { jsonrpc: '2.0', id: n + 1, method: 'tools/list', params: {} };
    const { status, body: answer } = await ask(this.#sandbox, 'POST', '/mcp', body, { ...accept, 'mcp-session-id': world.mcp });
    if (status !== 200 || !JSON.stringify(answer).includes('inputSchema'))
      throw new Error(`MCP: ${status} ${JSON.stringify(answer).slice(0, 200)}`);
  }

  async #connect({ payee }: World): Promise<void> {
    const source = new EventSource(`${this.#sandbox.url}/v1/agents/${payee.id}/connect`, {
      fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...payee.credential } }),
    });
    this.#source = source;
    const opened = new Promise<void>((resolve, reject) => {
      source.addEventListener('connected', () => resolve(), { once: true });
      source.addEventListener(
        'error',
        ({ code, message }) => source.readyState === EventSource.CLOSED && reject(new Error(`${code} ${message}`)),
      );
    });
    source.addEventListener('gap', ({ data }) => this.#gaps.push(data));
    source.addEventListener('transfer_completed', ({ lastEventId }) => {
      this.#seen.push(Number(lastEventId));
    });
    await opened;
  }
}

interface Agent {
  id: string;
  wallet: string;
  credential: { authorization: string };
}

/** What the traffic has to do with. */
interface World {
  from: string;
  to: string;
  /** Its payments wait for an approval. */
  spender: Agent;
  /** It is paid, and hears of it. */
  payee: Agent;
  mcp: string;
}

async function openWorld(sandbox: Sandbox): Promise<World> {
  const account = await make(sandbox, '/v1/accounts', { type: 'business', name: 'Upgrade' });
  const other = await make(sandbox, '/v1/accounts', { type: 'business', name: 'Other' });
  const wallet = async (owner: string): Promise<string> =>
    (await make(sandbox, '/v1/wallets', { owner_type: 'account', owner_id: owner, currency: 'USD' })).id;
  const world = {
    from: await wallet(account.id),
    to: await wallet(other.id),
    spender: await openAgent(sandbox, account.id),
    payee: await openAgent(sandbox, other.id),
    mcp: '',
  };
  for (const id of [world.from, world.spender.wallet]) await make(sandbox, `/v1/wallets/${id}/fund`, { amount: '100000.00' });
  const approval = { threshold: '1.00', currency: 'USD' };
  await make(sandbox, '/v1/policies', { name: 'Watched', target: { type: 'agent', id: world.spender.id }, rules: [], approval });
  return world;
}

/** An agent with a wallet that has signed in. */
async function openAgent(sandbox: Sandbox, parent: string): Promise<Agent> {
  const wanted = { parent_account_id: parent, name: 'Agent', generate_keypair: true, wallet: { currency: 'USD' } };
  const { body: made } = await ask(sandbox, 'POST', '/v1/agents', wanted);
  const { id, default_wallet_id: wallet } = made.data;
  const { challenge } = (await ask(sandbox, 'POST', `/v1/agents/${id}/challenge`)).body;
  const proof = { challenge, signature: sign(challenge, made.authKey.privateKey) };
  const { sessionToken } = (await ask(sandbox, 'POST', `/v1/agents/${id}/authenticate`, proof)).body;
  return { id, wallet, credential: { authorization: `Bearer ${sessionToken}` } };
}
