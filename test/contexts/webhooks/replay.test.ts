import { afterAll, describe, expect, it } from 'vitest';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';
import { signIn } from '../identity/sign-in.js';
import { deliveriesOf, happen, Receiver, subscribe } from './receiver.js';

const receiver = await Receiver.start();
const harness = useHarness({ allowHosts: [receiver.host] });
afterAll(() => receiver.stop());

let made = 0;
/** A subscription at a path of its own, with deliveries that were buried. */
async function buried(count: number): Promise<{ webhook: Json; path: string; since: string; letters: Json[] }> {
  made += 1;
  const path = `/replay-${made}`;
  const since = harness.clock.now().toISOString();
  const webhook = await subscribe(harness.test, receiver, path, ['account.created']);
  receiver.answer(path, 500);
  for (let n = 0; n < count; n += 1) await happen(harness.test);
  await harness.runDue();
  for (const wait of [66, 330, 990, 3_960]) await harness.advance(wait);
  receiver.answer(path, 200);
  const { body } = await harness.test.get(`/v1/webhooks/deliveries/dlq?webhook_id=${webhook.id}`);
  expect(body.data).toHaveLength(count);
  return { webhook, path, since, letters: body.data };
}

describe('POST /v1/webhooks/deliveries/{id}/replay', () => {
  it('202 with a new delivery of the same event', async () => {
    const { letters, path } = await buried(1);
    const [letter] = letters;
    const { status, body } = await harness.test.post(`/v1/webhooks/deliveries/${letter.id}/replay`);
    expect([status, body.data]).toMatchObject([202, { event_id: letter.event_id, status: 'pending', attempt_count: 0 }]);
    expect(body.data.id).not.toBe(letter.id);
    const waiting = await harness.test.post(`/v1/webhooks/deliveries/${body.data.id}/replay`);
    expect([waiting.status, waiting.body.code]).toEqual([409, 'state_conflict']);
    await harness.runDue();
    expect(receiver.at(path).at(-1)?.headers['x-svc-event-id']).toBe(letter.event_id);
    expect((await harness.test.get(`/v1/webhooks/deliveries/${body.data.id}`)).body.data.status).toBe('delivered');
  });

  it('202 for a JWT session, 403 for an agent', async () => {
    const { token } = await enrol(harness.test);
    await harness.runDue();
    const { letters } = await buried(1);
    const path = `/v1/webhooks/deliveries/${letters[0].id}/replay`;
    expect((await harness.test.post(path, undefined, { as: await signIn(harness.test) })).status).toBe(202);
    const refused = await harness.test.post(path, undefined, { as: token });
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
  });

  it("404 for one that is not there, or another tenant's", async () => {
    const { letters } = await buried(1);
    expect((await harness.test.post(`/v1/webhooks/deliveries/${nowhere}/replay`)).status).toBe(404);
    expect((await harness.other.post(`/v1/webhooks/deliveries/${letters[0].id}/replay`)).status).toBe(404);
  });

  it('409 for a subscription that is not active', async () => {
    const { letters, webhook } = await buried(1);
    await harness.test.patch(`/v1/webhooks/${webhook.id}`, { status: 'paused' });
    const { status, body } = await harness.test.post(`/v1/webhooks/deliveries/${letters[0].id}/replay`);
    expect([status, body.details.current_status]).toEqual([409, 'paused']);
  });
});

describe('POST /v1/webhooks/{id}/replay', () => {
  it('202 with how many were queued: what failed and arrived by no other, ten a second', async () => {
    const { webhook, path, since, letters } = await buried(15);
    await harness.test.post(`/v1/webhooks/deliveries/${letters[0].id}/replay`);
    await harness.runDue();
    const before = receiver.at(path).length;
    const { status, body } = await harness.test.post(`/v1/webhooks/${webhook.id}/replay`, { since });
    expect([status, body.data]).toEqual([202, { queued: 14 }]);
    await harness.runDue();
    expect(receiver.at(path).length - before).toBe(10);
    await harness.advance(1);
    expect(receiver.at(path).length - before).toBe(14);
    expect((await harness.test.make(`/v1/webhooks/${webhook.id}/replay`, { since })).queued).toBe(0);
    const every = await harness.test.make(`/v1/webhooks/${webhook.id}/replay`, { since, only_failed: false });
    expect(every.queued).toBe(15);
  });

  it('202 to another URL, in the sandbox alone', async () => {
    const { webhook, since } = await buried(1);
    const overrideUrl = receiver.url('/elsewhere');
    expect((await harness.test.make(`/v1/webhooks/${webhook.id}/replay`, { since, override_url: overrideUrl })).queued).toBe(1);
    await harness.runDue();
    expect(receiver.at('/elsewhere')).toHaveLength(1);
    const live = await harness.live.make('/v1/webhooks', { url: 'https://example.com/', events: ['*'] });
    const refused = await harness.live.post(`/v1/webhooks/${live.id}/replay`, { since, override_url: 'https://example.com/x' });
    expect([refused.status, refused.body.code]).toEqual([403, 'test_mode_only']);
    const bad = await harness.test.post(`/v1/webhooks/${webhook.id}/replay`, { since, override_url: 'https://10.0.0.1/' });
    expect([bad.status, bad.body.code]).toEqual([422, 'invalid_webhook_url']);
  });

  it('400 without since, or for a type that is in no catalog; 404 for a subscription that is not there', async () => {
    const { webhook, since } = await buried(1);
    expect((await harness.test.post(`/v1/webhooks/${webhook.id}/replay`, {})).status).toBe(400);
    expect((await harness.test.post(`/v1/webhooks/${webhook.id}/replay`, { since, event_types: ['x'] })).status).toBe(400);
    expect((await harness.test.post(`/v1/webhooks/${nowhere}/replay`, { since })).status).toBe(404);
  });
});

describe('GET /v1/webhooks/{id}/deliveries, /stats', () => {
  it('200 by status, type and time; counts and times', async () => {
    const { webhook, path, since } = await buried(2);
    await happen(harness.test);
    await harness.runDue();
    const all = await deliveriesOf(harness.test, webhook.id);
    expect(all.map(({ status }) => status)).toEqual(['delivered', 'dlq', 'dlq']);
    expect(await deliveriesOf(harness.test, webhook.id, '&status=delivered&event_type=account.created')).toHaveLength(1);
    expect(await deliveriesOf(harness.test, webhook.id, '&event_type=account.updated')).toEqual([]);
    expect(await deliveriesOf(harness.test, webhook.id, `&since=${since}`)).toHaveLength(3);
    const { status, body } = await harness.test.get(`/v1/webhooks/${webhook.id}/stats`);
    expect(status).toBe(200);
    expect(body.data).toEqual({ pending: 0, delivered: 1, failed: 0, dlq: 2, p50_ms: expect.any(Number), p95_ms: expect.any(Number) });
    expect(receiver.at(path)).toHaveLength(11);
  });

  it("404 for a subscription or delivery that is not there, or another tenant's", async () => {
    const { webhook, letters } = await buried(1);
    for (const path of [
      `/v1/webhooks/${webhook.id}/deliveries`,
      `/v1/webhooks/${webhook.id}/stats`,
      `/v1/webhooks/deliveries/${letters[0].id}`,
    ])
      expect((await harness.other.get(path)).status).toBe(404);
    expect((await harness.test.get(`/v1/webhooks/deliveries/${nowhere}`)).status).toBe(404);
    expect((await harness.other.get('/v1/webhooks/deliveries/dlq')).body.data).toEqual([]);
  });
});
