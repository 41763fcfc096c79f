// Stock clients and sellers of x402, and a client of MPP, over a real chain, with a server whose workers read and send by themselves: the fetch client at the paid
// door, and a seller on Express that has us settle. What was paid is asserted on the node.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ChainAddress } from '../../../src/contexts/x402/chain/address.js';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { ChainRail } from '../../chain/rail.js';
import { RailServer } from '../../chain/rail-server.js';
import { evmClient } from '../../factories/mpp-call.js';
import { endpointBody, unbase64 } from '../../factories/x402.js';
import type { Json } from '../../harness.js';
import { seller } from '../../oracles/installed.js';

const network = 'eip155:84532';
const payers = Number(process.env['PAYERS'] ?? 20);
const rail = await ChainRail.prepare({ deposits: true, anvil: { args: ['--block-time', '1'] } });

describe.runIf(hasAnvil)(`stock x402 over a chain${withAnvil}`, () => {
  let running: RailServer;
  let wallet: Json;
  let endpoint: Json;
  let payTo: ChainAddress;
  beforeAll(async () => {
    running = await RailServer.start(rail);
    await running.switchOn();
    const account = await running.live.make('/v1/accounts', { type: 'business', name: 'Ada' });
    wallet = await running.live.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USDC' });
    endpoint = await running.live.make('/v1/x402/endpoints', endpointBody(account, { receiver_wallet_id: wallet.id, network }));
    payTo = endpoint.pay_to;
  }, 180_000);
  afterAll(async () => {
    await running?.stop();
    await rail.stop();
  });

  /** Somebody with money on the chain, who pays what is asked. */
  const buyer = async (): Promise<typeof fetch> => {
    const account = privateKeyToAccount(generatePrivateKey());
    await rail.anvil.setMoney(account.address.toLowerCase() as ChainAddress, 1_000_000n);
    return wrapFetchWithPayment(fetch, new x402Client().register(network, new ExactEvmScheme(account)));
  };
  const creditedBy = async (amount: string) => {
    const available = async () => (await running.live.get(`/v1/wallets/${wallet.id}/balance`)).body.data.available;
    await vi.waitUntil(async () => (await available()) === amount, { timeout: 30_000, interval: 250 });
  };

  it('are served at the paid door, many at once, and every wallet is credited', { timeout: 120_000 }, async () => {
    const buyers = await Promise.all(Array.from({ length: payers }, buyer));
    const times: number[] = [];
    const answers = await Promise.all(
      buyers.map(async (paying) => {
        const from = performance.now();
        const answer = await paying(`${running.server.live.url}/x402/${endpoint.id}`);
        times.push(performance.now() - from);
        return [answer.status, ((await answer.json()) as Json).paid, unbase64(answer.headers.get('payment-response'))?.success];
      }),
    );
    expect(answers.filter(([status, paid, success]) => status !== 200 || !paid || !success)).toEqual([]);
    expect(await rail.anvil.moneyOf(payTo)).toBe(BigInt(payers) * 100_000n);
    await creditedBy((payers / 10).toFixed(2));
    times.sort((a, b) => a - b);
    console.log(`${payers} payers at once: answered after ${Math.round(times[0] ?? 0)} to ${Math.round(times.at(-1) ?? 0)} ms`);
    expect(await running.counted(`SELECT count(*) FROM funding_transaction`)).toBe(0);
    await running.server.expectBalanced();
  });

  it('of MPP are served, too', { timeout: 60_000 }, async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    await rail.anvil.setMoney(account.address.toLowerCase() as ChainAddress, 1_000_000n);
    const before = await rail.anvil.moneyOf(payTo);
    const answer = await evmClient(account).fetch(`${running.server.live.url}/x402/${endpoint.id}`);
    const body = (await answer.json()) as Json;
    expect([answer.status, body.receipt]).toEqual([200, expect.objectContaining({ method: 'evm', reference: body.payment_id })]);
    expect(await rail.anvil.moneyOf(payTo)).toBe(before + 100_000n);
    const read = async () => (await running.live.get(`/v1/x402/payments/${body.payment_id}`)).body.data;
    await vi.waitUntil(async () => (await read()).transfer_id !== undefined, { timeout: 30_000, interval: 250 });
    const { transfer_id: id } = await read();
    expect((await running.live.get(`/v1/transfers/${id}`)).body.data).toMatchObject({ protocol: 'mpp', amount: '0.10' });
  });

  describe.runIf(seller)(`sellers${seller ? '' : ' (skipped: npm ci --prefix test/oracles installs one)'}`, () => {
    let child: ChildProcess;
    let shop = '';
    beforeAll(async () => {
      const { url, key } = running.server.live;
      const env = { ...process.env, FACILITATOR: `${url}/v1/x402/facilitator`, KEY: key, PAY_TO: payTo, NETWORK: network };
      child = spawn(process.execPath, [seller as string], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      const [port] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line');
      shop = `http://127.0.0.1:${port}/weather`;
    }, 60_000);
    afterAll(() => child.kill());

    it('are paid through us, and serve the call', { timeout: 60_000 }, async () => {
      const before = await rail.anvil.moneyOf(payTo);
      const unpaid = await fetch(shop);
      expect(unpaid.status).toBe(402);
      const answer = await (await buyer())(shop);
      expect([answer.status, await answer.json()]).toEqual([200, { weather: 'sunny' }]);
      expect(unbase64(answer.headers.get('payment-response'))).toMatchObject({ success: true, network });
      expect(await rail.anvil.moneyOf(payTo)).toBe(before + 100_000n);
    });
  });
});
