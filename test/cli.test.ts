// `listen` and `trigger` as real processes, with a real receiver that verifies as the stripe SDK does.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endWorkspaceStreams } from '../src/contexts/events/workspace-stream.js';
import { freePort } from '../src/platform/postgres/cluster.js';
import { openWallet, useHarness } from './harness.js';
import { buildOnce, Program, runCli } from './process.js';

const harness = useHarness();
const cli = path.join(import.meta.dirname, '..', 'dist', 'cli.js');
const settled = { timeout: 10_000, interval: 20 };

const received: { headers: IncomingHttpHeaders; body: string }[] = [];
let answer = 200;
let receiver: Server;
let hook: string;
beforeAll(async () => {
  await buildOnce();
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers, body });
    response.writeHead(answer).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
}, 120_000);
afterAll(() => receiver.close());

const caller = () => ['--url', harness.test.url, '--key', harness.test.key];
const types = () => received.map(({ body }) => JSON.parse(body).type);

describe('cli listen', () => {
  it('forwards events signed as webhooks are, one line each, through interruptions', async () => {
    const listening = new Program(cli, ['listen', '--forward-to', hook, '--events', 'account.created,transfer.*', ...caller()], {});
    try {
      await expect.poll(() => listening.stdout, settled).toContain('Connected.');
      const secret = /whsec_[\w-]+/.exec(listening.stdout)?.[0] ?? '';
      const { account } = await openWallet(harness.test, { funded: '5.00' });
      await harness.test.patch(`/v1/accounts/${account.id}`, { name: 'Not forwarded' });
      await harness.runDue();
      await expect.poll(types, settled).toEqual(['account.created', 'transfer.created', 'transfer.completed']);

      const [first] = received;
      const { headers, body } = first as (typeof received)[number];
      const [event] = (await harness.test.get('/v1/events?type=account.created')).body.data;
      const { deliveries: _, ...envelope } = event;
      expect(JSON.parse(body)).toEqual(envelope);
      expect(Object.keys(JSON.parse(body))).toEqual(['id', 'type', 'timestamp', 'data']);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'x-svc-event-id': event.id,
        'x-svc-delivery-id': expect.stringMatching(/^del_/),
        'x-svc-webhook-id': expect.stringMatching(/^wh_/),
      });
      const stripe = new Stripe('sk_test_unused');
      expect(stripe.webhooks.constructEvent(body, String(headers['x-svc-signature']), secret)).toEqual(envelope);
      expect(() => stripe.webhooks.constructEvent(`${body} `, String(headers['x-svc-signature']), secret)).toThrow();
      await expect.poll(() => listening.stdout, settled).toMatch(new RegExp(`account.created +${event.id}  -> 200 in \\d+ ms`));

      answer = 500;
      await endWorkspaceStreams(harness.platform);
      await openWallet(harness.test);
      await harness.runDue();
      await expect.poll(types, settled).toHaveLength(4);
      await expect.poll(() => listening.stdout, settled).toContain('-> 500 in');
      expect(new Set(received.map(({ headers }) => headers['x-svc-event-id'])).size).toBe(4);
    } finally {
      const { code } = await listening.kill('SIGTERM');
      expect(code).toBe(0);
    }
  }, 60_000);

  it('says why it cannot: a wrong key, an unknown type, no receiver', async () => {
    const wrongKey = await runCli(['listen', '--forward-to', hook, '--url', harness.test.url, '--key', `pk_test_${'0'.repeat(43)}`], {});
    expect(wrongKey).toMatchObject({ code: 1, stderr: expect.stringMatching(/key/i) });
    const wrongType = await runCli(['listen', '--forward-to', hook, '--events', 'nothing.*', ...caller()], {});
    expect(wrongType).toMatchObject({ code: 1 });
    expect(wrongType.stderr).not.toBe('');
    expect(await runCli(['listen', ...caller()], {})).toMatchObject({ code: 1, stderr: expect.stringContaining('--forward-to') });
  }, 60_000);
});

describe('cli trigger', () => {
  it('emits a test event', async () => {
    const data = JSON.stringify({ amount: '7.00' });
    const { code, stdout, stderr } = await runCli(['trigger', 'transfer.failed', '--data', data, ...caller()], {});
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [event] = (await harness.test.get('/v1/events?limit=1')).body.data;
    expect(stdout).toContain(event.id);
    expect(event).toMatchObject({ type: 'transfer.failed', data: { amount: '7.00' } });
  }, 30_000);

  it('says that nothing listens at a dead port', async () => {
    const dead = `http://127.0.0.1:${await freePort()}`;
    expect(await runCli(['trigger', 'transfer.completed', '--url', dead, '--key', harness.test.key], {})).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Nothing listens on ${dead}`),
    });
  }, 30_000);

  it('says what the platform refuses', async () => {
    expect(await runCli(['trigger', 'nothing.happened', ...caller()], {})).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not an event type'),
    });
    const live = await runCli(['trigger', 'webhook.test', '--url', harness.live.url, '--key', harness.live.key], {});
    expect(live).toMatchObject({ code: 1, stderr: expect.stringMatching(/sandbox/) });
  }, 30_000);
});
