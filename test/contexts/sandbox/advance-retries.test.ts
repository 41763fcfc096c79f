// The clock and the deliveries of webhooks, against a real receiver that is down.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { type Json, openWallet, useHarness } from '../../harness.js';

let receiver: Server;
const sends: { id: string; type: string }[] = [];
const port = await new Promise<number>((resolve) => {
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    sends.push({ id: String(request.headers['x-svc-event-id']), type: JSON.parse(body).type });
    response.writeHead(request.url === '/down' ? 503 : 200).end();
  }).listen(0, '127.0.0.1', () => resolve((receiver.address() as AddressInfo).port));
});
afterAll(() => receiver.close());

const harness = useHarness({ env: { WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` } });

describe('POST /v1/test/clocks/advance with a receiver that is down', () => {
  it('200: five attempts of more than an hour in a moment, each at its time, then the dead-letter queue tells of it', async () => {
    const down = await harness.test.make('/v1/webhooks', { url: `http://127.0.0.1:${port}/down`, events: ['account.created'] });
    await harness.test.make('/v1/webhooks', { url: `http://127.0.0.1:${port}/up`, events: ['webhook.dlq'] });
    const start = harness.clock.now().getTime();
    await harness.test.make('/v1/accounts', { type: 'person', name: 'Ada' });

    const begun = performance.now();
    const { body } = await harness.test.post('/v1/test/clocks/advance', { seconds: 2 * 3_600 });
    expect(body.data.status).toBe('ready');
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(sends.map(({ type }) => type)).toEqual([...Array(5).fill('account.created'), 'webhook.dlq']);
    expect(new Set(sends.map(({ id }) => id)).size).toBe(2);

    const [summary] = (await harness.test.get(`/v1/webhooks/${down.id}/deliveries`)).body.data;
    const delivery = (await harness.test.get(`/v1/webhooks/deliveries/${summary.id}`)).body.data;
    expect(delivery).toMatchObject({ status: 'dlq', attempt_count: 5, last_response_code: 503 });
    const minutes = delivery.attempts
      .map(({ started_at }: Json) => (new Date(started_at).getTime() - start) / 60_000)
      .sort((a: number, b: number) => a - b);
    const earliest = [0, 1, 6, 21, 81];
    for (const [index, minute] of minutes.entries()) {
      expect(minute).toBeGreaterThanOrEqual(earliest[index] as number);
      expect(minute).toBeLessThanOrEqual((earliest[index] as number) * 1.1 + 0.01);
    }
    const [told] = (await harness.test.get('/v1/events?type=webhook.dlq')).body.data;
    expect(told).toMatchObject({ data: { delivery_id: delivery.id, attempts: 5 }, deliveries: { total: 1, delivered: 1 } });
    expect((new Date(told.timestamp).getTime() - start) / 60_000).toBe(minutes[4]);
  });

  it('200: holds, schedules and retries take turns in the order of time', async () => {
    const from = await openWallet(harness.test, { funded: '10.00' });
    const to = await openWallet(harness.test);
    await harness.test.post('/v1/test/clocks/advance', { seconds: 86_400 });
    const base = new Date((await harness.test.get('/v1/test/clock')).body.data.now).getTime();
    const transfer = { type: 'internal', from_wallet_id: from.wallet.id, to_wallet_id: to.wallet.id, amount: '1.00', currency: 'USD' };
    const later = (minutes: number) => new Date(base + minutes * 60_000).toISOString();
    for (const minutes of [50, 10, 30]) {
      await harness.test.make('/v1/transfers', { ...transfer, scheduled_for: later(minutes) });
    }
    sends.length = 0;
    await harness.test.make('/v1/webhooks', { url: `http://127.0.0.1:${port}/up`, events: ['transfer.completed'] });
    await harness.test.post('/v1/test/clocks/advance', { seconds: 3_600 });
    const { body } = await harness.test.get(`/v1/events?type=transfer.completed&since=${later(1)}`);
    const order = body.data.reverse().map(({ timestamp }: Json) => timestamp);
    expect(order).toEqual([later(10), later(30), later(50)]);
    expect(sends.map(({ id }) => id)).toEqual(body.data.map(({ id }: Json) => id));
  });
});
