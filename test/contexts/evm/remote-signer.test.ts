// A relayer whose key a remote signer has, which refuses one transaction by its policy: the others are signed all the same.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { LyingNode } from '../../chain/lying-node.js';
import { ChainRail, fundedLiveWallet, railName } from '../../chain/rail.js';
import { type Json, useHarness } from '../../harness.js';

let node: LyingNode;
const through = async (url: string) => {
  node = await LyingNode.open(url);
  return node.url;
};
const rail = await ChainRail.prepare({ anvil: { args: ['--no-mining'] }, through, remoteRelayer: true });

describe.runIf(hasAnvil)(`a relayer of a remote signer${withAnvil}`, () => {
  beforeAll(() => rail.start());
  const harness = useHarness({ env: { RAILS_FILE: rail.file } });
  afterAll(async () => {
    await node?.close();
    await rail.stop();
  });
  let wallet: Json;
  beforeAll(async () => {
    wallet = await fundedLiveWallet(harness, '1000.00');
    await rail.switchOn(harness);
    await rail.round(harness);
  });

  const payOut = (payee: number): Promise<Json> => {
    const destination = { type: 'wallet', ref: `0x${payee.toString(16).padStart(40, '0')}` };
    return harness.live.make('/v1/payouts', { wallet_id: wallet.id, amount: '1.00', currency: 'USDC', rail: railName, destination });
  };
  const signed = async () => {
    const forms = await harness.platform.database.unscoped.chainForm.findMany({ orderBy: { nonce: 'asc' } });
    return forms.map(({ nonce }) => nonce);
  };

  it('signs what is behind a nonce that the signer refuses, and all is paid when it refuses nothing any more', async () => {
    const refused = { error: { code: -32_000, message: 'the policy does not allow it' } };
    node.lies = [({ method, params: [asked] }) => (method === 'eth_signTransaction' && asked.nonce === '0x0' ? refused : undefined)];
    const payouts = [await payOut(0xfeed001), await payOut(0xfeed002), await payOut(0xfeed003)];
    await rail.rounds(harness, 3);
    expect(await signed()).toEqual([1n, 2n]);
    node.repent();
    await rail.rounds(harness);
    expect(await signed()).toEqual([0n, 1n, 2n]);
    await rail.mine(harness, 4);
    const statuses = payouts.map(async ({ id }) => (await harness.live.get(`/v1/payouts/${id}`)).body.data.status);
    expect(await Promise.all(statuses)).toEqual(['complete', 'complete', 'complete']);
  });
});
