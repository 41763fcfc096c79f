// Streams of the revision of 2026-07-28: what listens for another list of tools, and calls that wait.
import { describe, expect, it } from 'vitest';
import { endToolStreams } from '../../src/mcp/tool-stream.js';
import { endWaits, waitsOf } from '../../src/mcp/waiting.js';
import { newBudget, spender } from '../factories/budget.js';
import { type Json, useHarness } from '../harness.js';
import { envelope, messagesOf, open, post } from './modern.js';

const harness = useHarness();

const idKey = 'io.modelcontextprotocol/subscriptionId';
const listening = (notifications: unknown, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'subscriptions/listen',
  params: { _meta: envelope, notifications },
});
const waitFor = (id: string, seconds = 50) => ({
  jsonrpc: '2.0',
  id: 'w',
  method: 'tools/call',
  params: { _meta: envelope, name: 'wait_for_approval', arguments: { id, timeout_seconds: seconds } },
});

/** A stream that was opened, and what comes of it. */
async function listen(token: string, notifications: unknown, id: string | number = 1) {
  const left = new AbortController();
  const response = await open(harness.test.url, token, listening(notifications, id), {}, left.signal);
  const messages = messagesOf(response, 'subscriptions/listen');
  return { response, left, next: async (): Promise<Json> => (await messages.next()).value };
}

describe('subscriptions/listen', () => {
  it('acknowledges what it honours, tells of a change, and ends with a result', async () => {
    const agent = await spender(harness.test);
    const asked = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['file:///a'] };
    const { response, next } = await listen(agent.token, asked, 'the-id');
    expect([response.status, response.headers.get('X-Accel-Buffering')]).toEqual([200, 'no']);
    const _meta = { [idKey]: 'the-id' };
    const acknowledged = {
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true }, _meta },
    };
    expect(await next()).toMatchObject(acknowledged);
    // What changed while nobody listened is not missed.
    const changed = { method: 'notifications/tools/list_changed', params: { _meta } };
    expect(await next()).toMatchObject(changed);
    const took: number[] = [];
    for (let times = 0; times < 3 && Math.min(1_000, ...took) >= 1_000; times += 1) {
      for (const step of ['freeze', 'unfreeze']) {
        await harness.test.post(`/v1/agents/${agent.id}/${step}`, {});
        const since = performance.now();
        expect(await next()).toMatchObject(changed);
        took.push(performance.now() - since);
      }
    }
    expect(Math.min(...took)).toBeLessThan(1_000);
    await endToolStreams(harness.platform);
    expect(await next()).toMatchObject({ id: 'the-id', result: { resultType: 'complete', _meta } });
    expect(await next()).toBeUndefined();
  });

  it('ends with the credential, by its result', async () => {
    const agent = await spender(harness.test);
    const { next } = await listen(agent.token, { toolsListChanged: true }, 7);
    for (const times of [1, 2]) expect((await next()).params._meta[idKey], String(times)).toBe(7);
    await harness.test.post(`/v1/agents/${agent.id}/suspend`, {});
    expect(await next()).toMatchObject({ id: 7, result: { resultType: 'complete', _meta: { [idKey]: 7 } } });
    expect(await next()).toBeUndefined();
  });

  it('ends at once where nothing is honoured, and needs a filter', async () => {
    const agent = await spender(harness.test);
    const many = Array.from({ length: 10_000 }, (_, at) => `a:${at}`);
    const { next } = await listen(agent.token, { resourceSubscriptions: many });
    expect((await next()).params.notifications).toEqual({});
    expect((await next()).result.resultType).toBe('complete');
    expect(await next()).toBeUndefined();
    for (const filter of [undefined, [], 'all', { toolsListChanged: 'yes' }]) {
      const { body } = await post(harness.test.url, agent.token, listening(filter));
      expect(body.error.code, JSON.stringify(filter)).toBe(-32_602);
    }
  });

  it('is one of the ten streams of its actor', async () => {
    const { token } = await spender(harness.test);
    const streams = await Promise.all(Array.from({ length: 10 }, (_, id) => listen(token, { toolsListChanged: true }, id)));
    for (const { next } of streams) expect((await next()).method).toContain('acknowledged');
    const { status, headers, body } = await post(harness.test.url, token, listening({ toolsListChanged: true }, 11));
    expect([status, body.id, body.error.data.code]).toEqual([429, 11, 'rate_limit_exceeded']);
    expect(headers.get('Retry-After')).not.toBeNull();
    for (const { left } of streams) left.abort();
    await expect
      .poll(async () => (await open(harness.test.url, token, listening({ toolsListChanged: true }))).status, { timeout: 10_000 })
      .toBe(200);
    await endToolStreams(harness.platform);
  });
});

describe('wait_for_approval', () => {
  async function asker() {
    const agent = await spender(harness.test);
    await newBudget(harness.test, { scope: { type: 'agent', id: agent.uuid }, amount: '1.00' });
    const given = { from_wallet_id: agent.from.id, to_wallet_id: agent.to.id, amount: '5.00', currency: 'USD', idempotency_key: 'a' };
    const params = { _meta: envelope, name: 'request_approval', arguments: given };
    const { body } = await post(harness.test.url, agent.token, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    return { token: agent.token, id: body.result.structuredContent.approval.id as string };
  }

  it('answers in a stream with what was decided', async () => {
    const { token, id } = await asker();
    const response = await open(harness.test.url, token, waitFor(id));
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await harness.test.post(`/v1/approvals/${id}/reject`, {});
    const messages = [];
    for await (const message of messagesOf(response, 'tools/call')) messages.push(message);
    expect(messages).toMatchObject([{ id: 'w', result: { resultType: 'complete', structuredContent: { data: { status: 'rejected' } } } }]);
  });

  it('ends when its stream is closed', async () => {
    const { token, id } = await asker();
    const left = new AbortController();
    await open(harness.test.url, token, waitFor(id), {}, left.signal);
    await expect.poll(() => waitsOf(harness.platform).size, { timeout: 20_000, interval: 20 }).toBe(1);
    left.abort();
    await expect.poll(() => waitsOf(harness.platform).size, { timeout: 20_000, interval: 20 }).toBe(0);
  });

  it('is answered as it stands when the process ends', async () => {
    const { token, id } = await asker();
    const response = await open(harness.test.url, token, waitFor(id));
    await expect.poll(() => waitsOf(harness.platform).size, { timeout: 20_000, interval: 20 }).toBe(1);
    await endWaits(harness.platform);
    const { value } = await messagesOf(response, 'tools/call').next();
    expect(value.result.structuredContent.data.status).toBe('pending');
  });
});
