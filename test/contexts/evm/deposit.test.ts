// Deposits over a real chain: from the address that is given away to the block that decides. Blocks are made by hand.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainAddress } from '../../../src/contexts/x402/chain/address.js';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { ChainRail, railName } from '../../chain/rail.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const rail = await ChainRail.prepare({ deposits: true, anvil: { args: ['--no-mining'] } });

describe.runIf(hasAnvil)(`deposits over a chain${withAnvil}`, () => {
  beforeAll(() => rail.start());
  const harness = useHarness({ env: { RAILS_FILE: rail.file } });
  afterAll(() => rail.stop());

  const newWallet = async (): Promise<Json> => (await openWallet(harness.live, { currency: 'USDC' })).wallet;
  const ask = ({ id }: Json) => harness.live.post(`/v1/wallets/${id}/deposit-addresses`, { rail: railName });
  const addressOf = async (wallet: Json): Promise<ChainAddress> => (await ask(wallet)).body.data.address.toLowerCase();
  const fundings = async ({ id }: Json): Promise<Json[]> => (await harness.live.get(`/v1/funding/transactions?wallet_id=${id}`)).body.data;
  const balanceOf = async ({ id }: Json) => (await harness.live.get(`/v1/wallets/${id}`)).body.data.balance;
  const mine = (count?: number) => rail.mine(harness, count);

  it('gives an address while the rail is off, the same one after the database was put back, and takes deposits', async () => {
    const wallet = await newWallet();
    expectRefused(await ask(wallet), 503, 'dependency_unavailable');
    await rail.round(harness);
    const { status, body } = await ask(wallet);
    expect([status, body.data]).toEqual([
      201,
      {
        address: expect.stringMatching(/^0x/),
        rail: railName,
        network: 'eip155:84532',
        chain_id: 84_532,
        token: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
        minimum: '0.10',
        confirmations: '3',
      },
    ]);
    expect((await harness.live.get(`/v1/wallets/${wallet.id}/deposit-addresses`)).body.data).toEqual([body.data]);
    await harness.platform.database.pool.query('DELETE FROM chain_address WHERE wallet_id = $1', [wallet.id]);
    expect((await ask(wallet)).body.data).toEqual(body.data);
    await rail.pay(await addressOf(wallet), 5_000_000n);
    await mine(4);
    expect(await balanceOf(wallet)).toMatchObject({ available: '5.00', pending_in: '0.00' });
  });

  it('finds what came while the database was put back, at an address that it has forgotten to have given away', async () => {
    const wallet = await newWallet();
    const address = await addressOf(wallet);
    const { pool } = harness.platform.database;
    const { rows } = await pool.query('SELECT deposits_to FROM chain_watch');
    await pool.query('DELETE FROM chain_address WHERE wallet_id = $1', [wallet.id]);
    await rail.pay(address, 7_000_000n);
    await rail.anvil.mine(6);
    await pool.query(`UPDATE chain_watch SET deposits_to = $1, deposits_at = deposits_at - interval '1 hour'`, [rows[0].deposits_to]);
    await rail.round(harness);
    await rail.round(harness);
    expect(await balanceOf(wallet)).toMatchObject({ available: '7.00', pending_in: '0.00' });
  });

  it('finds it at a second address of one transaction, too', async () => {
    const [kept, forgotten] = [await newWallet(), await newWallet()];
    const [first, second] = [await addressOf(kept), await addressOf(forgotten)];
    const { pool } = harness.platform.database;
    const { rows } = await pool.query('SELECT deposits_to FROM chain_watch');
    await pool.query('DELETE FROM chain_address WHERE wallet_id = $1', [forgotten.id]);
    await rail.payAll([
      [first, 3_000_000n],
      [second, 4_000_000n],
    ]);
    await mine(6);
    await pool.query(`UPDATE chain_watch SET deposits_to = $1, deposits_at = deposits_at - interval '1 hour'`, [rows[0].deposits_to]);
    await rail.rounds(harness);
    expect([await balanceOf(kept), await balanceOf(forgotten)]).toMatchObject([{ available: '3.00' }, { available: '4.00' }]);
  });

  it('shows both directions, and the provider when it is on', async () => {
    const provider = async () =>
      (await harness.live.get('/v1/funding/providers?type=stablecoin')).body.data.find(({ provider: name }: Json) => name === 'evm');
    expect(await provider()).toEqual({ provider: 'evm', types: ['stablecoin'], regions: ['GLOBAL'], active: false });
    await rail.switchOn(harness);
    expect((await harness.live.get(`/v1/rails/${railName}`)).body.data.directions).toEqual(['out', 'in']);
    expect((await provider()).active).toBe(true);
    const wallet = await newWallet();
    const body = { provider: 'evm', type: 'stablecoin', wallet_id: wallet.id, amount: '1.00', currency: 'USDC' };
    const refused = await harness.live.post('/v1/funding/transactions', body);
    expectRefused(refused, 422, 'unsupported_rail', { provider: 'evm', rails: [railName] });
    expect(refused.body.details.next_actions[0]).toMatchObject({ path: `/v1/wallets/${wallet.id}/deposit-addresses` });
  });

  it('is pending in a block, and credited when the block is deep', async () => {
    const wallet = await newWallet();
    const txHash = await rail.pay(await addressOf(wallet), 12_345_678n);
    await mine();
    expect(await fundings(wallet)).toMatchObject([{ status: 'pending', amount: '12.345678', source_ref: `${txHash}:0` }]);
    expect(await balanceOf(wallet)).toMatchObject({ available: '0.00', pending_in: '12.345678' });
    await mine();
    expect(await balanceOf(wallet)).toMatchObject({ available: '0.00' });
    await mine();
    expect(await fundings(wallet)).toMatchObject([
      { status: 'completed', rail_details: { tx_hash: txHash, network: 'eip155:84532', block_number: expect.any(Number) } },
    ]);
    expect(await balanceOf(wallet)).toMatchObject({ available: '12.345678', pending_in: '0.00' });
    await mine(3);
    expect(await fundings(wallet)).toHaveLength(1);
  });

  it('stands in both books: a reconciliation finds nothing else', async () => {
    const today = harness.clock.now().toISOString().slice(0, 10);
    const run = await harness.live.make('/v1/reconciliation/runs', { rail: railName, date_from: today, date_to: today });
    await harness.runDue();
    const { totals } = (await harness.live.get(`/v1/reconciliation/reports/${run.id}`)).body.data;
    expect(totals).toMatchObject({ matched: 5, unmatched_ledger: 0, unmatched_rail: 0, discrepancies: 0 });
  });

  it('fails with `reorged` when a reorg has taken it away, and nothing was posted', async () => {
    const wallet = await newWallet();
    await rail.pay(await addressOf(wallet), 3_000_000n);
    await mine();
    expect(await fundings(wallet)).toMatchObject([{ status: 'pending' }]);
    await rail.anvil.ask('anvil_reorg', 1, []);
    await mine();
    await mine(3);
    harness.clock.advance(60);
    await harness.runDue();
    expect(await fundings(wallet)).toMatchObject([{ status: 'failed', error_code: 'reorged' }]);
    expect(await balanceOf(wallet)).toMatchObject({ available: '0.00', pending_in: '0.00' });
  });

  it('is credited once when a reorg has put it into another block', async () => {
    const wallet = await newWallet();
    await rail.pay(await addressOf(wallet), 4_000_000n);
    await mine();
    const raw = await rail.anvil.ask('eth_getBlockByNumber', 'latest', true);
    const [transaction] = raw.transactions;
    await rail.anvil.ask('anvil_reorg', 1, []);
    await mine();
    await rail.anvil.ask('eth_sendTransaction', resent(transaction));
    await mine(4);
    expect(await balanceOf(wallet)).toMatchObject({ available: '4.00', pending_in: '0.00' });
    expect((await fundings(wallet)).filter(({ status }) => status === 'completed')).toHaveLength(1);
  });
});

/** A transaction of an account that Anvil signs for, as it was. */
function resent({ from, to, input, nonce, gas, maxFeePerGas, maxPriorityFeePerGas }: Json): Json {
  return { from, to, data: input, nonce, gas, maxFeePerGas, maxPriorityFeePerGas };
}
