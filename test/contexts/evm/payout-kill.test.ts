// "Once on a chain" (CONTRACT.md 27): payouts by two workers that are killed at random, through a node that loses one answer in five. The token's
// own logs have each payout once, and ledger, statement and chain agree.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../src/config.js';
import { configuredRail } from '../../../src/contexts/rails/configured-rails.js';
import { examine } from '../../../src/contexts/rails/doctor.js';
import { operatorWorkspace } from '../../../src/contexts/rails/operator.js';
import { switchRail } from '../../../src/contexts/rails/switch.js';
import { fundWallet } from '../../../src/contexts/transfers/funding.js';
import type { Platform } from '../../../src/platform/ctx.js';
import { systemCtx } from '../../../src/platform/due/step.js';
import { createLogger } from '../../../src/platform/log.js';
import { closePlatform, openPlatform } from '../../../src/server.js';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { LyingNode } from '../../chain/lying-node.js';
import { ChainRail, railName } from '../../chain/rail.js';
import { Client, type Json } from '../../harness.js';
import { randomOf } from '../../life/caller.js';
import { type ServerProcess, startServerProcess } from '../../process.js';
import { ServerOnDatabase } from '../../server-database.js';
import { isSlow } from '../../slow.js';

const count = Number(process.env['PAYOUTS'] ?? 200);
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000));
const random = randomOf(seed);
const folder = mkdtempSync(path.join(tmpdir(), 'memory-'));
let node: LyingNode | undefined;

/** Answers may take a while: the platform asks again after the time limit of a node. */
const rail = await ChainRail.prepare({
  anvil: { args: ['--block-time', '1'] },
  through: async (url) => {
    node = await LyingNode.open(url);
    return node.url;
  },
});

const payee = (at: number) => `0x${(0xbead0000 + at).toString(16).padStart(40, '0')}` as const;

describe.runIf(hasAnvil && isSlow)(`payouts by workers that are killed, seed ${seed}${withAnvil}`, () => {
  let server: ServerOnDatabase;
  let second: ServerProcess;
  let platform: Platform;
  let live: Client;
  beforeAll(async () => {
    await rail.start();
    server = await ServerOnDatabase.start({ RAILS_FILE: rail.file, PLATFORM_MEMORY: folder, RATE_LIMIT_GENERAL: '1000000' });
    second = await startServerProcess({ ...server.env, ROLE: 'worker' });
    const { DATABASE_URL: databaseUrl = '', SECRETS_KEY: secretsKey = '' } = server.env;
    platform = await openPlatform({ config: { ...loadConfig(server.env), databaseUrl, secretsKey }, log: createLogger('fatal') });
    live = new Client(server.live.url, server.live.key);
  }, 180_000);
  afterAll(async () => {
    await closePlatform(platform);
    if (second.isRunning) await second.kill('SIGKILL');
    await server.stop();
    await node?.close();
    await rail.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const counted = async (text: string): Promise<number> => Number((await server.db.query(text)).rows[0].count);
  const open = () => counted(`SELECT count(*) FROM payout WHERE status IN ('pending', 'confirmed')`);

  it('pay each payout once', { timeout: 900_000 }, async () => {
    const workspace = await operatorWorkspace(platform);
    const configured = configuredRail({ platform }, railName);
    if (workspace === null || configured === undefined) throw new Error('the rail has no operator');
    await vi.waitUntil(async () => (await examine(platform, configured)).every(({ ok }) => ok), { timeout: 60_000, interval: 1_000 });
    const ctx = systemCtx(platform, workspace, { action: 'test', resourceType: 'rail_switch' });
    await switchRail(ctx, { rail: railName, to: 'on', reason: 'test' });
    if (node !== undefined) node.loses = () => random() < 0.2;

    const account = await live.make('/v1/accounts', { type: 'business', name: 'Ada' });
    const wallet = await live.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USDC' });
    await fundWallet({ ...ctx, workspace: { ...workspace, environment: 'test' } }, { id: wallet.id, amount: '10000.00' });
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
    expect(await counted('SELECT max(nonce) + 1 - count(*) AS count FROM chain_transaction')).toBe(0);
    await server.expectBalanced();
  });
});
