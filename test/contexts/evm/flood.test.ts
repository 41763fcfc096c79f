// Somebody makes so many transfers to addresses of wallets that nodes refuse to say them at once. What comes is credited all the same, and whoever
// else is paid waits for nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainAddress } from '../../../src/contexts/x402/chain/address.js';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { LyingNode } from '../../chain/lying-node.js';
import { ChainRail, railName } from '../../chain/rail.js';
import { type Json, openWallet, useHarness } from '../../harness.js';

/** The node gives so many logs at once. */
const most = 5;
let node: LyingNode;
const rail = await ChainRail.prepare({
  deposits: true,
  anvil: { args: ['--no-mining'] },
  through: async (url) => {
    node = await LyingNode.open(url);
    return node.url;
  },
});

describe.runIf(hasAnvil)(`a flood of transfers${withAnvil}`, () => {
  beforeAll(() => rail.start());
  const harness = useHarness({ env: { RAILS_FILE: rail.file } });
  afterAll(async () => {
    await rail.stop();
    await node?.close();
  });
  beforeAll(async () => {
    await rail.round(harness);
    node.lies = [
      ({ method }, { result }) =>
        method === 'eth_getLogs' && result.length > most
          ? { error: { code: -32005, message: 'query returned more than 10000 results' } }
          : undefined,
    ];
  });

  const newWallet = async (): Promise<Json> => (await openWallet(harness.live, { currency: 'USDC' })).wallet;
  const addressOf = async ({ id }: Json): Promise<ChainAddress> =>
    (await harness.live.post(`/v1/wallets/${id}/deposit-addresses`, { rail: railName })).body.data.address.toLowerCase();
  const available = async ({ id }: Json) => (await harness.live.get(`/v1/wallets/${id}`)).body.data.balance.available;
  const times = (address: ChainAddress, count: number, value: bigint) => Array.from({ length: count }, () => [address, value] as const);

  it('in one block is read from its receipts', async () => {
    const [flooded, other] = [await newWallet(), await newWallet()];
    await rail.payAll(times(await addressOf(flooded), most + 3, 1_000_000n));
    await rail.payAll(times(await addressOf(flooded), 40, 0n));
    await rail.pay(await addressOf(other), 2_000_000n);
    await rail.mine(harness, 4);
    await rail.rounds(harness);
    expect([await available(flooded), await available(other)]).toEqual(['8.00', '2.00']);
  });

  it('over many blocks, at addresses that nobody has asked for lately, is read in parts', async () => {
    const [flooded, other] = [await newWallet(), await newWallet()];
    const [place, elsewhere] = [await addressOf(flooded), await addressOf(other)];
    await harness.platform.database.pool.query(`UPDATE chain_address SET asked_at = asked_at - interval '1 day'`);
    for (const count of [3, 4, most + 2, 3]) {
      await rail.payAll(times(place, count, 1_000_000n));
      await rail.anvil.mine(2);
    }
    await rail.pay(elsewhere, 2_000_000n);
    await rail.anvil.mine(6);
    harness.clock.advance(61);
    await rail.rounds(harness, 12);
    expect([await available(flooded), await available(other)]).toEqual(['17.00', '2.00']);
  });
});
