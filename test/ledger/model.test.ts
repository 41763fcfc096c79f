// A model of every balance and of every acknowledged transfer, kept by the clients alone: the sum of balances stays right when
// acknowledged writes are lost, and only such a model notices.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, type Json, openWallet, useHarness } from '../harness.js';

const harness = useHarness();
const currency = 'USD';

/** Cents in each bucket, and whether it is frozen. */
interface WalletRef {
  id: string;
  accountId: string;
  available: number;
  held: number;
  wrapped: number;
  pendingIn: number;
  frozen: boolean;
}
interface Held {
  id: string;
  from: WalletRef;
  to: WalletRef;
  cents: number;
}
interface Known {
  status: string;
  amount: string;
  type: string;
}

type Kind = 'fund' | 'transfer' | 'hold' | 'capture' | 'cancel' | 'wrap' | 'unwrap' | 'freeze' | 'unfreeze';
interface Step {
  kind: Kind;
  a: number;
  b: number;
  cents: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { arbitrary: fc.constant<Kind>('transfer'), weight: 6 },
    { arbitrary: fc.constantFrom<Kind>('fund', 'hold', 'capture', 'wrap', 'unwrap'), weight: 6 },
    { arbitrary: fc.constantFrom<Kind>('cancel', 'freeze', 'unfreeze', 'unfreeze'), weight: 3 },
  ),
  a: fc.nat(1_000),
  b: fc.nat(1_000),
  cents: fc.integer({ min: 1, max: 4_000 }),
});
const print = (cents: number) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

class Model {
  readonly wallets: WalletRef[] = [];
  readonly transfers = new Map<string, Known>();
  holds: Held[] = [];

  async open(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const { wallet } = await openWallet(harness.test);
      this.wallets.push({ id: wallet.id, accountId: wallet.account_id, available: 0, held: 0, wrapped: 0, pendingIn: 0, frozen: false });
    }
  }

  /** Sends one step. `verdict` is the status that a single client must see. Applies what was acknowledged, and nothing else. */
  async take({ kind, a, b, cents }: Step): Promise<{ answer: Answer; verdict: number }> {
    const from = this.wallets[a % this.wallets.length] as WalletRef;
    const to = this.wallets[b % this.wallets.length] as WalletRef;
    const held = this.holds[a % Math.max(1, this.holds.length)];
    const may = (has: number) => (from.frozen ? 403 : has < cents ? 422 : 201);
    const body = { type: 'internal', from_wallet_id: from.id, to_wallet_id: to.id, amount: print(cents), currency };
    switch (kind) {
      case 'fund':
        return this.#record(201, harness.test.post(`/v1/wallets/${from.id}/fund`, { amount: print(cents) }), () => {
          from.available += cents;
        });
      case 'transfer':
        return this.#record(from === to ? 422 : may(from.available), harness.test.post('/v1/transfers', body), () => {
          from.available -= cents;
          to.available += cents;
        });
      case 'hold':
        return this.#record(
          from === to ? 422 : may(from.available),
          harness.test.post('/v1/transfers', { ...body, capture: 'manual' }),
          ({ id }) => {
            from.available -= cents;
            from.held += cents;
            to.pendingIn += cents;
            this.holds.push({ id, from, to, cents });
          },
        );
      case 'capture': {
        if (held === undefined) return this.take({ kind: 'fund', a, b, cents });
        const captured = Math.min(cents, held.cents);
        const sent = harness.test.post(`/v1/transfers/${held.id}/capture`, { amount: print(captured) });
        return this.#record(held.from.frozen ? 403 : 200, sent, () => this.#resolve(held, captured));
      }
      case 'cancel':
        if (held === undefined) return this.take({ kind: 'fund', a, b, cents });
        return this.#record(200, harness.test.post(`/v1/transfers/${held.id}/cancel`, {}), () => this.#resolve(held, 0));
      case 'wrap':
      case 'unwrap': {
        const sign = kind === 'wrap' ? 1 : -1;
        const sent = harness.test.post(`/v1/wallets/${from.id}/${kind}`, { amount: print(cents) });
        return this.#record(may(kind === 'wrap' ? from.available : from.wrapped), sent, () => {
          from.available -= sign * cents;
          from.wrapped += sign * cents;
        });
      }
      default: {
        const verdict = from.frozen === (kind === 'freeze') ? 409 : 200;
        const answer = await harness.test.post(`/v1/wallets/${from.id}/${kind}`, {});
        if (answer.status === 200) from.frozen = kind === 'freeze';
        return { answer, verdict };
      }
    }
  }

  async #record(verdict: number, sent: Promise<Answer>, apply: (transfer: Json) => void) {
    const answer = await sent;
    if (answer.status < 300) {
      const { id, status, amount, type } = answer.body.data;
      this.transfers.set(id, { status, amount, type });
      apply(answer.body.data);
    }
    return { answer, verdict };
  }

  #resolve(held: Held, captured: number): void {
    const { from, to, cents } = held;
    from.held -= cents;
    from.available += cents - captured;
    to.available += captured;
    to.pendingIn -= cents;
    this.holds = this.holds.filter((one) => one !== held);
  }

  /** Every balance, and every transfer that there is, as the platform says it. */
  async check(): Promise<void> {
    for (const { id, frozen, available, held, wrapped, pendingIn } of this.wallets) {
      const { body } = await harness.test.get(`/v1/wallets/${id}`);
      expect({ status: body.data.status, balance: body.data.balance }).toEqual({
        status: frozen ? 'frozen' : 'active',
        balance: {
          available: print(available),
          held: print(held),
          wrapped: print(wrapped),
          pending_in: print(pendingIn),
          total: print(available + held + wrapped),
        },
      });
    }
    const found = new Map<string, Known>();
    for (const { id } of this.wallets) {
      for (let page = 1, more = true; more; page += 1) {
        const { body } = await harness.test.get(`/v1/transfers?wallet_id=${id}&limit=200&page=${page}`);
        for (const { id: transferId, status, amount, type } of body.data) found.set(transferId, { status, amount, type });
        more = body.pagination.has_more;
      }
    }
    expect(found.size).toBe(this.transfers.size);
    for (const [id, known] of this.transfers) expect({ id, ...found.get(id) }).toEqual({ id, ...known });
  }
}

