// `cli mcp` as a real process, as desktop programs start it, in front of a server that is interrupted.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newBudget, type Spender, spender } from '../factories/budget.js';
import { type Json, useHarness } from '../harness.js';
import { buildOnce } from '../process.js';
import { callsOf } from './client.js';

const harness = useHarness();
const cli = path.join(import.meta.dirname, '..', '..', 'dist', 'cli.js');
let payer: Spender;
/** Between the process and the platform: it may lose the answer of a request that was carried out. */
let line: Server;
let lineUrl: string;
let lost = 0;
/** What else befalls the next POST: asked when the platform has answered; true when it has seen to the answer. */
let befall: ((response: IncomingMessage, answer: ServerResponse) => boolean) | undefined;
beforeAll(async () => {
  await buildOnce();
  payer = await spender(harness.test);
  line = createServer((incoming, answer) => {
    const { method, url = '', headers } = incoming;
    const passed = request(harness.test.url + url, { method, headers }, (response) => {
      if (method === 'POST' && lost > 0) {
        lost -= 1;
        response.resume().once('end', () => incoming.socket.destroy());
        return;
      }
      if (method === 'POST' && befall?.(response, answer)) return;
      answer.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(answer);
    });
    passed.once('error', () => answer.destroy());
    answer.once('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  lineUrl = `http://127.0.0.1:${(line.address() as AddressInfo).port}`;
}, 120_000);
afterAll(() => {
  line.closeAllConnections();
  line.close();
});

const argsOf = (key: string) => [cli, 'mcp', '--url', lineUrl, '--key', key];
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const callOf = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } });
const linesOf = (messages: object[]) => messages.map((message) => `${JSON.stringify(message)}\n`).join('');

/** A client of a process that speaks for `key`. */
async function start(key: string) {
  const args = argsOf(key);
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' });
  const client = new Client({ name: 'test', version: '1.0.0' });
  return { client, transport, ...callsOf(client) };
}

describe('cli mcp', () => {
  it('lists, calls, hears of changes, and pays once through interruptions and a session that is over', async () => {
    const { client, transport, call, names } = await start(payer.token);
    let told = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      told += 1;
    });
    await client.connect(transport as Parameters<Client['connect']>[0]);
    try {
      await expect.poll(() => told, { timeout: 10_000 }).toBe(1);
      expect(await names()).toContain('pay');
      expect((await call('whoami')).data.actor.id).toBe(payer.id);

      lost = 2;
      const given = { from_wallet_id: payer.from.id, to_wallet_id: payer.to.id, amount: '5.00', currency: 'USD' };
      expect((await call('pay', given)).data.status).toBe('completed');
      expect(lost).toBe(0);
      expect((await harness.test.get(`/v1/wallets/${payer.to.id}/balance`)).body.data.available).toBe('5.00');

      harness.clock.advance(86_401);
      expect((await call('whoami')).data.actor.id).toBe(payer.id);
      await expect.poll(() => told, { timeout: 10_000 }).toBeGreaterThan(1);
      const before = told;
      await harness.test.post(`/v1/agents/${payer.id}/freeze`, {});
      await expect.poll(() => told, { timeout: 10_000 }).toBeGreaterThan(before);
      expect(await names()).not.toContain('pay');
    } finally {
      await client.close();
    }
  }, 60_000);

  it('makes a call again that waits and is cut off, and through a gateway that has no server', async () => {
    const asking = await spender(harness.test);
    await newBudget(harness.test, { scope: { type: 'agent', id: asking.uuid }, amount: '1.00' });
    const { client, transport, call } = await start(asking.token);
    await client.connect(transport as Parameters<Client['connect']>[0]);
    try {
      let times = 0;
      befall = (response, answer) => {
        times += 1;
        response.resume();
        answer.writeHead(times === 1 ? 502 : 504).end();
        if (times === 2) befall = undefined;
        return true;
      };
      const given = { from_wallet_id: asking.from.id, to_wallet_id: asking.to.id, amount: '5.00', currency: 'USD' };
      const { approval } = await call('request_approval', given);
      expect(times).toBe(2);

      const isCut = new Promise<void>((resolve) => {
        befall = (response, answer) => {
          befall = undefined;
          answer.writeHead(response.statusCode ?? 500, response.headers).flushHeaders();
          setImmediate(() => answer.destroy());
          resolve();
          return true;
        };
      });
      const waiting = call('wait_for_approval', { id: approval.id });
      await isCut;
      await harness.test.post(`/v1/approvals/${approval.id}/reject`, {});
      expect((await waiting).data.status).toBe('rejected');
    } finally {
      befall = undefined;
      await client.close();
    }
  }, 60_000);

  it('does not make a call again in another session, when it may have been made in the one that is over', async () => {
    const spending = await spender(harness.test);
    const { client, transport, call, result } = await start(spending.token);
    await client.connect(transport as Parameters<Client['connect']>[0]);
    try {
      const before = (await call('whoami')).data.wallets[0].balance.available;
      befall = (response, answer) => {
        befall = undefined;
        response.resume().once('end', () => {
          harness.clock.advance(86_401);
          answer.destroy();
        });
        return true;
      };
      const given = { from_wallet_id: spending.from.id, to_wallet_id: spending.to.id, amount: '5.00', currency: 'USD' };
      await expect(result('pay', given)).rejects.toThrow('nobody knows whether this call was made');
      expect(before - (await call('whoami')).data.wallets[0].balance.available).toBe(5);
    } finally {
      befall = undefined;
      await client.close();
    }
  }, 60_000);

  it('answers what is piped into it, in the session that it begins with, and ends', async () => {
    const child = spawn(process.execPath, argsOf(payer.token), { env: getDefaultEnvironment() });
    const exited = once(child, 'exit');
    const said: Buffer[] = [];
    child.stdout.on('data', (chunk) => said.push(chunk));
    child.stdin.end(linesOf([initialize, { jsonrpc: '2.0', method: 'notifications/initialized' }, callOf(1, 'whoami')]));
    expect(await exited).toEqual([0, null]);
    const answers: Json[] = Buffer.concat(said)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.find(({ id }) => id === 1)?.result.structuredContent.data.actor.id).toBe(payer.id);
    expect(answers.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
  }, 30_000);

  it('ends quietly when nobody reads what it says', async () => {
    const child = spawn(process.execPath, argsOf(payer.token), { env: getDefaultEnvironment() });
    const exited = once(child, 'exit');
    const warned: Buffer[] = [];
    child.stderr.on('data', (chunk) => warned.push(chunk));
    child.stdin.on('error', () => {});
    child.stdin.write(linesOf([initialize]));
    await once(child.stdout, 'data');
    child.stdout.destroy();
    child.stdin.write(linesOf([callOf(1, 'whoami'), callOf(2, 'whoami')]));
    expect(await exited).toEqual([0, null]);
    expect(Buffer.concat(warned).toString()).not.toContain('EPIPE');
  }, 30_000);

  it('says what it found where no platform is', async () => {
    const { client, transport } = await start(payer.token);
    befall = (response, answer) => {
      response.resume();
      answer.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error": "no such page"}');
      return true;
    };
    const refused = client.connect(transport as Parameters<Client['connect']>[0]);
    await expect(refused).rejects.toThrow('no such page');
    befall = undefined;
    await client.close();
  }, 30_000);

  it('says why it is not let in', async () => {
    const { client, transport } = await start(`agent_${'0'.repeat(43)}`);
    const refused = client.connect(transport as Parameters<Client['connect']>[0]);
    await expect(refused).rejects.toThrow('This agent token is not accepted');
    await client.close();
  }, 30_000);
});
