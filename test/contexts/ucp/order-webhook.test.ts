// Order webhooks by UCP 2026-08-25: the whole order to the platform that has paid it, signed, through the engine of deliveries.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newSeller } from '../../factories/offer.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { type Got, OrderReceiver } from './order-receiver.js';
import { checkPublished } from './published.js';
import { byWallet, ProfileHost, songs, Talk } from './talk.js';

const platform = await OrderReceiver.start();
const { received } = platform;
const elsewhere = await ProfileHost.start();
afterAll(async () => {
  await platform.stop();
  await elsewhere.stop();
});
const harness = useHarness({ allowHosts: [platform.host, elsewhere.host] });

let merchant: Json;
let wallet: Json;
beforeAll(async () => {
  ({ merchant } = await newSeller(harness.test));
  ({ wallet } = await openWallet(harness.test, { funded: '900.00' }));
});
// A minute for each test: a workspace has so many profiles fetched in one.
beforeEach(() => {
  harness.clock.advance(60);
  received.length = 0;
  platform.answer = 200;
});

async function bought(webhookUrl: string): Promise<Json> {
  const talk = new Talk(harness.test, merchant, platform.profileWith(webhookUrl));
  const { id } = await talk.ready(songs());
  const { body } = await talk.complete(id, byWallet(wallet));
  expect(body.status, JSON.stringify(body)).toBe('completed');
  return body;
}
const act = (checkout: Json, action: string, body: object) => harness.test.make(`/v1/ucp/checkouts/${checkout.id}/${action}`, body);
const hook = (path: string) => platform.hook(path);
async function sender(url: string): Promise<Json> {
  const { data } = (await harness.test.get('/v1/webhooks?limit=100')).body;
  return data.find((one: Json) => one.url === url);
}
const deliveriesTo = async (url: string) =>
  (await harness.test.get(`/v1/webhooks/${(await sender(url)).id}/deliveries`)).body.data as Json[];

/** Verifies what was received by plain RFC 9421, with the keys of the profile that it names. */
async function verified({ method, path, headers, text }: Got): Promise<Json> {
  const header = (name: string) => String(headers[name]);
  expect(header('content-digest')).toBe(`sha-256=:${createHash('sha256').update(text).digest('base64')}:`);
  const [, profile = ''] = /^profile="(.*)"$/.exec(header('ucp-agent')) ?? [];
  const { keys } = (await harness.test.get(new URL(profile).pathname, { as: null })).body;
  const [, parameters = ''] = /^sig1=(.*)$/.exec(header('signature-input')) ?? [];
  const [, list = '', keyId] = /^\((.*)\);created=\d+;keyid="([^"]+)"$/.exec(parameters) ?? [];
  const names = list.split(' ').map((name) => name.slice(1, -1));
  expect(names).toEqual(expect.arrayContaining(['@method', '@authority', '@path', 'content-digest', 'content-type', 'ucp-agent']));
  const derived: Record<string, string> = { '@method': method, '@authority': header('host'), '@path': path };
  const base = [...names.map((name) => `"${name}": ${derived[name] ?? header(name)}`), `"@signature-params": ${parameters}`].join('\n');
  const key = createPublicKey({ key: keys.find(({ kid }: Json) => kid === keyId), format: 'jwk' });
  const bytes = Buffer.from(header('signature').replace(/^sig1=:|:$/g, ''), 'base64');
  expect(verify('sha256', Buffer.from(base), { key, dsaEncoding: 'ieee-p1363' }, bytes)).toBe(true);
  const body = JSON.parse(text);
  checkPublished({ status: 200, headers: new Headers(), body }, 'order');
  return body;
}