async function run(seed: number, work: (model: Model) => Promise<void>): Promise<void> {
  const model = new Model();
  await model.open(5);
  await work(model).catch((error: Error) => {
    error.message = `with seed ${seed}: ${error.message}`;
    throw error;
  });
}

describe('random steps', { timeout: 60_000 }, () => {
  it('of one client get the verdict that its model foresees', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    await run(seed, async (model) => {
      for (const one of fc.sample(step, { seed, numRuns: 80 })) {
        const { answer, verdict } = await model.take(one);
        expect(answer.status, `${JSON.stringify(one)}: ${JSON.stringify(answer.body)}`).toBe(verdict);
      }
      await model.check();
    });
  });

  it('of many clients at once add up to what was acknowledged', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    await run(seed, async (model) => {
      const steps = fc.sample(step, { seed, numRuns: 200 }).filter(({ kind }) => kind !== 'freeze' && kind !== 'unfreeze');
      const client = async () => {
        for (let one = steps.pop(); one !== undefined; one = steps.pop()) {
          const { answer } = await model.take(one);
          expect([200, 201, 409, 422], JSON.stringify(answer.body)).toContain(answer.status);
        }
      };
      await Promise.all(Array.from({ length: 12 }, client));
      await model.check();
    });
  });

  it('of many clients, while wallets are frozen and thawed under them', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    await run(seed, async (model) => {
      const steps = fc.sample(step, { seed, numRuns: 120 });
      // One client alone freezes and thaws, so that the model knows the order.
      const turns = steps.filter(({ kind }) => kind === 'freeze' || kind === 'unfreeze');
      const others = steps.filter(({ kind }) => kind !== 'freeze' && kind !== 'unfreeze');
      const client = async (own: Step[]) => {
        for (let one = own.pop(); one !== undefined; one = own.pop()) {
          const { answer } = await model.take(one);
          expect([200, 201, 403, 409, 422], JSON.stringify(answer.body)).toContain(answer.status);
        }
      };
      await Promise.all([client(turns), ...Array.from({ length: 8 }, () => client(others))]);
      await model.check();
    });
  });
});
