// What a subscriber gets, how often, and what happens when it does not answer well (SPEC.md "Webhook delivery", CONTRACT.md 16).
import { afterAll, describe, expect, it } from 'vitest';
import { Outbound } from '../../../src/platform/outbound/client.js';
import { useHarness } from '../../harness.js';
import { deliveriesOf, happen, Receiver, subscribe, verifyWithStripe } from './receiver.js';

const receiver = await Receiver.start();
const harness = useHarness({ allowHosts: [receiver.host] });
afterAll(() => receiver.stop());

const deliveryOf = async (webhookId: string) => (await deliveriesOf(harness.test, webhookId))[0];

describe('a delivery', () => {
  it('carries the envelope, the headers, and a signature over the exact bytes', async () => {
    const webhook = await subscribe(harness.test, receiver, '/exact', ['account.*']);
    const account = await happen(harness.test, 'Zoë €');
    await harness.runDue();
    const [got, ...more] = receiver.at('/exact');
    expect(more).toEqual([]);
    expect(got?.json).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/),
      type: 'account.created',
      timestamp: harness.clock.now().toISOString(),
      data: { account_id: `acc_${account.id}`, type: 'business', status: 'active', name: 'Zoë €' },
    });
    expect(got?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-svc-event-id': got?.json.id,
      'x-svc-delivery-id': expect.stringMatching(/^del_[0-9a-f-]{36}$/),
      'x-svc-webhook-id': webhook.id,
      'x-svc-signature': expect.stringMatching(/^t=\d{10},v1=[0-9a-f]{64}$/),
    });
    if (got === undefined) return;
    expect(verifyWithStripe(got, webhook.secret, harness.clock.now())).toEqual(got.json);
    const late = (seconds: number) => () => verifyWithStripe(got, webhook.secret, new Date(harness.clock.now().getTime() + seconds * 1000));
    expect(late(300)).not.toThrow();
    expect(late(301)).toThrow(/timestamp/i);
    expect(() => verifyWithStripe(got, `${webhook.secret}x`, harness.clock.now())).toThrow(/signature/i);
    expect(await deliveryOf(webhook.id)).toMatchObject({
      status: 'delivered',
      attempt_count: 1,
      last_response_code: 200,
      last_response_body: 'ok',
      attempts: [{ delivery_id: got.headers['x-svc-delivery-id'], response_code: 200 }],
    });
  });

  it('goes to those who named the type, in their workspace alone', async () => {
    await subscribe(harness.test, receiver, '/named', ['transfer.*']);
    await subscribe(harness.other, receiver, '/stranger', ['*']);
    await happen(harness.test);
    await harness.runDue();
    expect(receiver.at('/named')).toEqual([]);
    expect(receiver.at('/stranger')).toEqual([]);
  });

  it('is sent five times over an hour and then buried, each time anew signed, the event the same', async () => {
    const watcher = await subscribe(harness.test, receiver, '/watcher', ['webhook.dlq']);
    const webhook = await subscribe(harness.test, receiver, '/broken', ['account.created', 'webhook.dlq']);
    receiver.answer('/broken', 500);
    await happen(harness.test);
    await harness.runDue();
    const begun = harness.clock.now().getTime();
    const sent = () => receiver.at('/broken').length;
    expect(sent()).toBe(1);
    for (const [index, wait] of [60, 300, 900, 3_600].entries()) {
      const { status, next_retry_at } = await deliveryOf(webhook.id);
      const due = (new Date(next_retry_at).getTime() - harness.clock.now().getTime()) / 1000;
      expect([status, due >= wait, due <= wait * 1.1]).toEqual(['failed', true, true]);
      await harness.advance(wait - 1);
      expect(sent()).toBe(index + 1);
      await harness.advance(wait * 0.1 + 1);
      expect(sent()).toBe(index + 2);
    }
    const elapsed = (harness.clock.now().getTime() - begun) / 1000;
    expect(elapsed).toBeLessThan(1.1 * (60 + 300 + 900 + 3_600) + 1);
    const got = receiver.at('/broken');
    expect(new Set(got.map(({ headers }) => headers['x-svc-event-id'])).size).toBe(1);
    expect(new Set(got.map(({ headers }) => headers['x-svc-delivery-id'])).size).toBe(5);
    expect(new Set(got.map(({ headers }) => headers['x-svc-signature'])).size).toBe(5);
    const delivery = await deliveryOf(webhook.id);
    expect(delivery).toMatchObject({ status: 'dlq', attempt_count: 5, dlq_reason: 'attempts_exhausted', last_response_body: 'said 500' });
    expect(delivery.attempts).toHaveLength(5);
    // Told to the other subscription, and not to the one that failed.
    expect(receiver.at('/watcher').map(({ json }) => json)).toMatchObject([
      {
        type: 'webhook.dlq',
        data: {
          delivery_id: delivery.id,
          event_id: delivery.event_id,
          event_type: 'account.created',
          webhook_id: webhook.id,
          url: receiver.url('/broken'),
          attempts: 5,
          last_response_code: 500,
        },
      },
    ]);
    await harness.advance(100_000);
    expect(sent()).toBe(5);
    await harness.test.delete(`/v1/webhooks/${watcher.id}`);
    await harness.test.delete(`/v1/webhooks/${webhook.id}`);
  });

  it('waits as long as the receiver asks for, when that is longer', async () => {
    const webhook = await subscribe(harness.test, receiver, '/later', ['account.created']);
    receiver.answer('/later', (response) => response.writeHead(503, { 'Retry-After': '600' }).end());
    await happen(harness.test);
    await harness.runDue();
    const { next_retry_at } = await deliveryOf(webhook.id);
    expect(new Date(next_retry_at).getTime() - harness.clock.now().getTime()).toBe(600_000);
    receiver.answer('/later', 204);
    await harness.advance(600);
    expect(await deliveryOf(webhook.id)).toMatchObject({ status: 'delivered', attempt_count: 2 });
    await harness.test.delete(`/v1/webhooks/${webhook.id}`);
  });

  it('fails on a redirect, which is not followed', async () => {
    const webhook = await subscribe(harness.test, receiver, '/moved', ['account.created']);
    receiver.answer('/moved', (response) => response.writeHead(302, { Location: receiver.url('/target') }).end());
    await happen(harness.test);
    await harness.runDue();
    expect(await deliveryOf(webhook.id)).toMatchObject({ status: 'failed', last_response_code: 302 });
    expect(receiver.at('/target')).toEqual([]);
    await harness.test.delete(`/v1/webhooks/${webhook.id}`);
  });

  it('reads no more than 1 KiB of an answer without end', async () => {
    const webhook = await subscribe(harness.test, receiver, '/endless', ['account.created']);
    receiver.answer('/endless', (response) => {
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    });
    await happen(harness.test);
    await harness.runDue();
    const delivery = await deliveryOf(webhook.id);
    expect([delivery.status, delivery.last_response_body]).toEqual(['delivered', 'x'.repeat(1024)]);
    await harness.test.delete(`/v1/webhooks/${webhook.id}`);
  });

  it('goes straight to the dead-letter queue when its subscription is paused or deleted meanwhile, unsent', async () => {
    const paused = await subscribe(harness.test, receiver, '/paused', ['account.created']);
    const deleted = await subscribe(harness.test, receiver, '/deleted', ['account.created']);
    for (const path of ['/paused', '/deleted']) receiver.answer(path, 500);
    await happen(harness.test);
    await harness.runDue();
    await harness.test.patch(`/v1/webhooks/${paused.id}`, { status: 'paused' });
    await harness.test.delete(`/v1/webhooks/${deleted.id}`);
    await harness.advance(70);
    const kept = { last_error: 'answered 500', last_response_code: 500 };
    expect(await deliveryOf(paused.id)).toMatchObject({ status: 'dlq', dlq_reason: 'subscription_paused', attempt_count: 1, ...kept });
    expect(await deliveryOf(deleted.id)).toMatchObject({ status: 'dlq', dlq_reason: 'subscription_deleted', attempt_count: 1 });
    expect([receiver.at('/paused').length, receiver.at('/deleted').length]).toEqual([1, 1]);
  });
});

