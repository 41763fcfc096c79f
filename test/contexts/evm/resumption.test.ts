// A chain that takes back blocks by which money was booked: the rail goes off and stays off, and a person lets the watch go on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { ChainRail, fundedLiveWallet, railName } from '../../chain/rail.js';
import { runHere } from '../../command.js';
import { type Json, useHarness } from '../../harness.js';

const rail = await ChainRail.prepare({ anvil: { args: ['--no-mining'] } });
const payee = `0x${'e'.repeat(39)}1` as const;

describe.runIf(hasAnvil)(`a deep reorg${withAnvil}`, () => {
  beforeAll(() => rail.start());
  const harness = useHarness({ env: { RAILS_FILE: rail.file } });
  afterAll(() => rail.stop());
  let wallet: Json;
  beforeAll(async () => {
    wallet = await fundedLiveWallet(harness, '1000.00');
    await rail.switchOn(harness);
  });

  const mine = (count?: number) => rail.mine(harness, count);
  const standing = () => rail.standing(harness);
  const run = (...args: string[]) => {
    const { databaseUrl, secretsKey, memoryDir } = harness.platform.config;
    const env = { DATABASE_URL: databaseUrl ?? '', SECRETS_KEY: secretsKey ?? '', PLATFORM_MEMORY: memoryDir, LOG_LEVEL: 'silent' };
    return runHere(['rails', ...args], { ...env, RAILS_FILE: rail.namedFile(harness) });
  };
  const lastRead = async () => {
    const { rows } = await harness.platform.database.pool.query('SELECT max(number)::int AS number FROM chain_block');
    return rows[0].number as number;
  };
  let id: string;

  it('switches the rail off, and books nothing more', async () => {
    const destination = { type: 'wallet', ref: payee };
    const payout = await harness.live.make('/v1/payouts', {
      wallet_id: wallet.id,
      amount: '5.00',
      currency: 'USDC',
      rail: railName,
      destination,
    });
    id = payout.id;
    await rail.round(harness);
    await mine();
    await mine(3);
    expect((await harness.live.get(`/v1/payouts/${id}`)).body.data.status).toBe('complete');
    const before = await lastRead();
    await rail.anvil.ask('anvil_reorg', 6, []);
    await mine();
    expect(await standing()).toEqual(['off', 'deep_reorg']);
    await mine(4);
    expect(await standing()).toEqual(['off', 'deep_reorg']);
    expect(await lastRead()).toBeLessThanOrEqual(before);
  });

  it('is not forgotten by switching the rail on', async () => {
    expect((await run('on', railName, '--force')).code).toBe(0);
    await mine();
    expect(await standing()).toEqual(['off', 'deep_reorg']);
  });

  it('wants a person who has looked, and a rail that is off', async () => {
    expect(await run('resume-reading', railName)).toMatchObject({ code: 1, stderr: expect.stringMatching(/DeepReorg\.md.*--yes/) });
    expect(await run('resume-reading', railName, '--yes', '--from', 'x')).toMatchObject({ code: 1 });
    expect(await run('resume-reading', railName, '--yes', '--from', '99999999')).toMatchObject({ code: 1 });
    expect(await standing()).toEqual(['off', 'deep_reorg']);
  });

  it('reads on from the last block that is in the chain, and names what was booked above it', async () => {
    const resumed = await run('resume-reading', railName, '--yes');
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('It stays off.') });
    expect(resumed.stdout).toContain(`order ${id.slice(3)}`);
    await mine(4);
    expect(await standing()).toEqual(['off', 'deep_reorg']);
    const { number } = await rail.anvil.ask('eth_getBlockByNumber', 'latest', false);
    expect(await lastRead()).toBe(Number(number));
    expect(await run('resume-reading', railName, '--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining('read on by itself') });
  });

  it('leaves a payment that was booked and is not in the chain to the proof', async () => {
    expect(await rail.anvil.moneyOf(payee)).toBe(0n);
    const proven = await run('prove', railName, '--json');
    expect([proven.code, JSON.parse(proven.stdout).difference]).toEqual([1, '5.00']);
  });

  it('carries it again when the rail is on, once, and pays what is new', async () => {
    expect((await run('on', railName, '--force', '--reason', 'looked at')).code).toBe(0);
    const destination = { type: 'wallet', ref: `0x${'e'.repeat(39)}2` };
    const payout = await harness.live.make('/v1/payouts', {
      wallet_id: wallet.id,
      amount: '1.00',
      currency: 'USDC',
      rail: railName,
      destination,
    });
    for (let step = 0; step < 4; step += 1) {
      harness.clock.advance(20);
      for (const chain of rail.chains(harness)) await rail.tend(harness, chain);
      await mine();
    }
    await mine(4);
    expect((await harness.live.get(`/v1/payouts/${payout.id}`)).body.data.status).toBe('complete');
    expect(await rail.anvil.moneyOf(payee)).toBe(5_000_000n);
    expect((await run('prove', railName)).code).toBe(0);
  });

  it('begins at a block that is named where none that was kept is in the chain', async () => {
    await run('off', railName);
    await mine(4);
    await harness.platform.database.pool.query(`UPDATE chain_block SET hash = '0x' || repeat('0', 64)`);
    await rail.round(harness);
    expect(await run('resume-reading', railName, '--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining('--from') });
    const from = (await lastRead()) - 6;
    expect((await run('resume-reading', railName, '--yes', '--from', String(from), '--json')).stdout).toContain(`"block":${from}`);
    await mine();
    const { number } = await rail.anvil.ask('eth_getBlockByNumber', 'latest', false);
    expect(await lastRead()).toBe(Number(number));
  });
});
