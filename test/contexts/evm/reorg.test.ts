// Reorganizations of 1 to 20 blocks at every step of payouts, deposits, x402 payments and sweeps, with the same and with other transactions in the
// new blocks. At every instant nobody has what is not deep in the chain of that moment; at the end each thing was carried once, or given up with
// nothing posted. Money is booked 21 blocks deep here, so that the deepest of them takes the last block before that one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainAddress } from '../../../src/contexts/x402/chain/address.js';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { artifact } from '../../chain/compile.js';
import { ChainMoney } from '../../chain/money.js';
import { ChainRail } from '../../chain/rail.js';
import { type Contents, Reorganizer } from '../../chain/reorganizer.js';
import { useHarness } from '../../harness.js';
import { randomOf } from '../../life/caller.js';
import { isSlow } from '../../slow.js';

const credit = 21;
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000));
const random = randomOf(seed);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

const rail = await ChainRail.prepare({ deposits: true, credit, anvil: { args: ['--no-mining'] } });

/** Where a thing stands when blocks are taken back. Its own block is among them but where `depth` is less than it lies deep. */
const steps = [
  'a payout that is sent',
  'a payout in a block',
  'a payout that is almost deep',
  'a deposit that is seen',
  'a deposit that is almost deep',
  'a call that is settled',
  'a call that is almost deep',
  'a sweep in a block',
] as const;
type StepName = (typeof steps)[number];

const depths = Array.from({ length: 20 }, (_, at) => at + 1);
type Case = readonly [step: StepName, depth: number, contents: Contents];
const contents: readonly Contents[] = ['the same', 'another', 'nothing'];
/** Each depth at each step; by default every step once, and the greatest depth at what is almost deep. */
const cases: readonly Case[] = isSlow
  ? steps.flatMap((step) => depths.map((depth): Case => [step, depth, pick(contents)]))
  : [
      ...steps.map((step): Case => [step, pick(depths), pick(contents)]),
      ...steps.filter((step) => step.endsWith('almost deep')).map((step): Case => [step, 20, pick(contents)]),
    ];