describe('endpoints beside each other', () => {
  it('a slow one delays no other, and gets at most ten requests at once', async () => {
    const patient = harness.platform.outbound;
    harness.platform.outbound = new Outbound({ allowHosts: [receiver.host], timeoutMs: 1_000 });
    const slow = await subscribe(harness.test, receiver, '/slow', ['account.created']);
    const fast = await subscribe(harness.test, receiver, '/fast', ['account.created']);
    let hanging = 0;
    let most = 0;
    let sentFast = 0;
    let fastWhenFirstHungUp: number | undefined;
    receiver.answer('/fast', (response) => {
      sentFast += 1;
      response.end();
    });
    receiver.answer('/slow', (response) => {
      hanging += 1;
      if (fastWhenFirstHungUp === undefined) most = Math.max(most, hanging);
      response.on('close', () => {
        fastWhenFirstHungUp ??= sentFast;
        hanging -= 1;
      });
    });
    for (let n = 0; n < 30; n += 1) await happen(harness.test);
    await harness.runDue();
    expect([most, fastWhenFirstHungUp]).toEqual([10, 30]);
    expect(await deliveriesOf(harness.test, fast.id, '&status=delivered')).toHaveLength(30);
    const failed = await deliveriesOf(harness.test, slow.id, '&status=failed');
    expect(failed).toHaveLength(30);
    expect(failed[0]).toMatchObject({ last_error: 'no answer within 1 s', attempt_count: 1 });
    await harness.platform.outbound.close();
    harness.platform.outbound = patient;
    for (const { id } of [slow, fast]) await harness.test.delete(`/v1/webhooks/${id}`);
  });
});