describe('an order webhook', () => {
  it('is sent the whole order when it is placed, delivered and refunded, signed, each event once', async () => {
    const checkout = await bought(hook('/orders'));
    await harness.runDue();
    await act(checkout, 'fulfill', { tracking: '1Z' });
    harness.clock.advance(1);
    await act(checkout, 'refund', { amount: '1.00', reason: 'customer_request' });
    await harness.runDue();
    const orders = await Promise.all(received.map(verified));
    expect(orders).toHaveLength(3);
    expect(orders.map(({ id, line_items: [line], adjustments = [] }) => [id, line.status, adjustments.length]).sort()).toEqual([
      [checkout.order.id, 'fulfilled', 0],
      [checkout.order.id, 'fulfilled', 1],
      [checkout.order.id, 'processing', 0],
    ]);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    for (const { headers } of received) expect(headers['x-svc-signature']).toBeUndefined();
    await harness.runDue();
    expect(received).toHaveLength(3);
  });
  it('is tried again by the schedule under the same Webhook-Id with the same bytes, and seen as a delivery; a replay sends it again', async () => {
    platform.answer = 503;
    const url = hook('/down');
    const checkout = await bought(url);
    await harness.runDue();
    await harness.advance(70);
    expect(received).toHaveLength(2);
    platform.answer = 200;
    await harness.advance(400);
    const [first, second, third] = received.filter(({ path }) => path === '/down');
    expect(new Set([first, second, third].map((got) => `${got?.headers['webhook-id']} ${got?.text}`)).size).toBe(1);
    const [delivery] = await deliveriesTo(url);
    expect(delivery).toMatchObject({ status: 'delivered', attempt_count: 3, event_type: '_ucp.order.changed' });
    await harness.test.post(`/v1/webhooks/deliveries/${delivery.id}/replay`, {});
    await harness.runDue();
    expect((await verified(received.at(-1) as Got)).id).toBe(checkout.order.id);
    expect(received.at(-1)?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  });
  it('goes to the dead letters after the last attempt', async () => {
    platform.answer = 500;
    const url = hook('/dead');
    await bought(url);
    await harness.runDue();
    for (const seconds of [70, 400, 1_000, 4_000]) await harness.advance(seconds);
    expect((await deliveriesTo(url))[0]).toMatchObject({ status: 'dlq', dlq_reason: 'attempts_exhausted', attempt_count: 5 });
  });
  it('has ended once it answers 410', async () => {
    platform.answer = 410;
    const url = hook('/gone');
    const checkout = await bought(url);
    await harness.runDue();
    expect((await deliveriesTo(url))[0]).toMatchObject({ status: 'dlq', dlq_reason: 'gone', attempt_count: 1 });
    expect(await sender(url)).toMatchObject({ status: 'disabled' });
    await act(checkout, 'fulfill', {});
    await harness.runDue();
    expect(received).toHaveLength(1);
  });
  it('409 for who would send it elsewhere, or other events there; it is paused and deleted as any other', async () => {
    const url = hook('/kept');
    const checkout = await bought(url);
    await harness.runDue();
    const at = `/v1/webhooks/${(await sender(url)).id}`;
    for (const change of [{ url: hook('/elsewhere') }, { events: ['*'] }, { url: `http://${elsewhere.host}/orders`, status: 'paused' }])
      expectRefused(await harness.test.patch(at, change), 409, 'state_conflict', { terminal: true });
    expect((await harness.test.patch(at, { status: 'paused' })).body.data).toMatchObject({ status: 'paused', url });
    await act(checkout, 'fulfill', {});
    await harness.runDue();
    expect(received).toHaveLength(1);
    expect((await harness.test.delete(at)).status).toBe(200);
  });
  it('is none on another host than that of the profile, on a private address, or that is no address: a warning says so', async () => {
    const code = async (url: string) => (await bought(url)).messages.map(({ type, code: one }: Json) => [type, one]);
    expect(await code(`http://${elsewhere.host}/orders`)).toEqual([['warning', 'webhook_host_mismatch']]);
    for (const url of ['https://10.0.0.1/orders', 'http://169.254.169.254/', 'https://localhost/x', 'nowhere', 'file:///etc/passwd']) {
      expect(await code(url)).toEqual([['warning', 'webhook_url_refused']]);
    }
    await harness.runDue();
    expect(received).toEqual([]);
    expect(elsewhere.fetched).toEqual([]);
  });
});