describe.runIf(hasAnvil)(`reorganizations, seed ${seed}${withAnvil}`, () => {
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
    reorganizer = new Reorganizer(rail, random);
  });

  const read = async (path: string) => (await harness.live.get(path)).body.data;
  const balanceOf = async ({ id }: { id: string }) => (await read(`/v1/wallets/${id}`)).balance;
  const fundings = (walletId: string) => read(`/v1/funding/transactions?wallet_id=${walletId}`);
  /** As deep as a thing lies when so many blocks are taken back at a step. */
  const confirmationsAt = (step: StepName, depth: number) => (step.endsWith('almost deep') ? credit - 1 : depth);

  async function payOut(step: StepName, depth: number, contains: Contents) {
    const payout = await money.payOut();
    const statusOf = async () => (await read(`/v1/payouts/${payout.id}`)).status;
    const form = await money.untilSigned(async () => {});
    if (step !== 'a payout that is sent') {
      await money.mine();
      expect(await statusOf()).toBe('confirmed');
      await money.mine(confirmationsAt(step, depth) - 1);
    }
    await reorganizer.reorganize(depth, form['hash'], contains);
    await money.round();
    expect(['pending', 'confirmed']).toContain(await statusOf());
    await money.passUntil(async () => (await statusOf()) === 'complete');
    await money.mine(2);
    expect([await rail.anvil.moneyOf(payout.payee), await money.timesPaid(payout.payee)]).toEqual([payout.value, 1]);
  }

  async function deposit(step: StepName, depth: number, contains: Contents) {
    const { wallet, txHash, value } = await money.deposit(3_000_000n);
    await money.mine();
    await money.mine(confirmationsAt(step, depth) - 1);
    expect(await balanceOf(wallet)).toMatchObject({ available: '0.00', pending_in: '3.00' });
    const isGone = await reorganizer.reorganize(depth, txHash, contains);
    await money.round();
    expect((await balanceOf(wallet)).available).toBe('0.00');
    const isOver = async () => (await fundings(wallet.id)).every(({ status }: { status: string }) => status !== 'pending');
    await money.passUntil(isOver);
    await money.mine(2);
    const statuses = (await fundings(wallet.id)).map(({ status, error_code: code }: Record<string, string>) => code ?? status).sort();
    // Another transaction of the same nonce takes its place, with another amount.
    const other = isGone && contains === 'another';
    const lost = isGone && contains !== 'the same';
    expect(statuses).toEqual([...(lost && !other ? [] : ['completed']), ...(lost ? ['reorged'] : [])]);
    const credited = other ? '4.00' : lost ? '0.00' : '3.00';
    expect([await balanceOf(wallet), value]).toMatchObject([{ available: credited, pending_in: '0.00' }, 3_000_000n]);
  }

  async function call(step: StepName, depth: number, contains: Contents) {
    const { payer, answer, form } = await money.sentCall();
    await money.mine();
    const { status, body } = await answer;
    expect([status, body.paid]).toEqual([200, true]);
    const stands = () => read(`/v1/x402/payments/${body.payment_id}`);
    await money.mine(confirmationsAt(step, depth) - 1);
    expect((await stands()).credited_at).toBeUndefined();
    const isGone = await reorganizer.reorganize(depth, form['hash'], contains);
    // The payer has spent it meanwhile, and signs nothing again.
    const isBroke = isGone && contains === 'nothing' && random() < 0.5;
    if (isBroke) await rail.anvil.setMoney(payer.address.toLowerCase() as ChainAddress, 0n);
    await money.round();
    expect(await stands()).toMatchObject({ status: 'settled' });
    if (isBroke) await rail.anvil.ask('evm_increaseTime', 400);
    const isOver = async () => {
      const { credited_at: creditedAt, status: now } = await stands();
      return creditedAt !== undefined || now === 'failed';
    };
    await money.passUntil(isOver);
    await money.mine(2);
    const after = await stands();
    if (isBroke) expect(after).toMatchObject({ status: 'failed', failure_reason: 'reorged' });
    else expect(after).toMatchObject({ status: 'settled', credited_at: expect.any(String) });
    expect(await rail.anvil.moneyOf(payer.address.toLowerCase() as ChainAddress)).toBe(isBroke ? 0n : 900_000n);
  }

  async function sweep(depth: number, contains: Contents) {
    const { wallet, address } = await money.deposit(8_000_000n);
    await money.mine(credit + 1);
    expect((await balanceOf(wallet)).available).toBe('8.00');
    const before = await rail.anvil.moneyOf(rail.treasury);
    const posted = () => harness.platform.database.unscoped.ledgerTransaction.count();
    const postings = await posted();
    const form = await money.untilSigned(() => money.pass(60));
    await money.mine(depth);
    await reorganizer.reorganize(depth, form['hash'], contains);
    await money.round();
    const rows = () => harness.platform.database.unscoped.chainPayment.findMany({ where: { authorizer: address } });
    await money.passUntil(async () => (await rows()).some(({ state }) => state === 'done'));
    expect([await rail.anvil.moneyOf(address), (await rail.anvil.moneyOf(rail.treasury)) - before]).toEqual([0n, 8_000_000n]);
    expect([(await rows()).length, await posted()]).toEqual([1, postings]);
  }

  it.each(cases)('%s: %i blocks, with %s in the new ones', { timeout: 60_000 }, async (step, depth, contains) => {
    // Anvil forgets code that was set a thousand blocks ago when it takes blocks back.
    await rail.anvil.ask('anvil_setCode', rail.anvil.token, artifact().code);
    if (step.startsWith('a payout')) await payOut(step, depth, contains);
    else if (step.startsWith('a deposit')) await deposit(step, depth, contains);
    else if (step.startsWith('a call')) await call(step, depth, contains);
    else await sweep(depth, contains);
    await money.expectProven();
  });

  it('leaves nothing open, and the rail on', async () => {
    await money.passUntil(async () => {
      const open = await harness.platform.database.unscoped.chainTransaction.count({ where: { minedHash: null } });
      return open === 0;
    });
    expect(await rail.standing(harness)).toEqual(['on', 'test']);
    const { rows } = await harness.platform.database.pool.query(
      `SELECT count(*)::int AS count FROM chain_payment WHERE state IN ('open', 'signed', 'used')`,
    );
    expect(rows).toEqual([{ count: 0 }]);
    await money.expectProven();
  });
});
