// Random lives of a workspace, over a real process that is killed now and then, beside a model in integer minor units: in the end every
// balance and transfer is what the model says, the ledger is right, each event was emitted once, in a legal order, and every payment has a pack that is whole. SLOW=1 plays
// twenty lives of 500 requests.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { randomOf } from './life/caller.js';
import { Player } from './life/player.js';
import { expectBalances, expectEvents, expectPacks, expectTransfers, newWorld } from './life/verdict.js';
import { ServerOnDatabase } from './server-database.js';
import { isSlow } from './slow.js';

const [lives, requests, kills] = isSlow ? [20, 500, 4] : [1, 50, 1];
vi.setConfig({ testTimeout: isSlow ? 600_000 : 120_000, hookTimeout: 60_000 });

let server: ServerOnDatabase;

beforeAll(async () => {
  server = await ServerOnDatabase.start({ RATE_LIMIT_GENERAL: '1000000' });
});
afterAll(() => server?.stop());

describe('a random life', () => {
  for (let seed = 1; seed <= lives; seed += 1) {
    it(`of ${requests} requests, seed ${seed}`, async () => {
      // A tenant of its own for each life: its clock is its own too.
      const { key } = await server.newTenant();
      const sandbox = () => ({ url: server.sandbox.url, key });
      const world = await newWorld(sandbox());
      const player = new Player(world, { key, url: () => server.sandbox.url, kill: () => server.kill() }, randomOf(seed), { kills });
      for (let n = 0; n < requests; n += 1) await player.step();
      await expectBalances(player, world.purses);
      await expectTransfers(player, world);
      await expectEvents(player, world.payments);
      await expectPacks(player, { sandbox: sandbox() });
      expect(player.kills, 'kills that never came').toBeLessThan(kills);
      await server.expectBalanced();
    });
  }
});
