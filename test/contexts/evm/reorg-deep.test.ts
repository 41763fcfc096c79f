// Reorganizations that reach below the block by which money is booked, which is 5 deep here: the rail goes off, nothing more is credited or paid,
// and when a person has let it go on what was paid is in the chain once. Those that do not reach it are in reorg.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { ChainMoney } from '../../chain/money.js';
import { ChainRail, railName } from '../../chain/rail.js';
import { type Contents, Reorganizer } from '../../chain/reorganizer.js';
import { runHere } from '../../command.js';
import { type Json, useHarness } from '../../harness.js';
import { randomOf } from '../../life/caller.js';
import { isSlow } from '../../slow.js';

const credit = 5;
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000));
const random = randomOf(seed);
const rail = await ChainRail.prepare({ deposits: true, credit, anvil: { args: ['--no-mining'] } });

/** The block that is deep is `credit` - 1 below the head: it is taken back by so many and more. */
const depths = isSlow ? Array.from({ length: 20 - credit + 1 }, (_, at) => credit + at) : [credit, 20];
const contents: readonly Contents[] = ['the same', 'another', 'nothing'];
const cases = depths.map((depth, at): [depth: number, contents: Contents] => [depth, contents[(at + seed) % 3] as Contents]);

describe.runIf(hasAnvil)(`reorganizations of deep blocks, seed ${seed}${withAnvil}`, () => {
  beforeAll(async () => {
    await rail.start();
    await rail.anvil.mine(40);
  });
  const harness = useHarness({ env: { RAILS_FILE: rail.file } });
  afterAll(() => rail.stop());
  let money: ChainMoney;
  let reorganizer: Reorganizer;
  beforeAll(async () => {
    money = await ChainMoney.begin(rail, harness, credit);
    money.isChecked = false;
    reorganizer = new Reorganizer(rail, random);
  });

  const run = (...args: string[]) => {
    const { databaseUrl, secretsKey, memoryDir } = harness.platform.config;
    const env = { DATABASE_URL: databaseUrl ?? '', SECRETS_KEY: secretsKey ?? '', PLATFORM_MEMORY: memoryDir, LOG_LEVEL: 'silent' };
    return runHere(['rails', ...args], { ...env, RAILS_FILE: rail.namedFile(harness) });
  };
  const read = async (path: string): Promise<Json> => (await harness.live.get(path)).body.data;
  const statusOf = async ({ id }: { id: string }) => (await read(`/v1/payouts/${id}`)).status;
  const balanceOf = async ({ id }: Json) => (await read(`/v1/wallets/${id}`)).balance;
  const difference = async () => (await read(`/v1/rails/${railName}/proof`))?.difference;
  /** Rounds over the chain as it is: what was booked by it is in it no more. */
  const rounds = async (count: number) => {
    for (let at = 0; at < count; at += 1) await rail.mine(harness);
  };
  const lines = () => harness.platform.database.unscoped.railStatement.count();

  it.each(cases)(
    'of %i blocks switch the rail off, with %s in the new ones, and what was paid is paid once',
    { timeout: 60_000 },
    async (depth, contains) => {
      const before = await difference();
      const paid = await money.payOut();
      const form = await money.untilSigned(async () => {});
      const deposit = await money.deposit(3_000_000n);
      await money.mine(depth);
      expect([await statusOf(paid), (await balanceOf(deposit.wallet)).available]).toEqual(['complete', '3.00']);
      const booked = await lines();
      // One thing is put into the new blocks at most; the other one is dropped.
      await reorganizer.reorganize(depth, contains === 'another' ? deposit.txHash : form['hash'], contains);
      await rounds(credit + 2);
      expect(await rail.standing(harness)).toEqual(['off', 'deep_reorg']);
      expect([await lines(), (await balanceOf(deposit.wallet)).available]).toEqual([booked, '3.00']);
      expect(await money.timesPaid(paid.payee)).toBe(contains === 'the same' ? 1 : 0);

      expect(await run('resume-reading', railName, '--yes')).toMatchObject({ code: 0 });
      await rounds(2);
      expect(await rail.standing(harness)).toEqual(['off', 'deep_reorg']);
      expect((await run('on', railName, '--force', '--reason', 'test')).code).toBe(0);
      harness.platform.cache.clear();
      await rail.anvil.ask('evm_increaseTime', 20);
      await rounds(2 * credit + 4);
      expect([await rail.anvil.moneyOf(paid.payee), await money.timesPaid(paid.payee)]).toEqual([paid.value, 1]);
      expect([await statusOf(paid), await rail.standing(harness)]).toEqual(['complete', ['on', 'test (by force)']]);
      // What was credited stays so, though it is in the chain no more: the proof says how much. What has come in its place is a deposit of its own.
      const replaced = contains === 'another' ? ['7.00', 4_000_000n] : ['3.00', 0n];
      expect([(await balanceOf(deposit.wallet)).available, await rail.anvil.moneyOf(deposit.address)]).toEqual(replaced);
      await money.pass(61);
      expect(Number(await difference())).toBe(Number(before) - 3);
    },
  );
});
