// "Once on a chain" (CONTRACT.md 27): payouts by two workers that are killed at random, through a node that loses one answer in five. The token's
// own logs have each payout once, and ledger, statement and chain agree.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { LyingNode } from '../../chain/lying-node.js';
import { ChainRail, railName } from '../../chain/rail.js';
import { RailServer } from '../../chain/rail-server.js';
import type { Json } from '../../harness.js';
import { randomOf } from '../../life/caller.js';
import { type ServerProcess, startServerProcess } from '../../process.js';
import { isSlow } from '../../slow.js';

const count = Number(process.env['PAYOUTS'] ?? 200);
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000));
const random = randomOf(seed);
let node: LyingNode | undefined;

const rail = await ChainRail.prepare({
  anvil: { args: ['--block-time', '1'] },
  through: async (url) => {
    node = await LyingNode.open(url);
    return node.url;
  },
});

const payee = (at: number) => `0x${(0xbead0000 + at).toString(16).padStart(40, '0')}` as const;

describe.runIf(hasAnvil && isSlow)(`payouts by workers that are killed, seed ${seed}${withAnvil}`, () => {
  let running: RailServer;
  let second: ServerProcess;
  beforeAll(async () => {
    running = await RailServer.start(rail);
    second = await startServerProcess({ ...running.server.env, ROLE: 'worker' });
  }, 180_000);
  afterAll(async () => {
    if (second.isRunning) await second.kill('SIGKILL');
    await running.stop();
    await node?.close();
    await rail.stop();
  });

  it('pay each payout once', { timeout: 900_000 }, async () => {
    const { live, server } = running;
    const open = () => running.counted(`SELECT count(*) FROM payout WHERE status IN ('pending', 'confirmed')`);
    await running.switchOn();
    const wallet = await running.fundedWallet('10000.00');
    if (node !== undefined) node.loses = () => random() < 0.2;

    const asked: Promise<Json>[] = [];
    for (let at = 0; at < count; at += 1) {
      const destination = { type: 'wallet', ref: payee(at) };
      asked.push(live.make('/v1/payouts', { wallet_id: wallet.id, amount: '1.25', currency: 'USDC', rail: railName, destination }));
    }
    await Promise.all(asked);

    for (let kills = 0; kills < 12 && (await open()) > 0; kills += 1) {
      await pause(500 + random() * 6_000);
      if (random() < 0.5) {
        await second.kill('SIGKILL');
        second = await startServerProcess({ ...server.env, ROLE: 'worker' });
      } else await server.kill();
    }
    await vi.waitUntil(async () => (await open()) === 0, { timeout: 600_000, interval: 1_000 });

    const ended = await server.db.query('SELECT status, count(*)::int AS count FROM payout GROUP BY status');
    expect(ended.rows).toEqual([{ status: 'complete', count }]);
    const paid = await Promise.all(Array.from({ length: count }, (_, at) => rail.anvil.moneyOf(payee(at))));
    expect(paid.filter((value) => value !== 1_250_000n)).toEqual([]);
    const { rows } = await server.db.query(
      `SELECT sum(amount)::text AS sum, count(*)::int AS count FROM rail_statement WHERE rail = '${railName}'`,
    );
    expect(rows).toEqual([{ sum: String(1_250_000 * count), count }]);
    // Nonces have no hole.
    expect(await running.counted('SELECT max(nonce) + 1 - count(*) AS count FROM chain_transaction')).toBe(0);
    await server.expectBalanced();
  });
});
