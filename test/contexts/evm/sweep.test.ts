// Sweeping over a real chain: what lies at the address of a wallet goes to the treasury once, and the ledger does not change.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainAddress } from '../../../src/contexts/x402/chain/address.js';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { ChainRail, railName } from '../../chain/rail.js';
import { type Json, openWallet, useHarness } from '../../harness.js';

const rail = await ChainRail.prepare({ deposits: true, anvil: { args: ['--no-mining'] } });

describe.runIf(hasAnvil)(`sweeping${withAnvil}`, () => {
  beforeAll(() => rail.start());
  const harness = useHarness({ env: { RAILS_FILE: rail.file } });
  afterAll(() => rail.stop());
  beforeAll(async () => {
    await rail.switchOn(harness);
    await rail.round(harness);
  });

  const newWallet = async (): Promise<Json> => (await openWallet(harness.live, { currency: 'USDC' })).wallet;
  const addressOf = async ({ id }: Json): Promise<ChainAddress> =>
    (await harness.live.make(`/v1/wallets/${id}/deposit-addresses`, { rail: railName })).address.toLowerCase();
  const mine = (count?: number) => rail.mine(harness, count);
  /** The look of the next minute, and blocks until what it sends is deep. */
  const nextMinute = async () => {
    harness.clock.advance(60);
    await rail.round(harness);
    await mine(4);
    await mine(1);
  };
  const sweeps = () =>
    harness.platform.database.unscoped.chainPayment.findMany({ where: { kind: 'sweep' }, orderBy: { createdAt: 'asc' } });
  const counts = async () => {
    const { rows } = await harness.platform.database.pool.query<{ posted: number; lines: number }>(
      'SELECT (SELECT count(*)::int FROM ledger_transaction) AS posted, (SELECT count(*)::int FROM rail_statement) AS lines',
    );
    return rows[0];
  };
  const depositOf = async (value: bigint) => {
    const address = await addressOf(await newWallet());
    await rail.pay(address, value);
    await mine(4);
    return address;
  };

  it('moves what is enough to the treasury, once, and posts nothing', async () => {
    const address = await depositOf(8_000_000n);
    const before = [await counts(), await rail.anvil.moneyOf(rail.treasury)] as const;
    await nextMinute();
    expect(await rail.anvil.moneyOf(address)).toBe(0n);
    expect(await rail.anvil.moneyOf(rail.treasury)).toBe(before[1] + 8_000_000n);
    expect(await sweeps()).toMatchObject([{ authorizer: address, payee: rail.treasury, value: 8_000_000n, state: 'done' }]);
    await nextMinute();
    expect([await counts(), (await sweeps()).length]).toEqual([before[0], 1]);
  });

  it('waits until enough lies there, and takes all of it', async () => {
    const wallet = await newWallet();
    const address = await addressOf(wallet);
    await rail.pay(address, 3_000_000n);
    await mine(4);
    await nextMinute();
    expect(await rail.anvil.moneyOf(address)).toBe(3_000_000n);
    await rail.pay(address, 2_000_000n);
    await rail.pay(address, 50_000n);
    await mine(4);
    await nextMinute();
    expect(await rail.anvil.moneyOf(address)).toBe(0n);
    expect((await sweeps()).at(-1)).toMatchObject({ authorizer: address, value: 5_050_000n, state: 'done' });
  });

  it('sends nothing while the rail is off, and goes on when it is on again', async () => {
    const address = await depositOf(6_000_000n);
    const before = (await sweeps()).length;
    await harness.live.make(`/v1/rails/${railName}/switch`, { to: 'off', reason: 'test' });
    await nextMinute();
    expect([await rail.anvil.moneyOf(address), (await sweeps()).length]).toEqual([6_000_000n, before]);
    await harness.live.make(`/v1/rails/${railName}/switch`, { to: 'on', reason: 'test' });
    await nextMinute();
    expect(await rail.anvil.moneyOf(address)).toBe(0n);
  });

  it('signs what was written when the process died before it was signed', async () => {
    const address = await depositOf(6_500_000n);
    const { unscoped } = harness.platform.database;
    const { workspaceId, chainId } = await unscoped.chainArrival.findFirstOrThrow({ where: { payee: address } });
    const nonce = `0x${randomBytes(32).toString('hex')}`;
    const at = harness.clock.now();
    const known = { rail: railName, chainId, authorizer: address, payee: rail.treasury, value: 6_500_000n, nonce };
    await unscoped.chainPayment.create({
      data: { ...known, workspaceId, id: randomUUID(), kind: 'sweep', validBefore: at, createdAt: at },
    });
    await nextMinute();
    expect(await rail.anvil.moneyOf(address)).toBe(0n);
    expect((await sweeps()).filter(({ authorizer }) => authorizer === address)).toMatchObject([{ nonce, state: 'done' }]);
  });

  it('sweeps the others where an address is of an older seed', async () => {
    const old = `0x${'a1'.repeat(20)}` as const;
    const { unscoped } = harness.platform.database;
    const row = await unscoped.chainAddress.findFirstOrThrow({ where: { address: await addressOf(await newWallet()) } });
    await unscoped.chainAddress.create({ data: { ...row, address: old } });
    await rail.pay(old, 90_000_000n);
    const address = await depositOf(6_000_000n);
    await nextMinute();
    expect(await rail.anvil.moneyOf(address)).toBe(0n);
    const another = await depositOf(6_000_000n);
    await nextMinute();
    expect([await rail.anvil.moneyOf(another), await rail.anvil.moneyOf(old)]).toEqual([0n, 90_000_000n]);
  });

  it('asks for no sweep of what is not there any more', async () => {
    const address = await depositOf(7_000_000n);
    await rail.anvil.setMoney(address, 1_000n);
    await rail.anvil.mine(4);
    const before = (await sweeps()).length;
    await nextMinute();
    expect((await sweeps()).length).toBe(before);
    const unswept = await harness.platform.database.unscoped.chainArrival.count({ where: { payee: address, swept: false } });
    expect(unswept).toBe(0);
  });

  it('tries again when the token has not carried it in its time', async () => {
    const address = await depositOf(9_000_000n);
    await rail.pause(true);
    await mine();
    await nextMinute();
    expect((await sweeps()).at(-1)).toMatchObject({ authorizer: address, state: 'signed' });
    await rail.anvil.ask('evm_increaseTime', 20_000);
    await mine(4);
    await rail.pause(false);
    await mine();
    await nextMinute();
    await nextMinute();
    expect(await rail.anvil.moneyOf(address)).toBe(0n);
    expect((await sweeps()).filter(({ authorizer }) => authorizer === address)).toMatchObject([{ state: 'done' }]);
  });
});
