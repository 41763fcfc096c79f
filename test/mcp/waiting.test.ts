// Calls that wait: their answer is a stream, which ends with the credential and with the process. What is sent by hand in the modern era is in
// modern-stream.test.ts.
import { expect, it } from 'vitest';
import { waitsOf } from '../../src/mcp/waiting.js';
import { createLogger } from '../../src/platform/log.js';
import { startServer } from '../../src/server.js';
import { newBudget, spender } from '../factories/budget.js';
import { useHarness } from '../harness.js';
import { connect } from './client.js';
import { type Connected, eras } from './era.js';

const harness = useHarness();

/** An agent that has asked for an approval, and is connected to the listener at `url`. */
async function asker<One extends Connected>(url: string, open: (url: string, token: string) => Promise<One>) {
  const agent = await spender(harness.test);
  await newBudget(harness.test, { scope: { type: 'agent', id: agent.uuid }, amount: '1.00' });
  const client = await open(url, agent.token);
  const given = { from_wallet_id: agent.from.id, to_wallet_id: agent.to.id, amount: '5.00', currency: 'USD' };
  const { approval } = await client.call('request_approval', given);
  return { agent, client, id: approval.id as string };
}

it('has its head at once, and what was decided when it is', async () => {
  const { agent, client, id } = await asker(harness.test.url, connect);
  await using _ = client;
  const message = { jsonrpc: '2.0', id: 'w', method: 'tools/call', params: { name: 'wait_for_approval', arguments: { id } } };
  const response = await fetch(`${harness.test.url}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${agent.token}`,
      'Mcp-Session-Id': client.transport.sessionId ?? '',
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(message),
  });
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  await harness.test.post(`/v1/approvals/${id}/reject`, {});
  expect(await response.text()).toContain('rejected');
});

it.each(eras)('tells nothing more to an agent that is suspended: %s', async (_era, open) => {
  const { agent, client, id } = await asker(harness.test.url, open);
  await using _ = client;
  const waiting = client.refused('wait_for_approval', { id });
  await expect.poll(() => waitsOf(harness.platform).size, { timeout: 20_000, interval: 20 }).toBe(1);
  await harness.test.post(`/v1/agents/${agent.id}/suspend`, {});
  expect(await waiting).toMatchObject({ code: 'agent_suspended' });
});

it.each(eras)('ends when its client takes it back, and holds no stream then: %s', async (_era, open) => {
  const { client, id } = await asker(harness.test.url, open);
  await using _ = client;
  const wanted = new AbortController();
  const params = { name: 'wait_for_approval', arguments: { id } };
  const waiting = client.cancellable(params, wanted.signal).catch((error) => error);
  await expect.poll(() => waitsOf(harness.platform).size, { timeout: 20_000, interval: 20 }).toBe(1);
  wanted.abort('not needed any more');
  expect(String(await waiting)).toContain('not needed any more');
  await expect.poll(() => waitsOf(harness.platform).size, { timeout: 20_000, interval: 20 }).toBe(0);
});

it('is not ended by what takes back another call, or one of another session', async () => {
  const { agent, client, id } = await asker(harness.test.url, connect);
  await using _ = client;
  await using other = await connect(harness.test.url, agent.token);
  const waiting = client.call('wait_for_approval', { id });
  await expect.poll(() => waitsOf(harness.platform).size, { timeout: 20_000, interval: 20 }).toBe(1);
  for (let requestId = 0; requestId < 10; requestId += 1)
    await other.client.notification({ method: 'notifications/cancelled', params: { requestId } });
  await client.client.notification({ method: 'notifications/cancelled', params: { requestId: 'another' } });
  expect(waitsOf(harness.platform).size).toBe(1);
  await harness.test.post(`/v1/approvals/${id}/approve`, {});
  expect((await waiting).data.status).toBe('approved');
});

it.each(eras)('does not hold up the end of a server: it is answered as it stands: %s', async (_era, open) => {
  const { config, clock, database } = harness.platform;
  const ready = { ...config, databaseUrl: database.url, secretsKey: config.secretsKey ?? '' };
  const second = await startServer({ config: ready, log: createLogger('fatal'), clock, pollMs: 0 });
  const { client, id } = await asker(second.urls.test ?? '', open);
  await using _ = client;
  const waiting = client.call('wait_for_approval', { id });
  await expect.poll(() => waitsOf(second.platform).size, { timeout: 20_000, interval: 20 }).toBe(1);
  await second.stop();
  expect((await waiting).data.status).toBe('pending');
});
