// `cli mcp` by the revision of 2026-07-28, with the stock client, in front of a server whose answers get lost.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitsOf } from '../../src/mcp/waiting.js';
import { newBudget, type Spender, spender } from '../factories/budget.js';
import { useHarness } from '../harness.js';
import { buildOnce } from '../process.js';
import { callsOf } from './client.js';
import type { Mode } from './next-client.js';

const harness = useHarness();
const cli = path.join(import.meta.dirname, '..', '..', 'dist', 'cli.js');
let payer: Spender;
let lineUrl: string;
/** How many answers are lost that the platform has given. */
let lost = 0;
const line = createServer((incoming, answer) => {
  const { method, url = '', headers } = incoming;
  const passed = request(harness.test.url + url, { method, headers }, (response) => {
    if (lost > 0) {
      lost -= 1;
      return void response.resume().once('end', () => incoming.socket.destroy());
    }
    answer.writeHead(response.statusCode ?? 500, response.headers);
    response.pipe(answer);
  });
  passed.once('error', () => answer.destroy());
  answer.once('close', () => passed.destroy());
  incoming.pipe(passed);
});

beforeAll(async () => {
  await buildOnce();
  payer = await spender(harness.test);
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  lineUrl = `http://127.0.0.1:${(line.address() as AddressInfo).port}`;
}, 120_000);
afterAll(() => {
  line.closeAllConnections();
  line.close();
});

async function start(key: string, mode: Mode) {
  const args = [cli, 'mcp', '--url', lineUrl, '--key', key];
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  let told = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    told += 1;
  });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }));
  return { client, told: () => told, ...callsOf(client as never) };
}

const payment = (amount: string, extra: object = {}) => ({
  from_wallet_id: payer.from.id,
  to_wallet_id: payer.to.id,
  amount,
  currency: 'USD',
  ...extra,
});
const received = async () => (await harness.test.get(`/v1/wallets/${payer.to.id}/balance`)).body.data.available;

describe('cli mcp', () => {
  it.each<[Mode, string]>([
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ])(
    'is understood by a client that is %s',
    async (mode, version) => {
      const { client, call } = await start(payer.token, mode);
      expect(client.getNegotiatedProtocolVersion()).toBe(version);
      expect((await call('whoami')).data.actor.id).toBe(payer.id);
      await client.close();
    },
    60_000,
  );

  it('lists, hears of changes over interruptions, pays once by a key, and repeats no call without one', async () => {
    const { client, told, call, result } = await start(payer.token, { pin: '2026-07-28' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('pay');
    await client.listen({ toolsListChanged: true });
    await expect.poll(told, { timeout: 10_000 }).toBe(1);

    lost = 2;
    expect((await call('pay', payment('5.00', { idempotency_key: 'stdio-1' }))).data.status).toBe('completed');
    expect([lost, await received()]).toEqual([0, '5.00']);
    lost = 1;
    await expect(result('list_transfers', {})).rejects.toThrow('nobody knows whether this call was made');

    // The line breaks; the stream is opened again, and the client is told so by a change alone.
    line.closeAllConnections();
    await expect.poll(told, { timeout: 10_000 }).toBe(2);
    await harness.test.post(`/v1/agents/${payer.id}/freeze`, {});
    await expect.poll(told, { timeout: 10_000 }).toBe(3);
    await harness.test.post(`/v1/agents/${payer.id}/unfreeze`, {});
    await client.close();
  }, 60_000);

  it('carries the word that a call is not waited for any more', async () => {
    const asking = await spender(harness.test);
    await newBudget(harness.test, { scope: { type: 'agent', id: asking.uuid }, amount: '1.00' });
    const { client, call } = await start(asking.token, { pin: '2026-07-28' });
    const given = { from_wallet_id: asking.from.id, to_wallet_id: asking.to.id, amount: '5.00', currency: 'USD', idempotency_key: 'a' };
    const { approval } = await call('request_approval', given);
    const wanted = new AbortController();
    const params = { name: 'wait_for_approval', arguments: { id: approval.id } };
    const waiting = client.callTool(params, { signal: wanted.signal }).catch((error) => error);
    await expect.poll(() => waitsOf(harness.platform).size, { timeout: 20_000, interval: 20 }).toBe(1);
    wanted.abort('not needed');
    expect(String(await waiting)).toContain('not needed');
    await expect.poll(() => waitsOf(harness.platform).size, { timeout: 20_000, interval: 20 }).toBe(0);
    await client.close();
  }, 60_000);

  it('says why it is not let in', async () => {
    await expect(start(`agent_${'0'.repeat(43)}`, 'auto')).rejects.toThrow('This agent token is not accepted');
  }, 30_000);
});
