// Plays a life of money that enters and leaves: payouts, payments abroad, batches, refunds and funding, over rails that fail in every
// way, with jumps of the clock. What it sends may be refused; it keeps what was acknowledged.
import { expect } from 'vitest';
import { ask } from '../load.js';
import { Caller, type Platform } from './caller.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
type Json = any;

interface Place {
  rail: string;
  currency: string;
  /** Who brings money in over the rail. */
  funding: { provider: string; type: string };
  wallet: string;
  other: string;
  destination: Json;
}

const bankDetails: Readonly<Record<string, { currency: string; provider: string; details: Json }>> = {
  ach: { currency: 'USD', provider: 'simulated-us', details: { routing_number: '021000021', account_number: '123456789' } },
  wire: { currency: 'USD', provider: 'simulated-wire', details: { bic: 'DEUTDEFF500', account_number: 'DE89370400440532013000' } },
  sepa: { currency: 'EUR', provider: 'simulated-eu', details: { iban: 'DE89370400440532013000' } },
  pix: { currency: 'BRL', provider: 'simulated-br', details: { key: 'ada@example.com' } },
  spei: { currency: 'MXN', provider: 'simulated-mx', details: { clabe: '032180000118359719' } },
};
const address = '0x52908400098527886E0F7030069857D2E4169EE7';
const card = { rail: 'card-simulated-us', provider: 'simulated-us', type: 'card', currency: 'USD' };
const faultKinds = ['lost_ack', 'reject', 'return', 'duplicate_callback', 'amount_mismatch', 'out_of_order', 'latency'];

export class Trader extends Caller {
  readonly #places: Place[] = [];
  /** Ids that were acknowledged, by the path of their list. */
  readonly acknowledged = new Map<string, string[]>();
  #isKilling = false;

  constructor(platform: Platform, random: () => number) {
    super(platform, random);
  }

  protected override isKilling(): boolean {
    const isKilling = this.#isKilling;
    this.#isKilling = false;
    return isKilling;
  }

  /** The server is killed in the middle of the next request that changes something. */
  killNext(): void {
    this.#isKilling = true;
  }

  /** An account with a wallet in each currency, its bank accounts, and faults on every rail. */
  async open(): Promise<void> {
    const account = await this.#made('/v1/accounts', { type: 'business', name: 'Trader' });
    const wallet = async (currency: string, funded: string) => {
      const { id } = await this.#made('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency });
      await this.#made(`/v1/wallets/${id}/fund`, { amount: funded });
      return id;
    };
    for (const [rail, { currency, provider, details }] of Object.entries(bankDetails)) {
      const bank = await this.#made('/v1/bank-accounts', { account_id: account.id, rail, holder_name: 'Trader', details });
      const [own, other] = [await wallet(currency, '50000.00'), await wallet(currency, '50000.00')];
      const funding = { provider, type: 'bank_transfer' };
      this.#places.push({ rail, currency, funding, wallet: own, other, destination: { type: 'bank', ref: bank.id } });
    }
    const [own, other] = [await wallet('USDC', '50000.00'), await wallet('USDC', '50000.00')];
    const [base, funding] = ['usdc-base', { provider: 'simulated-base', type: 'stablecoin' }];
    this.#places.push({ rail: base, currency: 'USDC', funding, wallet: own, other, destination: { type: 'wallet', ref: address } });
    for (const rail of [...this.#places.map((place) => place.rail), card.rail]) {
      for (const kind of faultKinds) {
        // A payment by ACH takes a day: ten times as long is all the time that there is.
        if (rail !== 'ach' || kind !== 'latency') await this.#made(`/v1/test/rails/${rail}/faults`, { kind, probability: '0.15' });
      }
    }
  }

  /** The next operation. */
  async step(): Promise<void> {
    const steps: (() => Promise<unknown>)[] = [
      () => this.#payout(),
      () => this.#payout(),
      () => this.#cancel(),
      () => this.#abroad(),
      () => this.#fund(),
      () => this.#batch(),
      () => this.#pay(),
      () => this.#refund(),
      () => this.advance(this.among(1, 40_000)),
    ];
    await (this.pick(steps) as () => Promise<unknown>)();
  }

  /** Holds the books against every statement, and writes off what differs. */
  async reconcile(): Promise<void> {
    const now = await this.now();
    const [from, to] = [now - 80 * 86_400_000, now].map((at) => new Date(at).toISOString().slice(0, 10));
    for (const rail of [...this.#places.map((place) => place.rail), card.rail]) {
      const { id } = await this.#made('/v1/reconciliation/runs', { rail, date_from: from, date_to: to });
      const path = `/v1/reconciliation/reports/${id}`;
      await expect.poll(async () => (await this.read(path)).status, { interval: 20, timeout: 30_000 }).toBe('completed');
    }
    for (const { id, status } of await this.list('/v1/reconciliation/discrepancies'))
      if (status === 'open') await this.#made(`/v1/reconciliation/discrepancies/${id}/resolve`, { resolution: 'written_off' });
  }

  /** What the platform says of its own convergence. */
  async convergence(): Promise<Json> {
    return (await ask(this.server, 'GET', '/v1/test/convergence')).body;
  }

  get #place(): Place {
    return this.pick(this.#places) as Place;
  }

  #amount(): string {
    return `${this.among(1, 200)}.${String(this.among(0, 99)).padStart(2, '0')}`;
  }

  /** Sends what may be refused, but never fail: what was made is acknowledged. */
  async #try(path: string, body: Json, list = path): Promise<Json> {
    const answer = await this.send(path, body);
    expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(500);
    if (answer.status >= 300) return undefined;
    const { id } = answer.body.data;
    this.acknowledged.set(list, [...(this.acknowledged.get(list) ?? []), id]);
    return answer.body.data;
  }

