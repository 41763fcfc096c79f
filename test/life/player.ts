// Plays a random life: one request after the other, each with what it must answer and what it must do to the world.
import { expect } from 'vitest';
import { Caller, type Platform } from './caller.js';
import { StreamPlayer } from './stream-player.js';
import type { Payment, Purse, World } from './world.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
type Json = any;

export const decimal = (amount: bigint) => `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;
export const minor = (text: string) => BigInt(text.replace('.', ''));
const minute = 60;
const day = 86_400;

export class Player extends Caller {
  readonly #world: World;
  readonly #streams: StreamPlayer;
  /** Seconds that have passed on the clock. */
  #passed = 0;
  /** Kills that are still to come. */
  kills: number;

  /** Whether it moves the clock. */
  readonly #jumps: boolean;

  constructor(world: World, platform: Platform, random: () => number, { kills = 0, jumps = true } = {}) {
    super(platform, random);
    this.#world = world;
    this.kills = kills;
    this.#jumps = jumps;
    this.#streams = new StreamPlayer(world, this);
  }

  /** The next request of the life. */
  async step(): Promise<void> {
    const steps: (() => Promise<unknown>)[] = [
      () => this.#transfer(),
      () => this.#transfer({ capture: 'manual', hold_expires_in: minute * this.among(10, 10_000) }),
      () => this.#schedule(),
      () => this.#abroad(),
      () => this.#capture(),
      () => this.#cancel(),
      () => this.#refund(),
      () => this.#dispute(),
      () => this.#wrap(),
      () => this.#freeze(),
      () => this.#batch(),
      ...this.#streams.steps,
      ...(this.#jumps ? [() => this.#jump()] : []),
    ];
    await (this.pick(steps) as () => Promise<unknown>)();
  }

  /** Often small, sometimes more than there is. */
  amount(purse: Purse): bigint {
    const most = this.random() < 0.9 ? purse.available / 3n + 100n : purse.available + 100n;
    return 1n + (BigInt(Math.floor(this.random() * 1e9)) * most) / 1_000_000_000n;
  }

  protected override isKilling(): boolean {
    if (this.kills === 0 || this.random() >= 0.03) return false;
    this.kills -= 1;
    return true;
  }

  /** Sends what must succeed, or be refused with `code`. Returns the whole answer. */
  async expectAnswer(path: string, body: object, code?: string, method?: string): Promise<Json> {
    const answer = await this.send(path, body, method);
    expect(answer.body.code, `${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`).toBe(code);
    return answer.body;
  }

  async #expect(path: string, body: object, code?: string): Promise<Json> {
    return (await this.expectAnswer(path, body, code)).data;
  }

  payer(): Purse {
    return this.pick(this.#world.purses.filter(({ currency }) => currency === 'USD')) as Purse;
  }

  payee(from: Purse, currency = from.currency): Purse {
    return this.pick(this.#world.purses.filter((purse) => purse !== from && purse.currency === currency)) as Purse;
  }

  #some(choose: (payment: Payment) => boolean): Payment | undefined {
    return this.pick([...this.#world.payments.values()].filter(choose));
  }

  /** Why a payer cannot spend so much, if it cannot. */
  #refusal(from: Purse, amount: bigint): string | undefined {
    if (from.isFrozen) return 'wallet_frozen';
    return from.available < amount ? 'insufficient_balance' : undefined;
  }

  async #transfer(extra: { capture?: string; hold_expires_in?: number } = {}): Promise<void> {
    const from = this.payer();
    const to = this.payee(from);
    const sent = this.amount(from);
    const body = { type: 'internal', from_wallet_id: from.id, to_wallet_id: to.id, amount: decimal(sent), currency: 'USD', ...extra };
    const data = await this.#expect('/v1/transfers', body, this.#refusal(from, sent));
    if (data === undefined) return;
    const isHeld = extra.capture === 'manual';
    const dueAt = isHeld ? { dueAt: Date.parse(data.hold.expires_at) } : {};
    const status = isHeld ? 'pending' : 'completed';
    const payment = this.#world.add({ id: data.id, status, kind: isHeld ? 'held' : 'paid', from, to, sent, fee: 0n, paid: sent, ...dueAt });
    if (isHeld) this.#world.hold(payment);
    else this.#world.pay(payment);
  }

  async #schedule(): Promise<void> {
    const from = this.payer();
    const to = this.payee(from);
    const sent = this.amount(from);
    const dueAt = (await this.now()) + minute * 1000 * this.among(10, 10_000);
    const when = { scheduled_for: new Date(dueAt).toISOString() };
    const body = { type: 'internal', from_wallet_id: from.id, to_wallet_id: to.id, amount: decimal(sent), currency: 'USD', ...when };
    const { id } = await this.#expect('/v1/transfers', body);
    this.#world.add({ id, status: 'pending', kind: 'scheduled', from, to, sent, fee: 0n, paid: sent, dueAt });
  }

  async #abroad(): Promise<void> {
    const from = this.payer();
    const to = this.payee(from, 'EUR');
    const amount = this.amount(from) + 10n;
    const ask = { from_currency: 'USD', to_currency: 'EUR', amount: decimal(amount), amount_side: 'send' };
    const quote = await this.#expect('/v1/quotes', ask);
    const fee = (amount * 5n + 999n) / 1000n;
    const paid = (amount - fee) / 2n;
    expect([minor(quote.fee.amount), minor(quote.receive_amount)]).toEqual([fee, paid]);
    const body = { type: 'cross_border', from_wallet_id: from.id, to_wallet_id: to.id, quote_id: quote.id };
    const data = await this.#expect('/v1/transfers', body, this.#refusal(from, amount));
    if (data === undefined) return;
    this.#world.pay(this.#world.add({ id: data.id, status: 'completed', kind: 'paid', from, to, sent: amount, fee, paid }));
  }

  /** Several payments at once: each by itself and all small enough, or all or nothing. */
  async #batch(): Promise<void> {
    const from = this.payer();
    const count = this.among(1, 12);
    const isAtomic = this.random() < 0.5;
    const most = from.available / BigInt(count);
    const each = isAtomic && this.random() < 0.4 ? most + 1n : most;
    if (each === 0n || from.isFrozen) return;
    const payees = Array.from({ length: count }, () => this.payee(from));
    const transfers = payees.map((to) => ({
      type: 'internal',
      from_wallet_id: from.id,
      to_wallet_id: to.id,
      amount: decimal(each),
      currency: 'USD',
    }));
    const { id } = await this.#expect('/v1/transfers/batch', { transfers, mode: isAtomic ? 'atomic' : 'independent' });
    const status = each > most ? 'failed' : 'completed';
    await expect.poll(async () => (await this.read(`/v1/batches/${id}`)).status, { interval: 20, timeout: 60_000 }).toBe(status);
    if (status === 'failed') return;
    const items: Json[] = await this.read(`/v1/batches/${id}/items`);
    for (const { index, transfer_id: transferId } of items) {
      const to = payees[index] as Purse;
      this.#world.pay(this.#world.add({ id: transferId, status: 'completed', kind: 'paid', from, to, sent: each, fee: 0n, paid: each }));
    }
    expect(items).toHaveLength(count);
  }

  async #capture(): Promise<void> {
    const payment = this.#some(({ status, kind }) => status === 'pending' && kind === 'held');
    if (payment === undefined) return;
    const captured = this.random() < 0.5 ? payment.sent : 1n + (payment.sent * BigInt(this.among(0, 999))) / 1_000n;
    const amount = captured > payment.sent ? payment.sent : captured;
    const refusal = payment.from.isFrozen ? 'wallet_frozen' : undefined;
    await this.#expect(`/v1/transfers/${payment.id}/capture`, { amount: decimal(amount) }, refusal);
    if (refusal === undefined) this.#world.capture(payment, amount);
  }

  async #cancel(): Promise<void> {
    const payment = this.#some(({ status }) => status === 'pending');
    if (payment === undefined) return;
    await this.#expect(`/v1/transfers/${payment.id}/cancel`, {});
    if (payment.kind === 'held') this.#world.release(payment);
    else payment.status = 'cancelled';
  }

  /** Why a refund of so much is refused, if it is. */
  #refundRefusal(payment: Payment, amount: bigint): string | undefined {
    if (amount > this.#world.restOf(payment)) return 'refund_exceeds_original';
    return this.#refusal(payment.to, this.#world.shareOf(payment, amount));
  }

  async #refund(): Promise<void> {
    const payment = this.#some(({ status, kind }) => status === 'completed' && kind !== 'refund' && kind !== 'inside' && kind !== 'stream');
    if (payment === undefined) return;
    const amount = 1n + (this.#world.restOf(payment) * BigInt(this.among(0, 1_100))) / 1_000n;
    const refusal = this.#refundRefusal(payment, amount);
    const body = { original_transfer_id: payment.id, amount: decimal(amount), reason: 'other' };
    await this.#expect('/v1/refunds', body, refusal);
    if (refusal === undefined) this.#world.refund(payment, amount);
  }

  async #dispute(): Promise<void> {
    const payment = this.#some((one) => one.status === 'completed' && !one.isDisputed && this.#world.restOf(one) > 0n);
    if (payment === undefined || payment.kind === 'inside' || payment.kind === 'stream') return;
    const rest = this.#world.restOf(payment);
    const filed = await this.send('/v1/disputes', { transfer_id: payment.id, reason: 'other', description: 'It was not right.' });
    payment.isDisputed = true;
    expect(filed.status, JSON.stringify(filed.body)).toBe(201);
    const refusal = this.#refundRefusal(payment, rest);
    await this.#expect(`/v1/disputes/${filed.body.data.id}/resolve`, { resolution: 'refund_full' }, refusal);
    if (refusal === undefined) this.#world.refund(payment, rest);
  }

  async #wrap(): Promise<void> {
    const purse = this.payer();
    const way = this.random() < 0.5 ? 'wrap' : 'unwrap';
    const amount = this.amount(purse);
    const has = way === 'wrap' ? purse.available : purse.wrapped;
    const refusal = purse.isFrozen ? 'wallet_frozen' : has < amount ? 'insufficient_balance' : undefined;
    const data = await this.#expect(`/v1/wallets/${purse.id}/${way}`, { amount: decimal(amount) }, refusal);
    if (data === undefined) return;
    const wrapped = way === 'wrap' ? amount : -amount;
    purse.available -= wrapped;
    purse.wrapped += wrapped;
    this.#world.add({ id: data.id, status: 'completed', kind: 'inside', from: purse, to: purse, sent: amount, fee: 0n, paid: amount });
  }

  async #freeze(): Promise<void> {
    const purse = this.payer();
    if (!purse.isFrozen && this.random() < 0.5) return;
    await this.#expect(`/v1/wallets/${purse.id}/${purse.isFrozen ? 'unfreeze' : 'freeze'}`, {});
    purse.isFrozen = !purse.isFrozen;
    if (purse.isFrozen) await this.#streams.frozen(purse);
  }

  /**
   * Lets time pass, and a little more while something would become due during the next requests. Events are kept for 30 days: a life
   * is shorter.
   */
  async #jump(): Promise<void> {
    let seconds = minute * this.among(1, 3_000);
    if (this.#passed + seconds > 28 * day) return;
    this.#passed += seconds;
    do {
      await this.advance(seconds);
      seconds = 10 * minute;
      this.#world.arrive(await this.now());
    } while (this.#world.isSoon(await this.now(), 5 * minute * 1000));
  }
}
