// Everything that a tenant may do at once, over a client that sends again what is not answered: a random life beside its model, payments
// under keys, tasks, paid APIs, approvals, webhooks and the channel of an agent. In the end it says whether anything was lost or doubled.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { enrol, signIn, type TestAgent } from '../../contexts/agents/identity.js';
import { connect } from '../../contexts/agents/stream.js';
import { type Receiver, subscribe } from '../../contexts/webhooks/receiver.js';
import { transferBody } from '../../factories/payment.js';
import { giveTask, newSides, type Sides, stepTask } from '../../factories/task.js';
import { type Buyer, newBuyer, newEndpoint, payFor } from '../../factories/x402.js';
import { type Json, openWallet } from '../../harness.js';
import { randomOf } from '../../life/caller.js';
import { PatientClient } from '../../life/patience.js';
import { Player } from '../../life/player.js';
import { expectBalances, expectEvents, expectTransfers, newWorld } from '../../life/verdict.js';
import type { World } from '../../life/world.js';

interface Cast {
  world: World;
  buyer: Buyer;
  endpoint: Json;
  sides: Sides;
  /** An agent whose payments over 5.00 have to be approved. */
  ward: TestAgent & { wallet: Json };
  /** Who pays for the listener, and the listener, whose channel shows it. */
  payer: Json;
  listener: TestAgent & { wallet: Json; session: string };
}

/** How long the channel may take to show what was paid. */
const hearMs = 20_000;

export class MovingLife {
  readonly client: PatientClient;
  readonly #player: Player;
  readonly #cast: Cast;
  readonly #receiver: Receiver;
  #isOver = false;
  #isHeard = false;
  #under: Promise<unknown>[] = [];
  /** What was answered under each key. */
  readonly #paid = new Map<string, Json>();
  /** How many of each kind were made. */
  readonly made: Record<string, number> = { steps: 0, tasks: 0, calls: 0, approvals: 0 };
  /** How each stay on the channel ended. */
  readonly stays: string[] = [];
  #overAt = Number.POSITIVE_INFINITY;
  readonly #lines: number[] = [];
  readonly #gaps: Json[] = [];

  private constructor(client: PatientClient, receiver: Receiver, cast: Cast, seed: number) {
    this.client = client;
    this.#receiver = receiver;
    this.#cast = cast;
    const platform = { url: () => client.url, key: client.key, kill: async () => {}, isPatient: true };
    this.#player = new Player(cast.world, platform, randomOf(seed), { jumps: false });
  }

  static async open({ url, key }: { url: string; key: string }, receiver: Receiver, seed: number): Promise<MovingLife> {
    const client = new PatientClient(url, key);
    await subscribe(client, receiver, '/hook');
    const agentWithWallet = async () => {
      const agent = await enrol(client, { wallet: { currency: 'USD' } });
      return { ...agent, wallet: { id: agent.agent.default_wallet_id, currency: 'USD' } };
    };
    const ward = await agentWithWallet();
    await client.make(`/v1/wallets/${ward.wallet.id}/fund`, { amount: '10000.00' });
    const approval = { threshold: '5.00', currency: 'USD' };
    await client.make('/v1/policies', { name: 'Asks', target: { type: 'agent', id: ward.id }, rules: [], approval });
    const listener = await agentWithWallet();
    const cast = {
      ward,
      listener: { ...listener, session: await signIn(client, listener) },
      world: await newWorld({ url, key }),
      buyer: await newBuyer(client, { funded: '10000.00' }),
      endpoint: await newEndpoint(client),
      sides: await newSides(client),
      payer: (await openWallet(client, { funded: '10000.00' })).wallet,
    };
    return new MovingLife(client, receiver, cast, seed);
  }

  get payments(): number {
    return this.#paid.size;
  }

  /** Begins, once the channel shows what comes. */
  async start(): Promise<void> {
    const listening = this.#listen();
    await this.#until(() => this.#isHeard);
    const rounds = [() => this.#step(), () => this.#pay(), () => this.#pay(), () => this.#work(), () => this.#call(), () => this.#ask()];
    this.#under = [...rounds.map((round) => this.#repeat(round)), listening];
    // A failure is told when it is asked for.
    for (const each of this.#under) each.catch(() => {});
  }

  /** Returns when everything that was begun has been answered; fails with what has failed. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#under.slice(0, -1));
    this.#overAt = performance.now();
    await Promise.all(this.#under);
  }

  async #repeat(round: () => Promise<unknown>): Promise<void> {
    while (!this.#isOver) await round();
  }

  async #step(): Promise<void> {
    await this.#player.step();
    this.#count('steps');
  }

  async #pay(): Promise<void> {
    const key = randomUUID();
    this.#paid.set(key, await this.#payUnder(key));
  }

  async #payUnder(key: string): Promise<Json> {
    const { payer, listener } = this.#cast;
    const answer = await this.client.post('/v1/transfers', transferBody(payer, listener.wallet, '0.01'), {
      headers: { 'Idempotency-Key': key },
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body.data;
  }

  /** A task from its offer to its payment. */
  async #work(): Promise<void> {
    const { sides } = this.#cast;
    const task = await giveTask(this.client, sides, { payment: { amount: '0.10', currency: 'USD', method: 'wallet' } });
    const steps = [
      ['respond', sides.worker, { action: 'accept' }],
      ['complete', sides.worker, { deliverable: { text: 'Good day' } }],
      ['approve', sides.sender, {}],
    ] as const;
    for (const [step, side, body] of steps) {
      const answer = await stepTask(this.client, task, step, side, body);
      expect(answer.status, `${step} ${JSON.stringify(answer.body)}`).toBe(200);
    }
    this.#count('tasks');
  }

  async #call(): Promise<void> {
    await payFor(this.client, this.#cast.buyer, this.#cast.endpoint);
    this.#count('calls');
  }

  /** A payment that waits until it is approved. */
  async #ask(): Promise<void> {
    const { ward, payer } = this.#cast;
    const asked = await this.client.post('/v1/transfers', transferBody(ward.wallet, payer, '6.00'), { as: ward.token });
    expect(asked.status, JSON.stringify(asked.body)).toBe(202);
    await this.client.make(`/v1/approvals/${asked.body.approval.id}/approve`, {});
    this.#count('approvals');
  }

