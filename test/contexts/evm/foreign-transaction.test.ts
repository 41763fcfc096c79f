// Somebody else who sends with the key of a relayer: the rail goes off by itself. Nodes that only have no receipts switch nothing off.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { LyingNode, lieAbout } from '../../chain/lying-node.js';
import { ChainRail, fundedLiveWallet, railName } from '../../chain/rail.js';
import { type Json, useHarness } from '../../harness.js';

let node: LyingNode;
const through = async (url: string) => {
  node = await LyingNode.open(url);
  return node.url;
};
const rail = await ChainRail.prepare({ anvil: { args: ['--no-mining'] }, through });

describe.runIf(hasAnvil)(`a transaction that was not signed here${withAnvil}`, () => {
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
  });

  let payees = 0;
  const payOut = async (): Promise<Json> => {
    const destination = { type: 'wallet', ref: `0x${(0xbad0000 + ++payees).toString(16).padStart(40, '0')}` };
    return harness.live.make('/v1/payouts', { wallet_id: wallet.id, amount: '1.00', currency: 'USDC', rail: railName, destination });
  };
  const mine = (count?: number) => rail.mine(harness, count);
  const standing = () => rail.standing(harness);
  const statusOf = async ({ id }: Json) => (await harness.live.get(`/v1/payouts/${id}`)).body.data.status;
  /** Sends with the key of the relayer what this platform knows nothing of. */
  const sendElsewhere = async (nonce: bigint) => {
    const [chain] = rail.chains(harness);
    const [key] = (await chain?.signers(harness.platform))?.relayers ?? [];
    if (chain === undefined || key === undefined) throw new Error('there is no relayer');
    const fees = { maxFeePerGas: 50n * 10n ** 9n, maxPriorityFeePerGas: 20n * 10n ** 9n };
    const given = { chainId: chain.chainId, nonce, ...fees, gasLimit: 21_000n, to: rail.treasury, value: 1n, data: '0x' } as const;
    return rail.anvil.ask('eth_sendRawTransaction', (await key.signTransaction(given)).raw);
  };
  const openNonces = () => harness.platform.database.unscoped.chainTransaction.count({ where: { minedHash: null } });

  it('is not taken for one where nodes have forgotten the receipts of what was sent', async () => {
    const first = await payOut();
    await rail.round(harness);
    await rail.round(harness);
    await mine(4);
    expect(await statusOf(first)).toBe('complete');
    const late = await payOut();
    await rail.round(harness);
    await rail.round(harness);
    // It is in a block, and reverts there. No receipt says so.
    await rail.pause(true);
    const sent = await harness.platform.database.unscoped.chainForm.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
    node.lies = [lieAbout('eth_getTransactionReceipt', () => null)];
    await mine(4);
    const receipt = await rail.anvil.ask('eth_getTransactionReceipt', sent.hash);
    expect([receipt.status, await statusOf(late)]).toEqual(['0x0', 'pending']);
    await mine(2);
    expect([await standing(), await openNonces()]).toEqual([['on', 'test'], 1]);
    node.repent();
    await rail.pause(false);
    await mine(2);
    await mine(4);
    expect([await standing(), await openNonces(), await statusOf(late)]).toEqual([['on', 'test'], 0, 'complete']);
  });

  it('switches the rail off where it takes the place of one of ours', async () => {
    const payout = await payOut();
    await rail.round(harness);
    await rail.round(harness);
    const { nonce } = await harness.platform.database.unscoped.chainTransaction.findFirstOrThrow({ where: { minedHash: null } });
    const [ours] = await harness.platform.database.unscoped.chainForm.findMany({ where: { nonce } });
    await rail.anvil.ask('anvil_dropTransaction', ours?.hash);
    await sendElsewhere(nonce);
    await mine(4);
    expect(await standing()).toEqual(['off', 'foreign_transaction']);
    expect(await statusOf(payout)).toBe('pending');
    const text = await (await fetch(`${harness.live.url}/metrics`)).text();
    expect(text).toMatch(/^rail_state\{[^}]*\} 5$/m);
  });

  it('switches the rail off where it has a nonce that was never given here', async () => {
    await harness.platform.database.pool.query('UPDATE chain_transaction SET mined_hash = $1 WHERE mined_hash IS NULL', [
      `0x${'1'.repeat(64)}`,
    ]);
    await harness.live.make(`/v1/rails/${railName}/switch`, { to: 'on', reason: 'looked at' });
    const next = async () => (await harness.platform.database.unscoped.chainRelayer.findFirstOrThrow()).nextNonce;
    await mine();
    expect(await standing()).toEqual(['on', 'looked at']);
    // What waits is carried under the next nonce; the one after it is somebody else's.
    await mine(4);
    expect(await standing()).toEqual(['on', 'looked at']);
    await sendElsewhere(await next());
    await mine(4);
    expect(await standing()).toEqual(['off', 'foreign_transaction']);
  });
});
