// Traffic over everything that a key of the platform seals or signs, while the keys change: payments by key, session and token, webhooks whose
// secrets are rotated, payouts with the callbacks of a provider, vouchers of MPP, sessions of MCP, and cursors that clients have had for long.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { expect } from 'vitest';
import { signCallback } from '../src/contexts/settlement/rail/callback.js';
import type { Vault } from '../src/platform/secrets/vault.js';
import { ask, isTurnedAway } from './load.js';
import { openWorld, type World } from './rotation-world.js';
import type { SignedEndpoint } from './signed-endpoint.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
type Json = any;

/** Processes that are asked in turn. One that is taken out has answered everything when `use` returns. */
export class Upstreams {
  #urls: readonly string[];
  readonly #open = new Map<string, number>();
  #turn = 0;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  async use(urls: readonly string[]): Promise<void> {
    const left = this.#urls.filter((url) => !urls.includes(url));
    this.#urls = urls;
    await expect.poll(() => left.filter((url) => (this.#open.get(url) ?? 0) > 0), { timeout: 60_000 }).toEqual([]);
  }

  async ask<T>(work: (url: string) => Promise<T>): Promise<T> {
    this.#turn += 1;
    const url = this.#urls[this.#turn % this.#urls.length] as string;
    this.#open.set(url, (this.#open.get(url) ?? 0) + 1);
    try {
      return await work(url);
    } finally {
      this.#open.set(url, (this.#open.get(url) ?? 0) - 1);
    }
  }
}

export interface TrafficOptions {
  upstreams: Upstreams;
  /** The key of the tenant. */
  key: string;
  endpoint: SignedEndpoint;
  db: pg.Pool;
  /** The keys that the provider of a rail was given, before anything was rotated. */
  provider: Vault;
  perSecond: number;
}

export class RotationTraffic {
  readonly faults: string[] = [];
  readonly calls = new Map<string, number>();
  /** Milliseconds that payments took, since they were last taken. */
  #taken: number[] = [];
  readonly #o: TrafficOptions;
  #world: World | undefined;
  #isOver = false;
  #next = performance.now();
  #running: Promise<void>[] = [];
  /** Ids of payments. */
  readonly #paid: string[] = [];
  /** Payouts that the provider has not told of. */
  readonly #payouts: string[] = [];
  #toldPayouts = 0;
  #counted = 0;
  #isRotating = false;

  constructor(options: TrafficOptions) {
    this.#o = options;
  }

  async start(callers = 40): Promise<void> {
    this.#world = await this.#o.upstreams.ask((url) => openWorld({ url, key: this.#o.key }, this.#o.endpoint));
    const kinds = Object.entries(this.#kinds());
    this.#running = Array.from({ length: callers }, (_, caller) => this.#loop(kinds, caller));
  }

  /** Returns when so many more requests of each kind have been answered. */
  async untilCalled(more: number): Promise<void> {
    const goals = Object.keys(this.#kinds()).map((kind) => [kind, (this.calls.get(kind) ?? 0) + more] as const);
    await expect
      .poll(() => goals.filter(([kind, goal]) => (this.calls.get(kind) ?? 0) < goal), { timeout: 240_000, interval: 100 })
      .toEqual([]);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  /** What came since it was last asked. */
  takeFigures(seconds: number): string {
    const sorted = this.#taken.splice(0).sort((a, b) => a - b);
    const share = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? Number.NaN).toFixed(0);
    const requests = [...this.calls.values()].reduce((sum, count) => sum + count, 0);
    const perSecond = ((requests - this.#counted) / seconds).toFixed(0);
    this.#counted = requests;
    return `${perSecond} requests a second; ${sorted.length} payments, p50 ${share(0.5)} ms, p99 ${share(0.99)} ms`;
  }

  /** Everything that was promised is so: each payment was told to each webhook, and each payout that the provider spoke of has ended. */
  async verify(): Promise<void> {
    const { hooks } = this.#world as World;
    expect(this.#paid.length).toBeGreaterThan(20);
    expect(this.#toldPayouts).toBeGreaterThan(5);
    for (const { path } of hooks) {
      const missing = () => this.#paid.filter((id) => !this.#o.endpoint.wasTold(path, id)).length;
      await expect.poll(missing, { timeout: 240_000, interval: 500, message: `delivered to ${path}` }).toBe(0);
    }
    expect(this.#o.endpoint.refused).toEqual([]);
    // On a machine that has much to do the endpoint may be late, and is told again.
    const { rows } = await this.#o.db.query(
      `SELECT coalesce(error, response_code::text) AS what, count(*)::int FROM delivery_attempt
       WHERE (error IS NOT NULL OR response_code NOT BETWEEN 200 AND 299) AND error IS DISTINCT FROM 'no answer within 10 s' GROUP BY 1`,
    );
    expect(rows).toEqual([]);
  }

  /** Payments go on, and the newest secret of each webhook alone signs them: no rotation beside the sealing was undone. */
  async verifyNewest(): Promise<void> {
    const { hooks } = this.#world as World;
    for (const { path } of hooks) this.#o.endpoint.acceptNewestAlone(path);
    const before = this.#paid.length;
    for (const kind of ['pay by key', 'pay by JWT', 'pay by token', 'pay by session', 'voucher']) await this.#kinds()[kind]?.(0);
    const fresh = this.#paid.slice(before);
    for (const { path } of hooks)
      await expect.poll(() => fresh.filter((id) => !this.#o.endpoint.wasTold(path, id)), { timeout: 60_000 }).toEqual([]);
    expect(this.#o.endpoint.refused).toEqual([]);
  }

  #kinds(): Record<string, (n: number) => Promise<void>> {
    return {
      'pay by key': (n) => this.#pay(n, this.#o.key),
      'pay by JWT': (n) => this.#pay(n, (this.#world as World).jwt),
      'pay by token': (n) => this.#payFrom(n, (this.#world as World).payer.token),
      'pay by session': (n) => this.#payFrom(n, (this.#world as World).payer.session),
      cursor: (n) => this.#page(n),
      MCP: (n) => this.#mcp(n),
      voucher: () => this.#voucher(),
      payout: (n) => (n % 4 === 0 ? this.#payout() : this.#callback()),
      secret: (n) => (n % 10 === 0 && !this.#isRotating ? this.#rotateSecret(n) : this.#readHooks()),
    };
  }

  async #loop(kinds: readonly [string, (n: number) => Promise<void>][], caller: number): Promise<void> {
    for (let n = caller; !this.#isOver; n += 1) {
      this.#next = Math.max(this.#next + 1_000 / this.#o.perSecond, performance.now());
      await pause(this.#next - performance.now());
      const [kind, call] = kinds[n % kinds.length] as (typeof kinds)[number];
      const begun = performance.now();
      try {
        await call(this.calls.get(kind) ?? 0);
      } catch (error) {
        this.faults.push(`${kind}: ${error instanceof Error ? error.message : error}`);
      }
      if (kind.startsWith('pay by')) this.#taken.push(performance.now() - begun);
      this.calls.set(kind, (this.calls.get(kind) ?? 0) + 1);
    }
  }

  /** Sends until there is room; anything but success is a fault. */
  async #send(
    method: string,
    path: string,
    { body, as = this.#o.key, headers = {} }: { body?: unknown; as?: string; headers?: Record<string, string> } = {},
  ): Promise<Json> {
    const all = { ...(method === 'POST' && { 'idempotency-key': randomUUID() }), ...headers };
    for (;;) {
      const answer = await this.#o.upstreams.ask((url) => ask({ url, key: as }, method, path, body, all));
      if (answer.status < 300) return answer.body;
      if (!isTurnedAway(answer)) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
      await pause(100);
    }
  }

  async #pay(n: number, as: string): Promise<void> {
    const { wallets } = this.#world as World;
    const [from, to] = [wallets[n % wallets.length], wallets[(n + 1) % wallets.length]];
    await this.#transfer({ from_wallet_id: from, to_wallet_id: to }, as);
  }

  #payFrom(n: number, as: string): Promise<void> {
    const { wallets, payer } = this.#world as World;
    return this.#transfer({ from_wallet_id: payer.wallet, to_wallet_id: wallets[n % wallets.length] }, as);
  }

  async #transfer(between: object, as: string): Promise<void> {
    const body = { type: 'internal', ...between, amount: '0.01', currency: 'USD' };
    const { data } = await this.#send('POST', '/v1/transfers', { body, as });
    this.#paid.push(data.id);
  }

  async #page(n: number): Promise<void> {
    const { cursors } = this.#world as World;
    const { data } = await this.#send('GET', `/v1/accounts?limit=1&starting_after=${cursors[n % cursors.length]}`);
    if (data.length !== 1) throw new Error(`a page of ${data.length}`);
  }

  async #mcp(n: number): Promise<void> {
    const { mcp } = this.#world as World;
    const headers = { accept: 'application/json, text/event-stream', 'mcp-session-id': mcp[n % mcp.length] ?? '' };
    const body = { jsonrpc: '2.0', id: n, method: 'tools/list', params: {} };
    const answer = await this.#send('POST', '/mcp', { body, headers });
    if (!JSON.stringify(answer).includes('inputSchema')) throw new Error(JSON.stringify(answer).slice(0, 200));
  }

  async #voucher(): Promise<void> {
    const { mpp, payer } = this.#world as World;
    await this.#send('POST', `/v1/mpp/sessions/${mpp}/vouchers`, { body: { amount: '0.01' }, as: payer.token });
  }

  async #payout(): Promise<void> {
    const { wallets, bank } = this.#world as World;
    const body = { wallet_id: wallets[0], amount: '1.00', currency: 'USD', destination: { type: 'bank', ref: bank } };
    const { data } = await this.#send('POST', '/v1/payouts', { body });
    this.#payouts.push(data.id.slice(-36));
  }

  /** The provider tells of a payout that it has taken, signed with the keys of the beginning. */
  async #callback(): Promise<void> {
    const { rows } = await this.#o.db.query(
      `SELECT id, workspace_id AS "workspaceId", rail_reference AS reference FROM payout
       WHERE id = ANY($1) AND rail_reference IS NOT NULL AND status = 'confirmed' LIMIT 1`,
      [this.#payouts],
    );
    const [row] = rows;
    if (row === undefined || !this.#payouts.includes(row.id)) return;
    this.#payouts.splice(this.#payouts.indexOf(row.id), 1);
    const { workspaceId, reference } = row;
    const body = { workspace: workspaceId, reference, state: 'settled', amount: '1.00', currency: 'USD' };
    const raw = Buffer.from(JSON.stringify(body));
    const signature = signCallback(this.#o.provider, { workspaceId, rail: 'ach', at: new Date() }, raw);
    await this.#send('POST', '/v1/rails/ach/callbacks', { body, headers: { 'x-rail-signature': signature } });
    this.#toldPayouts += 1;
  }

  async #readHooks(): Promise<void> {
    const { data } = await this.#send('GET', '/v1/webhooks');
    if (data.length < 3) throw new Error(`${data.length} webhooks`);
  }

  /** What is signed with the secret of before is good for a day. */
  async #rotateSecret(n: number): Promise<void> {
    const { hooks } = this.#world as World;
    const { path, id } = hooks[1 + ((n / 10) % (hooks.length - 1))] as World['hooks'][number];
    this.#isRotating = true;
    try {
      const { data } = await this.#send('POST', `/v1/webhooks/${id}/rotate-secret`, { body: {} });
      this.#o.endpoint.accept(path, data.secret);
    } finally {
      this.#isRotating = false;
    }
  }
}