describe('an endpoint that only fails', () => {
  it('is disabled after 20 dead letters in a row, which is told, and made active again by its owner', async () => {
    const watcher = await subscribe(harness.test, receiver, '/disabled-watcher', ['webhook.disabled']);
    const webhook = await subscribe(harness.test, receiver, '/dead', ['account.created']);
    receiver.answer('/dead', 500);
    for (let n = 0; n < 20; n += 1) await happen(harness.test);
    await harness.runDue();
    for (const wait of [66, 330, 990, 3_960]) await harness.advance(wait);
    const { body } = await harness.test.get(`/v1/webhooks/${webhook.id}`);
    expect(body.data).toMatchObject({
      status: 'disabled',
      disabled_reason: '20 deliveries in a row went to the dead-letter queue; the last error: answered 500',
    });
    const [dead] = await deliveriesOf(harness.test, webhook.id);
    const replay = await harness.test.post(`/v1/webhooks/deliveries/${dead?.id}/replay`);
    expect([replay.status, replay.body.error]).toEqual([
      409,
      expect.stringContaining(`PATCH /v1/webhooks/${webhook.id} {"status": "active"}`),
    ]);
    expect(receiver.at('/disabled-watcher').map(({ json }) => [json.type, json.data.webhook_id])).toEqual([
      ['webhook.disabled', webhook.id],
    ]);
    await happen(harness.test);
    await harness.runDue();
    expect(await deliveriesOf(harness.test, webhook.id)).toHaveLength(20);
    const again = await harness.test.patch(`/v1/webhooks/${webhook.id}`, { status: 'active' });
    expect(again.body.data).toMatchObject({ status: 'active' });
    expect(again.body.data).not.toHaveProperty('failing_since');
    for (const { id } of [watcher, webhook]) await harness.test.delete(`/v1/webhooks/${id}`);
  });

  it('is disabled after five days of failures alone; one arrival starts the count anew', async () => {
    const webhook = await subscribe(harness.test, receiver, '/days', ['account.created']);
    receiver.answer('/days', 500);
    const failOnce = async () => {
      await happen(harness.test);
      await harness.runDue();
    };
    const status = async () => (await harness.test.get(`/v1/webhooks/${webhook.id}`)).body.data.status;
    await failOnce();
    await harness.advance(4 * 86_400);
    receiver.answer('/days', 200);
    await failOnce();
    receiver.answer('/days', 500);
    await failOnce();
    await harness.advance(5 * 86_400 - 100);
    expect(await status()).toBe('active');
    await harness.advance(100);
    await failOnce();
    expect(await status()).toBe('disabled');
    await harness.test.delete(`/v1/webhooks/${webhook.id}`);
  });
});
