// A sandbox asks nothing of a real chain, whatever stands in the file of rails: payouts, funding, refunds, payments by x402 and MPP over the simulated
// chain of the same number. The chain stands still, so the rail itself asks the same questions again and again; there is no other.
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { type Asked, LyingNode } from '../../chain/lying-node.js';
import { ChainRail, railName } from '../../chain/rail.js';
import { RailServer } from '../../chain/rail-server.js';
import { newPayer, signed } from '../../factories/chain.js';
import { evmClient } from '../../factories/mpp-call.js';
import { base64, newEndpoint } from '../../factories/x402.js';
import { Client, openWallet } from '../../harness.js';
import { randomOf } from '../../life/caller.js';
import { Trader } from '../../life/trader.js';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000));
const steps = 40;
let node: LyingNode;
const rail = await ChainRail.prepare({
  deposits: true,
  anvil: { args: ['--no-mining'] },
  through: async (url) => {
    node = await LyingNode.open(url);
    return node.url;
  },
});
const textOf = ({ method, params }: Asked) => `${method} ${JSON.stringify(params)}`;

describe.runIf(hasAnvil)(`a sandbox beside a real chain, seed ${seed}${withAnvil}`, () => {
  let running: RailServer;
  let sandbox: Client;
  beforeAll(async () => {
    running = await RailServer.start(rail);
    // A block of now, which the doctor wants.
    await rail.anvil.mine();
    await running.switchOn();
    sandbox = new Client(running.server.sandbox.url, running.server.sandbox.key);
  }, 180_000);
  afterAll(async () => {
    await running?.stop();
    await node?.close();
    await rail.stop();
  });

  /** Until the rail has asked everything once more: blocks are read again after ten seconds. */
  const onceMore = async () => {
    const before = node.asked.length;
    const isRead = () => node.asked.slice(before).filter(({ method }) => method === 'eth_getTransactionCount').length >= 2;
    await vi.waitUntil(isRead, { timeout: 60_000, interval: 250 });
  };
  /** What was asked since, that was not asked before. */
  let known: Set<string>;
  const news = () => [...new Set(node.asked.map(textOf))].filter((text) => !known.has(text));

  it('asks it nothing', { timeout: 240_000 }, async () => {
    await running.live.get(`/v1/rails/${railName}/proof`);
    await onceMore();
    known = new Set(node.asked.map(textOf));
    expect(known.size).toBeGreaterThan(5);

    const { url, key } = running.server.sandbox;
    const trader = new Trader({ key, url: () => url, kill: () => Promise.reject(new Error('nobody kills it')) }, randomOf(seed));
    await trader.open();
    for (let step = 0; step < steps; step += 1) await trader.step();
    const network = 'eip155:84532';
    const endpoint = await newEndpoint(sandbox, { network });
    const payer = await newPayer(sandbox);
    const door = `/x402/${endpoint.id}`;
    const offer = (await sandbox.get(door, { as: null })).body.accepts[0];
    const headers = { 'PAYMENT-SIGNATURE': base64(await signed(payer, offer)) };
    expect((await sandbox.get(door, { as: null, headers })).status).toBe(200);
    const other = privateKeyToAccount(generatePrivateKey());
    await sandbox.make('/v1/test/chain/fund', { address: other.address, amount: '10.00' });
    expect((await evmClient(other).fetch(`${url}${door}`)).status).toBe(200);
    const { wallet } = await openWallet(sandbox, { currency: 'USDC' });
    await sandbox.post(`/v1/wallets/${wallet.id}/deposit-addresses`, { rail: railName });
    const destination = { type: 'wallet', ref: other.address };
    await sandbox.post('/v1/payouts', { wallet_id: wallet.id, amount: '1.00', currency: 'USDC', rail: railName, destination });
    for (const path of ['/v1/rails', `/v1/rails/${railName}`, `/v1/rails/${railName}/proof`]) await sandbox.get(path);
    await sandbox.post(`/v1/rails/${railName}/switch`, { to: 'on', reason: 'test' });
    await trader.advance(10 * 86_400);
    await onceMore();
    expect(news()).toEqual([]);

    // A new block is asked about.
    await rail.anvil.mine();
    await vi.waitUntil(() => news().some((text) => text.startsWith('eth_getLogs')), { timeout: 60_000, interval: 250 });
  });
});
