import { afterAll, describe, expect, it } from 'vitest';
import { nowhere, useHarness } from '../../harness.js';
import { Receiver, subscribe } from './receiver.js';

const receiver = await Receiver.start();
const harness = useHarness({ allowHosts: [receiver.host] });
afterAll(() => receiver.stop());

describe('POST /v1/webhooks/{id}/test', () => {
  it('202 with what the endpoint answered; nobody else is told', async () => {
    await subscribe(harness.test, receiver, '/bystander', ['*']);
    const webhook = await subscribe(harness.test, receiver, '/tested', ['transfer.*']);
    receiver.answer('/tested', 201);
    const { status, body } = await harness.test.post(`/v1/webhooks/${webhook.id}/test`);
    expect([status, body.data]).toEqual([
      202,
      {
        delivery_id: expect.stringMatching(/^dlv_/),
        event_id: expect.stringMatching(/^evt_/),
        status: 'delivered',
        response_code: 201,
        duration_ms: expect.any(Number),
      },
    ]);
    expect(receiver.at('/tested').map(({ json }) => json)).toMatchObject([
      { id: body.data.event_id, type: 'webhook.test', data: { endpoint_id: webhook.id, endpoint_name: '/tested' } },
    ]);
    await harness.runDue();
    expect([receiver.at('/tested').length, receiver.at('/bystander').length]).toEqual([1, 0]);
    const { body: read } = await harness.test.get(`/v1/webhooks/deliveries/${body.data.delivery_id}`);
    expect(read.data).toMatchObject({ status: 'delivered', attempt_count: 1, last_response_body: 'said 201' });
  });

  it('202 with the example of a type, also to a paused subscription; a failure is tried again', async () => {
    const webhook = await subscribe(harness.test, receiver, '/tested-paused', ['transfer.*']);
    await harness.test.patch(`/v1/webhooks/${webhook.id}`, { status: 'paused' });
    receiver.answer('/tested-paused', 500);
    const { body } = await harness.test.post(`/v1/webhooks/${webhook.id}/test`, { event_type: 'transfer.completed' });
    expect(body.data).toMatchObject({ status: 'failed', response_code: 500, error: 'answered 500' });
    expect(receiver.at('/tested-paused')[0]?.json).toMatchObject({ type: 'transfer.completed', data: { status: 'completed' } });
    await harness.test.patch(`/v1/webhooks/${webhook.id}`, { status: 'active' });
    receiver.answer('/tested-paused', 200);
    await harness.advance(66);
    const { body: read } = await harness.test.get(`/v1/webhooks/deliveries/${body.data.delivery_id}`);
    expect(read.data).toMatchObject({ status: 'delivered', attempt_count: 2 });
  });

  it('a replay of the request sends nothing again', async () => {
    const webhook = await subscribe(harness.test, receiver, '/tested-once', ['transfer.*']);
    const options = { headers: { 'Idempotency-Key': 'test-once' } };
    const first = await harness.test.post(`/v1/webhooks/${webhook.id}/test`, {}, options);
    const again = await harness.test.post(`/v1/webhooks/${webhook.id}/test`, {}, options);
    expect(again.body).toEqual(first.body);
    expect(receiver.at('/tested-once')).toHaveLength(1);
  });

  it('400 for a type that is in no catalog', async () => {
    const webhook = await subscribe(harness.test, receiver, '/tested', ['*']);
    expect((await harness.test.post(`/v1/webhooks/${webhook.id}/test`, { event_type: 'transfer.*' })).status).toBe(400);
  });

  it('404 for a subscription that is not there', async () => {
    expect((await harness.test.post(`/v1/webhooks/${nowhere}/test`)).status).toBe(404);
  });
});
