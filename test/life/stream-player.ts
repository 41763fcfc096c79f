// The part of a random life that streams: each request says at which instant it counted, and the model says what had flowed by then.
import { expect } from 'vitest';
import { Flow } from './flow.js';
import { decimal, minor, type Player } from './player.js';
import type { Purse, World } from './world.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
type Json = any;

/** Requests take so long at most: what happens by itself sooner is left alone. */
const soonMs = 60_000n;

export class StreamPlayer {
  readonly #world: World;
  readonly #player: Player;
  readonly #flows: Flow[] = [];

  constructor(world: World, player: Player) {
    this.#world = world;
    this.#player = player;
  }

  get steps(): (() => Promise<unknown>)[] {
    return [
      () => this.#start(),
      () => this.#withdraw(),
      () => this.#topUp(),
      () => this.#change(),
      () => this.#pauseOrResume(),
      () => this.#cancel(),
    ];
  }

  /** The streams of a payer that was frozen stop at that very instant. */
  async frozen(purse: Purse): Promise<void> {
    for (const flow of this.#flows.filter(({ from, status }) => from === purse && status === 'active')) {
      const { status, checkpoint_at: at } = await this.#player.read(`/v1/streams/${flow.id}`);
      flow.pause(Date.parse(at));
      expect(flow.status, flow.id).toBe(status);
    }
  }

  /** A stream to which nothing happens by itself during the next request, as it is now. */
  async #some(choose: (flow: Flow) => boolean): Promise<Flow | undefined> {
    const now = await this.#player.now();
    for (const flow of this.#flows) flow.until(now);
    return this.#player.pick(this.#flows.filter((flow) => choose(flow) && (flow.status !== 'active' || flow.leftMs > soonMs)));
  }

  /** Takes a deposit out of what is wrapped, then out of what is available. */
  #deposit(purse: Purse, amount: bigint): void {
    const wrapped = purse.wrapped < amount ? purse.wrapped : amount;
    purse.wrapped -= wrapped;
    purse.available -= amount - wrapped;
  }

  #refusal(purse: Purse, amount: bigint): string | undefined {
    if (purse.isFrozen) return 'wallet_frozen';
    return purse.available + purse.wrapped < amount ? 'insufficient_balance' : undefined;
  }

  /** Notes a transfer of a stream, so that it and its events are looked for. */
  #note({ id }: Json, { from, to }: Pick<Flow, 'from' | 'to'>, sent: bigint): void {
    this.#world.add({ id, status: 'completed', kind: 'stream', from, to, sent, fee: 0n, paid: sent });
  }

  async #start(): Promise<void> {
    const from = this.#player.payer();
    const to = this.#player.payee(from);
    const deposit = this.#player.amount(from);
    const perDay = 1n + BigInt(this.#player.among(0, 100_000));
    const body = {
      from_wallet_id: from.id,
      to_wallet_id: to.id,
      currency: 'USD',
      rate: { amount: decimal(perDay), per: 'day' },
      initial_deposit: decimal(deposit),
    };
    const answer = await this.#player.expectAnswer('/v1/streams', body, this.#refusal(from, deposit));
    if (answer.data === undefined) return;
    this.#deposit(from, deposit);
    const flow = new Flow(answer.data.id, from, to, perDay, deposit, Date.parse(answer.data.checkpoint_at));
    this.#flows.push(flow);
    this.#note(answer.transfer, flow, deposit);
  }

  async #withdraw(): Promise<void> {
    const flow = await this.#some(({ status, withdrawable }) => status !== 'cancelled' && withdrawable > 0n);
    if (flow === undefined) return;
    const { data, transfer } = await this.#player.expectAnswer(`/v1/streams/${flow.id}/withdraw`, {});
    flow.until(Date.parse(data.checkpoint_at));
    const amount = flow.withdrawable;
    expect(minor(transfer.amount), flow.id).toBe(amount);
    flow.withdraw(amount);
    this.#note(transfer, flow, amount);
  }

  async #topUp(): Promise<void> {
    const flow = await this.#some(({ status }) => status !== 'cancelled');
    if (flow === undefined) return;
    const amount = this.#player.amount(flow.from);
    const body = { amount: decimal(amount) };
    const answer = await this.#player.expectAnswer(`/v1/streams/${flow.id}/top-up`, body, this.#refusal(flow.from, amount));
    if (answer.data === undefined) return;
    this.#deposit(flow.from, amount);
    flow.topUp(amount, Date.parse(answer.data.checkpoint_at));
    this.#note(answer.transfer, flow, amount);
  }

  async #change(): Promise<void> {
    const flow = await this.#some(({ status }) => status === 'active' || status === 'paused');
    if (flow === undefined) return;
    const perDay = 1n + BigInt(this.#player.among(0, 100_000));
    const { data } = await this.#player.expectAnswer(
      `/v1/streams/${flow.id}`,
      { rate: { amount: decimal(perDay), per: 'day' } },
      undefined,
      'PATCH',
    );
    flow.change(perDay, Date.parse(data.checkpoint_at));
  }

  async #pauseOrResume(): Promise<void> {
    const flow = await this.#some(({ status, from }) => status === 'active' || (status === 'paused' && !from.isFrozen));
    if (flow === undefined) return;
    const verb = flow.status === 'active' ? 'pause' : 'resume';
    const { data } = await this.#player.expectAnswer(`/v1/streams/${flow.id}/${verb}`, {});
    flow[verb](Date.parse(data.checkpoint_at));
  }

  async #cancel(): Promise<void> {
    const flow = await this.#some(({ status }) => status !== 'cancelled');
    if (flow === undefined) return;
    const { data, transfer } = await this.#player.expectAnswer(`/v1/streams/${flow.id}/cancel`, {});
    const paid = flow.cancel(Date.parse(data.checkpoint_at));
    expect(minor(transfer.amount), flow.id).toBe(paid);
    this.#note(transfer, flow, paid);
  }
}