  #count(kind: string): void {
    this.made[kind] = (this.made[kind] ?? 0) + 1;
  }

  /** Reads the channel, and comes back wherever it ended, until all payments have come. */
  async #listen(): Promise<void> {
    const { listener } = this.#cast;
    while (!this.#hasHeard()) {
      const last = this.#lines.at(-1);
      const reader = await connect(this.client, listener.id, listener.session, last === undefined ? undefined : String(last)).catch(
        () => undefined,
      );
      if (reader === undefined) await pause(50);
      else {
        void reader.first('connected').then(
          () => (this.#isHeard = true),
          () => {},
        );
        const isDone = () => this.#hasHeard(reader.lines.length);
        const ended = reader.ended.then(() => 'ended');
        const way = await Promise.race([ended, this.#until(isDone)]);
        await reader.leave();
        this.#lines.push(...reader.lines.map(({ id }) => Number(id)));
        this.#gaps.push(...reader.events.filter(({ event }) => event === 'gap'));
        this.stays.push(`${way} after ${reader.lines.length}: ${reader.events.at(0)?.event} to ${reader.events.at(-1)?.event}`);
      }
    }
  }

  /** True when all payments have come, or have been waited for long enough. */
  #hasHeard(more = 0): boolean {
    if (this.#overAt === Number.POSITIVE_INFINITY) return false;
    return this.#lines.length + more >= this.#paid.size || performance.now() > this.#overAt + hearMs;
  }

  async #until(isDone: () => boolean): Promise<string> {
    while (!isDone()) await pause(20);
    return 'left';
  }

  /** Nothing that was acknowledged is lost or doubled, whatever has happened meanwhile. */
  async expectWhole(): Promise<void> {
    const { world } = this.#cast;
    await expectBalances(this.#player, world.purses);
    await expectTransfers(this.#player, world);
    await expectEvents(this.#player, world.payments);
    await this.#expectMoney();
    expect(this.#gaps).toEqual([]);
    expect(this.#lines, this.stays.join('; ')).toEqual(Array.from({ length: this.#paid.size }, (_, n) => n + 1));
    for (const [key, first] of [...this.#paid].filter((_, n) => n % 10 === 0)) expect(await this.#payUnder(key)).toEqual(first);
    await this.#expectDelivered();
    expect((await this.client.get('/v1/audit-log/verify')).body.data).toMatchObject({ valid: true });
  }

  async #expectMoney(): Promise<void> {
    const { listener, sides, endpoint, ward } = this.#cast;
    const { tasks = 0, calls = 0, approvals = 0 } = this.made;
    const balanceOf = async (id: string) => Number((await this.client.get(`/v1/wallets/${id}`)).body.data.balance.available);
    const found = {
      payments: await balanceOf(listener.wallet.id),
      tasks: await balanceOf(sides.worker.wallet.id),
      calls: await balanceOf(endpoint.receiver_wallet_id),
      approvals: 10_000 - (await balanceOf(ward.wallet.id)),
    };
    const cents = (amount: number) => Math.round(amount * 100);
    expect(Object.values(found).map(cents)).toEqual([this.#paid.size, tasks * 10, calls * 10, approvals * 600]);
  }

  /** Each event came, again under its id or once, and nothing else. */
  async #expectDelivered(): Promise<void> {
    const emitted = new Map((await this.#player.list('/v1/events')).map(({ id, type }) => [id, type]));
    const missing = () => {
      const arrived = new Set(this.#receiver.received.map(({ json }) => json.id));
      return [...emitted].filter(([id]) => !arrived.has(id)).map(([id, type]) => `${type} ${id}`);
    };
    await expect.poll(missing, { interval: 100, timeout: 60_000 }).toEqual([]);
    const ids = new Set(emitted.keys());
    expect(this.#receiver.received.filter(({ json }) => !ids.has(json.id)).map(({ json }) => json.type)).toEqual([]);
  }
}
