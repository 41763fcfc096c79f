// Transfers without end, and a model of what was acknowledged that only the client keeps: the sum of balances stays right when
// acknowledged writes are lost, so the server cannot be asked whether it lost some (ARCHITECTURE.md 12).
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { eachOf } from './hostile.js';

interface Sent {
  reference: string;
  from: string;
  to: string;
  cents: number;
}

/** An answer that was no success. */
export interface Refusal {
  status: number;
  retryAfter: string | null;
  body: string;
}

export interface Server {
  url: string;
  key: string;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
type Json = any;

const decimal = (cents: number) => `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
const centsOf = (amount: string) => Math.round(Number(amount) * 100);

const answerMs = 20_000;

/** Sends a request with the tenant's key; throws where no answer comes. */
export async function ask(
  { url, key }: Server,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; body: Json }> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // A connection that was on its way to a process when that was killed is never answered: who calls has a limit, and sends again.
    signal: AbortSignal.timeout(answerMs),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
}

/** True for an answer of a server that has too much to do, and says that the same request may be sent again. */
export const isTurnedAway = ({ status, body }: { status: number; body: Json }): boolean =>
  status === 503 && (body.details?.retry?.safe === true || JSON.stringify(body).includes('nothing was changed'));

/** Sends a request, with a key, until the server has room for it, as a client does: a slow machine turns some of a crowd away. */
export async function insist(
  server: Server,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): ReturnType<typeof ask> {
  const keyed = method === 'GET' ? headers : { 'Idempotency-Key': randomUUID(), ...headers };
  for (;;) {
    const answer = await ask(server, method, path, body, keyed);
    if (!isTurnedAway(answer)) return answer;
    await pause(50);
  }
}

/** The same, for a call that must succeed. */
export async function make(server: Server, path: string, body: unknown): Promise<Json> {
  const answer = await ask(server, 'POST', path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body.data ?? answer.body;
}

/** Load on some wallets, by a number of callers that each wait for their answer. */
export class Load {
  readonly acknowledged = new Map<string, Sent>();
  /** Sent, and nobody knows: the connection broke or the server said 503. */
  readonly unknown = new Map<string, Sent>();
  readonly refusals: Refusal[] = [];
  readonly #wallets: readonly string[];
  readonly #funded: number;
  readonly #prefix = `load-${randomBytes(4).toString('hex')}`;
  #count = 0;
  #running = false;
  #callers: Promise<void>[] = [];

  private constructor(wallets: readonly string[], funded: number) {
    this.#wallets = wallets;
    this.#funded = funded;
  }

  /** Opens the wallets and funds them. */
  static async open(server: Server, wallets = 6, funded = 100_000_00): Promise<Load> {
    const account = await make(server, '/v1/accounts', { type: 'business', name: 'Load' });
    const ids: string[] = [];
    for (let n = 0; n < wallets; n += 1) {
      const wallet = await make(server, '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
      await make(server, `/v1/wallets/${wallet.id}/fund`, { amount: decimal(funded) });
      ids.push(wallet.id);
    }
    return new Load(ids, funded);
  }

  start(server: Server, callers = 16): void {
    this.#running = true;
    this.#callers = Array.from({ length: callers }, () => this.#call(server));
  }

  /** Returns when every caller has had its answer. */
  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#callers);
  }

  /** Returns when `more` transfers have been acknowledged from now on. */
  async untilAcknowledged(more: number): Promise<void> {
    const goal = this.acknowledged.size + more;
    await expect.poll(() => this.acknowledged.size, { interval: 10, timeout: 30_000 }).toBeGreaterThanOrEqual(goal);
  }

  async #call(server: Server): Promise<void> {
    while (this.#running) {
      const answered = await this.#send(server, this.#next());
      // Whoever is refused comes back a little later, as a client does.
      if (!answered) await pause(100);
    }
  }

  #next(): Sent {
    const from = randomInt(this.#wallets.length);
    const to = (from + 1 + randomInt(this.#wallets.length - 1)) % this.#wallets.length;
    this.#count += 1;
    return {
      reference: `${this.#prefix}-${this.#count}`,
      from: this.#wallets[from] as string,
      to: this.#wallets[to] as string,
      cents: 1 + randomInt(500),
    };
  }

  async #send(server: Server, sent: Sent): Promise<boolean> {
    this.unknown.set(sent.reference, sent);
    const { reference, from, to, cents } = sent;
    const body = { type: 'internal', from_wallet_id: from, to_wallet_id: to, amount: decimal(cents), currency: 'USD', reference };
    try {
      const answer = await ask(server, 'POST', '/v1/transfers', body, { 'idempotency-key': reference });
      if (answer.status !== 201) {
        this.refusals.push({ status: answer.status, retryAfter: answer.headers.get('retry-after'), body: JSON.stringify(answer.body) });
        return false;
      }
    } catch {
      return false;
    }
    this.unknown.delete(reference);
    this.acknowledged.set(reference, sent);
    return true;
  }

  /** Sends again, with its own key, whatever has no answer yet: each must succeed in the end. */
  async settle(server: Server): Promise<void> {
    await expect
      .poll(
        async () => {
          await eachOf([...this.unknown.values()], async (sent) => void (await this.#send(server, sent)));
          return this.unknown.size;
        },
        { interval: 50, timeout: 30_000 },
      )
      .toBe(0);
  }

  /** Compares the server with the model: each acknowledged transfer is there once as it was sent, and nothing else. */
  async verify(server: Server): Promise<void> {
    const found = new Map<string, Json[]>();
    let after = '';
    do {
      const { body } = await ask(server, 'GET', `/v1/transfers?limit=200${after === '' ? '' : `&starting_after=${after}`}`);
      for (const transfer of body.data) {
        if (transfer.reference?.startsWith(this.#prefix))
          found.set(transfer.reference, [...(found.get(transfer.reference) ?? []), transfer]);
      }
      after = body.pagination.has_more ? body.pagination.next_cursor : '';
    } while (after !== '');
    const balances = new Map(this.#wallets.map((id) => [id, this.#funded]));
    for (const { reference, from, to, cents } of this.acknowledged.values()) {
      const rows = found.get(reference) ?? [];
      expect(rows, reference).toHaveLength(1);
      expect(rows[0]).toMatchObject({ from_wallet_id: from, to_wallet_id: to, status: 'completed' });
      expect(centsOf(rows[0].amount)).toBe(cents);
      balances.set(from, (balances.get(from) ?? 0) - cents);
      balances.set(to, (balances.get(to) ?? 0) + cents);
    }
    expect([...found.keys()].filter((reference) => !this.acknowledged.has(reference))).toEqual([]);
    for (const [id, cents] of balances) {
      const { body } = await ask(server, 'GET', `/v1/wallets/${id}`);
      expect(centsOf(body.data.balance.available)).toBe(cents);
    }
  }
}