  async #made(path: string, body: Json): Promise<Json> {
    const { status, body: answer } = await this.send(path, body);
    expect(status, JSON.stringify(answer)).toBeLessThan(300);
    return answer.data;
  }

  async #payout(): Promise<void> {
    const { wallet, currency, rail, destination } = this.#place;
    await this.#try('/v1/payouts', { wallet_id: wallet, amount: this.#amount(), currency, rail, destination });
  }

  async #cancel(): Promise<void> {
    const id = this.acknowledged.get('/v1/payouts')?.at(-1);
    if (id !== undefined) expect((await this.send(`/v1/payouts/${id}/cancel`)).status).toBeLessThan(500);
  }

  async #fund(): Promise<void> {
    const { wallet, currency, funding } = this.#place;
    const { provider, type } = currency === card.currency && this.random() < 0.5 ? card : funding;
    await this.#try('/v1/funding/transactions', { wallet_id: wallet, amount: this.#amount(), currency, provider, type });
  }

  async #abroad(): Promise<void> {
    const from = this.#place;
    const to = this.#place;
    if (from.currency === to.currency || to.destination.type !== 'bank') return;
    const asked = { from_currency: from.currency, to_currency: to.currency, amount: this.#amount(), amount_side: 'send', rail: to.rail };
    const quote = await this.send('/v1/quotes', asked);
    if (quote.status !== 201) return;
    const body = { type: 'cross_border', from_wallet_id: from.wallet, destination: to.destination, quote_id: quote.body.data.id };
    await this.#try('/v1/transfers', body);
  }

  #internal({ wallet, other, currency }: Place): Json {
    return { type: 'internal', from_wallet_id: wallet, to_wallet_id: other, amount: this.#amount(), currency };
  }

  async #pay(): Promise<void> {
    await this.#try('/v1/transfers', this.#internal(this.#place));
  }

  /** Payments inside the platform and payouts, mixed. */
  async #batch(): Promise<void> {
    const transfers = Array.from({ length: this.among(1, 6) }, () => {
      const place = this.#place;
      const { to_wallet_id: to, ...payment } = this.#internal(place);
      return this.random() < 0.5 ? { ...payment, to_wallet_id: to } : { ...payment, destination: place.destination };
    });
    await this.#try('/v1/transfers/batch', { transfers, mode: 'independent' }, '/v1/batches');
  }

  async #refund(): Promise<void> {
    const id = this.pick(this.acknowledged.get('/v1/transfers') ?? []);
    if (id !== undefined) await this.#try('/v1/refunds', { original_transfer_id: id, amount: '0.50', reason: 'other' });
  }
}
