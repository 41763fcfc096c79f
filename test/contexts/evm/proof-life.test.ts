// A random life over a chain: deposits, x402 payments, payouts, sweeps, capital, blocks that are taken back. At every step the proof differs by
// nothing, and wherever it is read it is read to the unit.
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainAddress } from '../../../src/contexts/x402/chain/address.js';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { ChainRail, fundedLiveWallet, railName } from '../../chain/rail.js';
import { signed } from '../../factories/chain.js';
import { base64, endpointBody } from '../../factories/x402.js';
import { type Answer, type Json, openWallet, useHarness } from '../../harness.js';
import { isSlow } from '../../slow.js';

const rail = await ChainRail.prepare({ deposits: true, anvil: { args: ['--no-mining'] } });
const steps = isSlow ? 300 : 40;

/** The same numbers for a seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe.runIf(hasAnvil)(`the proof over a life${withAnvil}`, () => {
  beforeAll(() => rail.start());
  const harness = useHarness({ env: { RAILS_FILE: rail.file } });
  afterAll(() => rail.stop());
  const wallets: { wallet: Json; address: ChainAddress }[] = [];
  let payer: Json;
  let endpoint: Json;
  beforeAll(async () => {
    payer = await fundedLiveWallet(harness, '1000.00');
    await rail.switchOn(harness);
    await rail.round(harness);
    for (let at = 0; at < 5; at += 1) {
      const { wallet, account } = await openWallet(harness.live, { currency: 'USDC' });
      const { address } = await harness.live.make(`/v1/wallets/${wallet.id}/deposit-addresses`, { rail: railName });
      wallets.push({ wallet, address: address.toLowerCase() });
      const body = endpointBody(account, { receiver_wallet_id: wallet.id, network: 'eip155:84532' });
      endpoint ??= await harness.live.make('/v1/x402/endpoints', body);
    }
    await rail.round(harness);
    await rail.anvil.mine(4);
    // All addresses are looked at once a minute, and what is proven was looked at whole.
    harness.clock.advance(61);
    await rail.round(harness);
  });

  const pick = <T>(random: (below: number) => number, from: readonly T[]): T => from[random(from.length)] as T;
  let payees = 0;
  const nextPayee = () => `0x${(0xfee0000 + ++payees).toString(16).padStart(40, '0')}` as const;
  const door = (headers: Record<string, string> = {}) => harness.live.get(`/x402/${endpoint.id}`, { as: null, headers });
  const asked: Promise<Answer>[] = [];
  /** Somebody outside asks and pays; the answer comes when a block has the payment, or says that it is not settled yet. */
  const payCall = async () => {
    const forms = () => harness.platform.database.unscoped.chainForm.count();
    const before = await forms();
    const somebody = privateKeyToAccount(generatePrivateKey());
    await rail.anvil.setMoney(somebody.address.toLowerCase() as ChainAddress, 1_000_000n);
    // A head that is old by the clock refuses nobody, and serves nobody.
    await rail.round(harness);
    await rail.anvil.ask('evm_setNextBlockTimestamp', Math.floor(harness.clock.now().getTime() / 1_000) + 1);
    await rail.anvil.mine();
    const [offer] = (await door()).body.accepts;
    asked.push(door({ 'PAYMENT-SIGNATURE': base64(await signed(somebody, offer)) }));
    for (let round = 0; round < 10 && (await forms()) === before; round += 1) await rail.round(harness);
  };
  const prove = async (): Promise<Json> => {
    const { status, body } = await harness.live.get(`/v1/rails/${railName}/proof`);
    expect([status, body]).toEqual([200, { data: expect.anything() }]);
    return body.data;
  };

  it(`differs by nothing at each of ${steps} steps`, async () => {
    const random = randomOf(Number(process.env['SEED'] ?? 7));
    const told: string[] = [];
    const acts: Record<string, () => Promise<unknown>> = {
      deposit: async () => rail.pay(pick(random, wallets).address, BigInt(100_000 + random(20_000_000))),
      x402: payCall,
      // Too little to be credited.
      dust: async () => rail.pay(pick(random, wallets).address, BigInt(1 + random(99_999))),
      payout: async () => {
        const destination = { type: 'wallet', ref: nextPayee() };
        const amount = `${1 + random(5)}.${String(random(100)).padStart(2, '0')}`;
        return harness.live.make('/v1/payouts', { wallet_id: payer.id, amount, currency: 'USDC', rail: railName, destination });
      },
      capital: async () => rail.pay(rail.treasury, BigInt(1 + random(9_000_000))),
      mine: () => rail.anvil.mine(1 + random(3)),
      reorg: () => rail.anvil.ask('anvil_reorg', 1 + random(2), []).catch(() => undefined),
      // What nobody has asked for lately is looked for once a minute; what lies there is swept.
      minute: async () => harness.clock.advance(61),
      restOfHour: async () => {
        await harness.platform.database.pool.query(`UPDATE chain_address SET asked_at = asked_at - interval '2 hours'`);
      },
    };
    const names = [
      'deposit',
      'deposit',
      'x402',
      'dust',
      'payout',
      'payout',
      'capital',
      'mine',
      'mine',
      'mine',
      'reorg',
      'minute',
      'restOfHour',
    ];
    for (let step = 0; step < steps; step += 1) {
      const name = pick(random, names);
      told.push(name);
      await acts[name]?.();
      await rail.round(harness);
      const { difference } = await prove();
      expect([difference, told.slice(-8)]).toEqual(['0.00', told.slice(-8)]);
    }
    for (let last = 0; last < 6; last += 1) {
      harness.clock.advance(61);
      await rail.anvil.mine(2);
      await rail.round(harness);
    }
    await Promise.all(asked);
    const proof = await prove();
    expect(proof).toMatchObject({ difference: '0.00' });
    const credited = await harness.platform.database.unscoped.x402Payment.count({ where: { transferId: { not: null } } });
    expect(credited).toBeGreaterThan(0);
    expect(proof.outside.map(({ where }: Json) => where.split(' ').slice(0, 2).join(' '))).toEqual([
      expect.stringContaining('treasury'),
      expect.stringMatching(/^\d deposit$/),
    ]);
    expect(Number(proof.ledger)).not.toBe(0);
  }, 240_000);
});
