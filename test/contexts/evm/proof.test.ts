// The proof of a rail over a real chain: what it holds against the ledger, to the base unit, and what explains a difference.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { balanceSumCode, mostSummed } from '../../../src/contexts/evm/balance-sum.js';
import { authorizationOf } from '../../../src/contexts/evm/carriable.js';
import { signatureParts } from '../../../src/contexts/evm/evm.js';
import { paymentOf } from '../../../src/contexts/evm/payment.sql.js';
import { noteTreasury } from '../../../src/contexts/evm/proof.sql.js';
import { transferByParts } from '../../../src/contexts/evm/token.js';
import { createTenant } from '../../../src/contexts/identity/tenant.js';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { ChainRail, fundedLiveWallet, railName } from '../../chain/rail.js';
import { Client, type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const rail = await ChainRail.prepare({ anvil: { args: ['--no-mining'] } });
const path = `/v1/rails/${railName}/proof`;

let payees = 0;
const newPayee = () => `0x${(0xdef0000 + ++payees).toString(16).padStart(40, '0')}` as const;
/** What is in the next block, before ours. */
const fees = { maxPriorityFeePerGas: '0x2540be400', maxFeePerGas: '0x4a817c800' };
const word = (value: bigint | string) => (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0');

describe.runIf(hasAnvil)(`the proof of a rail${withAnvil}`, () => {
  beforeAll(() => rail.start());
  const harness = useHarness({ env: { RAILS_FILE: rail.file } });
  afterAll(() => rail.stop());
  let wallet: Json;
  beforeAll(async () => {
    wallet = await fundedLiveWallet(harness, '1000.00');
    await rail.switchOn(harness);
  });

  const rounds = (count?: number) => rail.rounds(harness, count);
  const mine = (count?: number) => rail.mine(harness, count);
  const prove = async (): Promise<Json> => {
    const { status, body } = await harness.live.get(path);
    expect([status, body]).toEqual([200, { data: expect.anything() }]);
    return body.data;
  };
  const payOut = async (payee: string, amount = '12.50') => {
    const destination = { type: 'wallet', ref: payee };
    return harness.live.make('/v1/payouts', { wallet_id: wallet.id, amount, currency: 'USDC', rail: railName, destination });
  };
  /** A transfer of the token that is no order of ours; the node signs for whom it impersonates. */
  const transfer = async (from: string, to: string, value: bigint) => {
    await rail.anvil.ask('anvil_impersonateAccount', from);
    await rail.anvil.fund(from as `0x${string}`);
    await rail.anvil.ask('eth_sendTransaction', {
      from,
      to: rail.anvil.token,
      data: `0xa9059cbb${word(to)}${word(value)}`,
      gas: '0x30000',
      ...fees,
    });
    await rail.anvil.ask('anvil_stopImpersonatingAccount', from);
  };
  const fromStranger = async (data: string) => {
    const [stranger] = await rail.anvil.ask('eth_accounts');
    await rail.anvil.ask('eth_sendTransaction', { from: stranger, to: rail.anvil.token, data, gas: '0x30000', ...fees });
  };
  const part = ({ explained }: Json, reason: string) => explained.find((one: Json) => one.reason === reason);

  it('503 until the blocks are deep that were read first', async () => {
    await rounds(1);
    expectRefused(await harness.live.get(path), 503, 'rail_unavailable', { rail: railName, reason: 'unhealthy' });
  });

  it('explains what was there before anything was read', async () => {
    await mine(4);
    const proof = await prove();
    expect(proof).toMatchObject({ rail: railName, currency: 'USDC', ledger: '0.00', in_flight: '0.00', difference: '0.00' });
    expect(proof.outside).toEqual([{ where: expect.stringMatching(/^treasury 0x/), amount: '1000000.00' }]);
    expect(part(proof, 'opening')).toEqual({ reason: 'opening', amount: '1000000.00', count: 1, newest: [] });
    const { hash, number } = await rail.anvil.ask('eth_getBlockByNumber', `0x${proof.at.block.toString(16)}`, false);
    expect([proof.at.hash, Number(number)]).toEqual([hash, proof.at.block]);
  });

  it('differs by nothing at every step of a payout', async () => {
    await payOut(newPayee());
    const seen: string[] = [];
    for (let step = 0; step < 6; step += 1) {
      await rounds(1);
      const { difference, in_flight, ledger } = await prove();
      seen.push(`${ledger} ${in_flight}`);
      expect(difference).toBe('0.00');
      await rail.anvil.mine();
    }
    await rounds();
    expect(await prove()).toMatchObject({ ledger: '-12.50', in_flight: '0.00', difference: '0.00' });
    expect(seen[0]).toBe('0.00 0.00');
  });

  it('says what is in flight between the deep block and the posting', async () => {
    const payout = await payOut(newPayee(), '7.00');
    await rounds();
    const { pool } = harness.platform.database;
    // Its order is looked at again in an hour: the chain decides, and nobody posts.
    await pool.query(`UPDATE connector_order SET lease_until = now() + interval '100 years' WHERE id = $1`, [payout.id.slice(3)]);
    await mine(4);
    expect(await prove()).toMatchObject({ ledger: '-12.50', in_flight: '-7.00', difference: '0.00' });
    await pool.query('UPDATE connector_order SET lease_until = NULL, due_at = created_at WHERE id = $1', [payout.id.slice(3)]);
    await rounds();
    expect(await prove()).toMatchObject({ ledger: '-19.50', in_flight: '0.00', difference: '0.00' });
  });

  it('is not led astray by a stranger who carries an authorization', async () => {
    const payout = await payOut(newPayee(), '1.00');
    await rounds();
    const { workspaceId } = await harness.platform.database.unscoped.payout.findFirstOrThrow({ where: { id: payout.id.slice(3) } });
    const row = await paymentOf(harness.platform.database.pool, { workspaceId, id: payout.id.slice(3) });
    const parts = signatureParts(row?.signature ?? '');
    if (row === null || parts === null) throw new Error('it is not signed');
    await fromStranger(transferByParts(authorizationOf(row), parts));
    await mine(4);
    expect(await prove()).toMatchObject({ ledger: '-20.50', in_flight: '0.00', difference: '0.00' });
  });

  it('explains capital that was put in and taken out, and takes nothing of no value for capital', async () => {
    const [somebody] = await rail.anvil.ask('eth_accounts');
    await rail.anvil.setMoney(somebody, 5_000_000n);
    await transfer(somebody, rail.treasury, 5_000_000n);
    await mine();
    await transfer(rail.treasury, newPayee(), 2_000_001n);
    await mine();
    await transfer(somebody, rail.treasury, 0n);
    await mine(4);
    const proof = await prove();
    expect(proof.difference).toBe('0.00');
    expect(part(proof, 'put_in')).toEqual({
      reason: 'put_in',
      amount: '5.00',
      count: 1,
      newest: [expect.stringMatching(/^0x[0-9a-f]{64}$/)],
    });
    expect(part(proof, 'taken_out')).toMatchObject({ amount: '-2.000001', count: 1 });
  });

  it('shows one base unit that came from nowhere, and one that is missing', async () => {
    const money = await rail.anvil.moneyOf(rail.treasury);
    await rail.anvil.setMoney(rail.treasury, money + 1n);
    await mine(4);
    expect((await prove()).difference).toBe('0.000001');
    await rail.anvil.setMoney(rail.treasury, money - 1n);
    await mine(4);
    expect((await prove()).difference).toBe('-0.000001');
    await rail.anvil.setMoney(rail.treasury, money);
    await mine(4);
    expect((await prove()).difference).toBe('0.00');
  });

  it('is kept every five minutes, and shown by the metric', async () => {
    harness.clock.advance(301);
    await harness.runDue();
    harness.clock.advance(60);
    const text = await (await fetch(`${harness.live.url}/metrics`)).text();
    const sample = (name: string) => Number(new RegExp(`^${name}\\{[^}]*rail="${railName}"[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1]);
    expect(sample('rail_difference')).toBe(0);
    expect(sample('rail_proof_age_seconds')).toBe(60);
    expect(sample('treasury_money')).toBeGreaterThan(900_000);
    expect(sample('signer_gas')).toBeGreaterThan(0.9);
    expect(sample('chain_stuck_nonces')).toBe(0);
    expect(sample('chain_lag_seconds')).toBeGreaterThanOrEqual(60);
  });

  it('counts a nonce as stuck whose payment is in no block for five minutes', async () => {
    await payOut(newPayee(), '1.00');
    await rounds();
    const stuck = async (seconds: number) => {
      harness.clock.advance(seconds);
      const text = await (await fetch(`${harness.live.url}/metrics`)).text();
      return Number(/^chain_stuck_nonces\{[^}]*\} (\S+)$/m.exec(text)?.[1]);
    };
    expect([await stuck(290), await stuck(20)]).toEqual([0, 1]);
    await mine(4);
    expect(await stuck(10)).toBe(0);
  });

  it('is shown to who runs the platform alone', async () => {
    const { liveKey } = await createTenant(harness.platform, { name: 'Another' });
    const another = new Client(harness.live.url, liveKey);
    expectRefused(await another.get(path), 403, 'forbidden');
    expectRefused(await harness.test.get(path), 403, 'forbidden');
    expectRefused(await harness.live.get('/v1/rails/usdc-nowhere/proof'), 404, 'not_found');
    expectRefused(await harness.live.get('/v1/rails/ach/proof'), 404, 'not_found');
  });

  it('says the same over GraphQL', async () => {
    const { body } = await harness.live.graphql(`{ railProof(rail: "${railName}") { difference ledger inFlight at { block } } }`);
    const { difference, ledger, in_flight: inFlight, at } = await prove();
    expect(body.data.railProof).toEqual({ difference, ledger, inFlight, at: { block: at.block } });
  });

  it('reads a treasury of before on, whose move to the one of now is no capital', async () => {
    const before = await prove();
    const old = newPayee();
    await rail.anvil.setMoney(old, 9_000_000n);
    await noteTreasury(harness.platform.database.pool, BigInt(rail.anvil.chainId), old, harness.clock.now());
    expectRefused(await harness.live.get(path), 503, 'rail_unavailable');
    await mine(4);
    const both = await prove();
    expect([both.difference, both.outside.length]).toEqual([before.difference, before.outside.length + 1]);
    expect(part(both, 'opening')).toMatchObject({ amount: '1000009.00', count: 2 });
    await transfer(old, rail.treasury, 9_000_000n);
    await mine(4);
    const moved = await prove();
    expect([moved.difference, part(moved, 'put_in')]).toEqual([before.difference, part(before, 'put_in')]);
    expect(await rail.anvil.moneyOf(old)).toBe(0n);
  });

  it('shows what left by an authorization that this database does not know', async () => {
    const [chain] = rail.chains(harness);
    if (chain === undefined) throw new Error('there is no chain');
    const { treasury } = await chain.signers(harness.platform);
    const authorization = { from: rail.treasury, to: newPayee(), value: 3_000_000n, validAfter: 0n, validBefore: 4_000_000_000n } as const;
    const nonce = `0x${'7'.repeat(64)}` as const;
    const parts = signatureParts(await treasury.signAuthorization(chain.domain, { ...authorization, nonce }));
    if (parts === null) throw new Error('it is not signed');
    await fromStranger(transferByParts({ ...authorization, nonce }, parts));
    await mine(4);
    expect((await prove()).difference).toBe('-3.00');
  });

  it('sums what many addresses have in one call', async () => {
    const addresses = Array.from({ length: mostSummed }, () => newPayee());
    for (const [at, address] of [1n, 20n, 300n].entries()) await rail.anvil.setMoney(addresses[at * 150] as `0x${string}`, address);
    const sum = async (token: `0x${string}`, some: readonly `0x${string}`[]) =>
      BigInt(await rail.anvil.ask('eth_call', { data: balanceSumCode(token, some) }, 'latest'));
    expect(await sum(rail.anvil.token, addresses)).toBe(321n);
    expect(await sum(rail.anvil.token, addresses.slice(1))).toBe(320n);
    expect(await sum(rail.anvil.token, [])).toBe(0n);
    await expect(sum(rail.treasury, addresses)).rejects.toThrow('revert');
    expect(() => balanceSumCode(rail.anvil.token, [...addresses, newPayee()])).toThrow(RangeError);
  });
});
