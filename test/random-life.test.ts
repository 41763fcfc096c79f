// Random lives of a workspace, over a real process that is killed now and then, beside a model in integer minor units: in the end every
// balance and transfer is what the model says, the ledger is right, and each event was emitted once, in a legal order. SLOW=1 plays
// twenty lives of 500 requests.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { randomOf } from './life/caller.js';
import { Player } from './life/player.js';
import { type Payment, type Purse, World } from './life/world.js';
import { ask, make, type Server } from './load.js';
import { ServerOnDatabase } from './server-database.js';
import { isSlow } from './slow.js';

const [lives, requests, kills] = isSlow ? [20, 500, 4] : [1, 50, 1];
vi.setConfig({ testTimeout: isSlow ? 600_000 : 120_000, hookTimeout: 60_000 });

let server: ServerOnDatabase;

beforeAll(async () => {
  server = await ServerOnDatabase.start({ RATE_LIMIT_GENERAL: '1000000' });
});
afterAll(() => server?.stop());

async function newWorld(sandbox: Server): Promise<World> {
  const world = new World();
  await ask(sandbox, 'PUT', '/v1/rates', { rates: [{ from: 'USD', to: 'EUR', rate: '0.5' }] });
  for (const [currency, funded] of [
    ['USD', 100_000n],
    ['USD', 100_000n],
    ['USD', 0n],
    ['EUR', 0n],
    ['EUR', 0n],
  ] as const) {
    const account = await make(sandbox, '/v1/accounts', { type: 'business', name: 'Somebody' });
    const { id } = await make(sandbox, '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency });
    if (funded > 0n) await make(sandbox, `/v1/wallets/${id}/fund`, { amount: `${funded / 100n}` });
    world.purses.push({ id, currency, available: funded, held: 0n, wrapped: 0n, isFrozen: false });
  }
  return world;
}

const minor = (text: string) => BigInt(text.replace('.', ''));

async function expectBalances(sandbox: Server, purses: readonly Purse[]): Promise<void> {
  for (const { id, available, held, wrapped } of purses) {
    const { balance } = (await ask(sandbox, 'GET', `/v1/wallets/${id}`)).body.data;
    expect([minor(balance.available), minor(balance.held), minor(balance.wrapped)], id).toEqual([available, held, wrapped]);
  }
}

async function expectTransfers(player: Player, payments: ReadonlyMap<string, Payment>): Promise<void> {
  const found = new Map((await player.list('/v1/transfers')).map((transfer) => [transfer.id, transfer]));
  for (const { id, status, sent, refunded } of payments.values()) {
    const transfer = found.get(id);
    expect([transfer.status, minor(transfer.amount), minor(transfer.refunded_amount)], id).toEqual([status, sent, refunded]);
  }
  // What the model did not make are the two fundings and the refunds.
  const others = [...found.keys()].filter((id) => !payments.has(id));
  const refunds = [...payments.values()].reduce((sum, payment) => sum + payment.refunds, 0);
  expect(others).toHaveLength(2 + refunds);
}

/** Each event once, and in an order in which it can have happened. */
async function expectEvents(player: Player, payments: ReadonlyMap<string, Payment>): Promise<void> {
  const told = new Map<string, string[]>();
  for (const { type, data } of (await player.list('/v1/events')).reverse()) {
    const id = String(data.transfer_id ?? '').slice('tx_'.length);
    told.set(id, [...(told.get(id) ?? []), type]);
  }
  const ending = { completed: ['transfer.completed'], failed: ['transfer.failed'], pending: [], cancelled: [] };
  for (const { id, status, refunds } of payments.values()) {
    const refunded = Array.from({ length: refunds }, () => 'transfer.refunded');
    expect(told.get(id), id).toEqual(['transfer.created', ...ending[status], ...refunded]);
  }
}

describe('a random life', () => {
  for (let seed = 1; seed <= lives; seed += 1) {
    it(`of ${requests} requests, seed ${seed}`, async () => {
      // A tenant of its own for each life: its clock is its own too.
      const { key } = await server.newTenant();
      const sandbox = () => ({ url: server.sandbox.url, key });
      const world = await newWorld(sandbox());
      const player = new Player(world, { key, url: () => server.sandbox.url, kill: () => server.kill() }, randomOf(seed), kills);
      for (let n = 0; n < requests; n += 1) await player.step();
      await expectBalances(sandbox(), world.purses);
      await expectTransfers(player, world.payments);
      await expectEvents(player, world.payments);
      expect(player.kills, 'kills that never came').toBeLessThan(kills);
      await server.expectBalanced();
    });
  }
});
