// Payouts over a real chain: from the request to the block that decides, and what the ledger says of it. Blocks are made by hand.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizationOf } from '../../../src/contexts/evm/carriable.js';
import { signatureParts } from '../../../src/contexts/evm/evm.js';
import { paymentOf } from '../../../src/contexts/evm/payment.sql.js';
import { noteTreasury } from '../../../src/contexts/evm/proof.sql.js';
import { transferByParts } from '../../../src/contexts/evm/token.js';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { ChainRail, fundedLiveWallet, railName } from '../../chain/rail.js';
import { type Json, useHarness } from '../../harness.js';

const rail = await ChainRail.prepare({ anvil: { args: ['--no-mining'] } });

/** An address for each payout, so that what it has is what it was paid. */
let payees = 0;
const newPayee = () => `0x${(0xabc0000 + ++payees).toString(16).padStart(40, '0')}` as const;

describe.runIf(hasAnvil)(`payouts over a chain${withAnvil}`, () => {
  beforeAll(() => rail.start());
  const harness = useHarness({ env: { RAILS_FILE: rail.file } });
  afterAll(() => rail.stop());
  let wallet: Json;
  beforeAll(async () => {
    wallet = await fundedLiveWallet(harness, '1000.00');
  });

  const ask = (payee: string, amount = '12.50') => {
    const destination = { type: 'wallet', ref: payee };
    return harness.live.post('/v1/payouts', { wallet_id: wallet.id, amount, currency: 'USDC', rail: railName, destination });
  };
  const payOut = async (payee: string): Promise<Json> => {
    const { status, body } = await ask(payee);
    expect([status, body.data?.status]).toEqual([201, 'pending']);
    return body.data;
  };
  const read = async ({ id }: Json): Promise<Json> => (await harness.live.get(`/v1/payouts/${id}`)).body.data;
  const statusOf = async (payout: Json) => (await read(payout)).status;
  const rounds = (count?: number) => rail.rounds(harness, count);
  const mine = (count?: number) => rail.mine(harness, count);
  const rowOf = async ({ id }: Json) => {
    const { workspaceId } = await harness.platform.database.unscoped.payout.findFirstOrThrow({ where: { id: id.slice(3) } });
    const payment = await paymentOf(harness.platform.database.pool, { workspaceId, id: id.slice(3) });
    if (payment === null) throw new Error('it has no authorization');
    return payment;
  };
  const fromStranger = async (data: string) => {
    const [stranger] = await rail.anvil.ask('eth_accounts');
    return rail.anvil.ask('eth_sendTransaction', {
      from: stranger,
      to: rail.anvil.token,
      data,
      gas: '0x30000',
      maxPriorityFeePerGas: '0x2540be400',
      maxFeePerGas: '0x4a817c800',
    });
  };
  const switchTo = (to: string) => harness.live.make(`/v1/rails/${railName}/switch`, { to, reason: 'test' });

  it('refuses while the rail is off, and holds nothing', async () => {
    const { status, body } = await ask(newPayee());
    expect([status, body.code, body.details.reason]).toEqual([503, 'rail_unavailable', 'switched_off']);
    expect((await harness.live.get(`/v1/wallets/${wallet.id}/balance`)).body.data.held).toBe('0.00');
  });

  it('is found wrong by the doctor while the token has more units than an amount can have', async () => {
    const setSupply = async (supply: bigint) => {
      await rail.anvil.ask('anvil_setStorageAt', rail.anvil.token, `0x${'0'.repeat(64)}`, `0x${supply.toString(16).padStart(64, '0')}`);
      await rail.anvil.mine();
    };
    await setSupply(2n ** 63n);
    await expect(rail.switchOn(harness)).rejects.toThrow('supply 9223372036854775808');
    await setSupply(2n ** 63n - 1n);
  });

  it('is found in order by the doctor, and switched on', async () => {
    expect(await rail.switchOn(harness)).toMatchObject({ rail: railName, from: 'off', to: 'on' });
    expect((await harness.live.get(`/v1/rails/${railName}`)).body.data).toMatchObject({ status: 'on', network: 'eip155:84532' });
  });

  it.each([
    ['the token itself', '0x036CbD53842c5426634e7929541eC2318f3dCF7e'],
    ['the zero address', `0x${'0'.repeat(40)}`],
    ['the treasury', rail.treasury],
    ['the relayer', rail.relayer],
    ['a wrong check sum', '0x52908400098527886E0F7030069857D2E4169Ee7'],
  ])('refuses %s as a destination', async (_what, payee) => {
    const { status, body } = await ask(payee);
    expect([status, body.code]).toEqual([400, 'validation_failed']);
  });

  it('refuses more than one order may be', async () => {
    const { status, body } = await ask(newPayee(), '1000.01');
    expect([status, body.code, body.details.limit.max]).toEqual([422, 'rail_limit_exceeded', '1000.00']);
  });

  it('pays once: pending, confirmed in a block, complete when it is deep', async () => {
    const payee = newPayee();
    const payout = await payOut(payee);
    await rounds();
    expect(await statusOf(payout)).toBe('pending');
    await mine();
    expect(await statusOf(payout)).toBe('confirmed');
    await mine();
    expect(await statusOf(payout)).toBe('confirmed');
    await mine();
    const { status, rail_details: place } = await read(payout);
    expect([status, place]).toEqual([
      'complete',
      { tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/), network: 'eip155:84532', block_number: expect.any(Number) },
    ]);
    expect(await rail.anvil.ask('eth_getTransactionReceipt', place.tx_hash)).toMatchObject({ status: '0x1', to: rail.anvil.token });
    await mine(3);
    expect(await rail.anvil.moneyOf(payee)).toBe(12_500_000n);
    const lines = await harness.platform.database.unscoped.railStatement.findMany({ where: { rail: railName } });
    expect(lines.map(({ amount, direction }) => [amount, direction])).toEqual([[12_500_000n, 'debit']]);
  });

  it('refuses a treasury of before as a destination', async () => {
    const former = newPayee();
    expect((await ask(former, '0.01')).status).toBe(201);
    await noteTreasury(harness.platform.database.pool, BigInt(rail.anvil.chainId), former, harness.clock.now());
    const { status, body } = await ask(former);
    expect([status, body.details?.fields?.[0]?.message]).toEqual([400, 'is an address of the platform itself']);
    await mine(5);
  });

  it('pays once when a stranger carries the authorization first', async () => {
    const payee = newPayee();
    const payout = await payOut(payee);
    await rounds();
    const { signature, ...row } = await rowOf(payout);
    const parts = signatureParts(signature ?? '');
    if (parts === null) throw new Error('it has no signature');
    await fromStranger(transferByParts(authorizationOf({ ...row, signature }), parts));
    await mine(4);
    expect(await statusOf(payout)).toBe('complete');
    expect(await rail.anvil.moneyOf(payee)).toBe(12_500_000n);
    const reverted = await harness.platform.database.unscoped.chainTransaction.findMany({ where: { paymentId: row.id } });
    expect(reverted.map((one) => one.reverted)).toEqual([true]);
    await mine(4);
    expect(await rail.anvil.moneyOf(payee)).toBe(12_500_000n);
  });

  it.each([1, 2])('carries again what a reorg of %i blocks has taken away', async (depth) => {
    const payee = newPayee();
    const payout = await payOut(payee);
    await rounds();
    await mine(depth);
    expect(await statusOf(payout)).toBe('confirmed');
    await rail.anvil.ask('anvil_reorg', depth, []);
    await rounds();
    expect((await rowOf(payout)).state).toBe('signed');
    expect(await rail.anvil.moneyOf(payee)).toBe(0n);
    // A node forgets what a reorg has dropped: it is handed in again when it has waited long enough.
    harness.clock.advance(20);
    for (const chain of rail.chains(harness)) await rail.tend(harness, chain);
    await mine(4);
    expect(await statusOf(payout)).toBe('complete');
    expect(await rail.anvil.moneyOf(payee)).toBe(12_500_000n);
  });

  it('lets nothing leave while the rail is off, and goes on when it is on again', async () => {
    const payee = newPayee();
    const payout = await payOut(payee);
    await switchTo('off');
    await rounds(3);
    await mine(4);
    expect([await statusOf(payout), await rail.anvil.moneyOf(payee)]).toEqual(['pending', 0n]);
    expect(await harness.platform.database.unscoped.chainPayment.count({ where: { id: payout.id.slice(3) } })).toBe(0);
    await switchTo('on');
    harness.clock.advance(60);
    await harness.runDue();
    await rounds();
    await mine(4);
    expect([await statusOf(payout), await rail.anvil.moneyOf(payee)]).toEqual(['complete', 12_500_000n]);
  });

  it('pays more for what stays out of the blocks, and never more than the file allows', async () => {
    const payee = newPayee();
    const payout = await payOut(payee);
    await rounds();
    await rail.anvil.ask('anvil_setNextBlockBaseFeePerGas', `0x${(40n * 10n ** 9n).toString(16)}`);
    await mine();
    expect(await statusOf(payout)).toBe('pending');
    for (let raised = 0; raised < 3; raised += 1) {
      harness.clock.advance(20 * (raised + 1));
      for (const chain of rail.chains(harness)) await rail.tend(harness, chain);
      await rail.anvil.mine();
    }
    await mine(4);
    expect([await statusOf(payout), await rail.anvil.moneyOf(payee)]).toEqual(['complete', 12_500_000n]);
    const forms = await harness.platform.database.unscoped.chainForm.findMany({ orderBy: { createdAt: 'asc' } });
    expect(forms.every(({ maxFee }) => maxFee <= 100n * 10n ** 9n)).toBe(true);
    expect(forms.length).toBeGreaterThan(payees - 3);
  });

  it('gives the money back when the token was paused for as long as the payment was good', async () => {
    const before = (await harness.live.get(`/v1/wallets/${wallet.id}/balance`)).body.data.available;
    const payee = newPayee();
    await fromStranger(`${rail.selector('pause(bool)')}${'1'.padStart(64, '0')}`);
    await mine();
    const payout = await payOut(payee);
    await rounds();
    await mine(4);
    expect([await statusOf(payout), (await rowOf(payout)).refusal]).toEqual(['pending', 'token_paused']);
    await rail.anvil.ask('evm_increaseTime', 20_000);
    await mine(4);
    const failed = await read(payout);
    expect([failed.status, failed.error_code ?? failed.failure?.code]).toEqual(['failed', 'token_paused']);
    await fromStranger(`${rail.selector('pause(bool)')}${'0'.padStart(64, '0')}`);
    await mine(4);
    expect(await rail.anvil.moneyOf(payee)).toBe(0n);
    expect((await harness.live.get(`/v1/wallets/${wallet.id}/balance`)).body.data.available).toBe(before);
  });

  it('gives the money back of what a treasury of before was to sign, when its time is over', async () => {
    const available = async () => (await harness.live.get(`/v1/wallets/${wallet.id}/balance`)).body.data.available;
    const before = await available();
    const payee = newPayee();
    // Nothing is carried meanwhile.
    await rail.pause(true);
    await mine();
    const payout = await payOut(payee);
    await rounds();
    // The process has died before it signed, and the file names another treasury now.
    const unsigned = `UPDATE chain_payment SET state = 'open', signature = NULL, refusal = NULL, authorizer = $2 WHERE id = $1`;
    await harness.platform.database.pool.query(unsigned, [payout.id.slice(3), newPayee()]);
    await rail.pause(false);
    const { validBefore } = await rowOf(payout);
    harness.clock.advance(120);
    await mine(4);
    expect([await statusOf(payout), await rowOf(payout)]).toMatchObject(['pending', { state: 'open', validBefore }]);
    const { timestamp } = await rail.anvil.ask('eth_getBlockByNumber', 'latest', false);
    await rail.anvil.ask('evm_increaseTime', Math.ceil(validBefore.getTime() / 1_000) - Number(timestamp) - 60);
    await mine(4);
    expect(await statusOf(payout)).toBe('pending');
    await rail.anvil.ask('evm_increaseTime', 120);
    await mine(4);
    expect(await read(payout)).toMatchObject({ status: 'failed', error_code: 'expired' });
    expect([await available(), await rail.anvil.moneyOf(payee)]).toEqual([before, 0n]);
  });

  it('pays nobody again after the database was put back', async () => {
    const payee = newPayee();
    const payout = await payOut(payee);
    const id = payout.id.slice(3);
    await rounds();
    await mine();
    const { blockNumber } = await rowOf(payout);
    // What a backup of before has: the order, and nothing of what the chain did with it.
    const { pool } = harness.platform.database;
    for (const text of [
      `DELETE FROM chain_form WHERE nonce = (SELECT nonce FROM chain_transaction WHERE payment_id = '${id}')`,
      `UPDATE chain_relayer SET next_nonce = (SELECT nonce FROM chain_transaction WHERE payment_id = '${id}')`,
      `DELETE FROM chain_transaction WHERE payment_id = '${id}'`,
      `DELETE FROM chain_payment WHERE id = '${id}'`,
      `DELETE FROM chain_log WHERE block_number >= ${blockNumber}`,
      `DELETE FROM chain_block WHERE number >= ${blockNumber}`,
      `UPDATE connector_order SET due_at = created_at WHERE id = '${id}'`,
      `UPDATE rail_state SET departures = departures - 2 WHERE name = '${railName}'`,
    ])
      await pool.query(text);
    const other = newPayee();
    await payOut(other);
    await rounds(3);
    expect((await harness.live.get(`/v1/rails/${railName}`)).body.data).toMatchObject({ status: 'off', reason: 'restored' });
    await mine(4);
    expect([await rail.anvil.moneyOf(payee), await rail.anvil.moneyOf(other)]).toEqual([12_500_000n, 0n]);
    await pool.query(`UPDATE rail_state SET status = 'on', reason = 'looked at' WHERE name = '${railName}'`);
    harness.platform.cache.clear();
    await pool.query(`UPDATE connector_order SET due_at = created_at WHERE due_at IS NOT NULL`);
    await rounds(3);
    await mine(4);
    await mine(4);
    expect([await rail.anvil.moneyOf(payee), await rail.anvil.moneyOf(other)]).toEqual([12_500_000n, 12_500_000n]);
    expect(await statusOf(payout)).toBe('complete');
  });
});
