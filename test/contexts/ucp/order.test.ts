// Orders by UCP 2026-08-25: for who made the checkout and for the tenant; what was delivered and given back; signed.
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newSeller } from '../../factories/offer.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';
import { expectSigned } from './signed-answer.js';
import {
  byWallet,
  checkoutName,
  current,
  currentProfile,
  fulfillmentName,
  home,
  mugs,
  orderName,
  ProfileHost,
  profileOf,
  shipping,
  songs,
  Talk,
} from './talk.js';

const host = await ProfileHost.start();
afterAll(() => host.stop());
const harness = useHarness({ allowHosts: [host.host] });
const profile = host.publish(currentProfile([checkoutName, fulfillmentName, orderName]));
let merchant: Json;
let wallet: Json;
let talk: Talk;
beforeAll(async () => {
  ({ merchant } = await newSeller(harness.test));
  ({ wallet } = await openWallet(harness.test, { funded: '900.00' }));
  talk = new Talk(harness.test, merchant, profile);
});
// A minute for each test: a workspace has so many profiles fetched in one.
beforeEach(() => harness.clock.advance(60));

async function bought(body: object = songs(), by: Talk = talk): Promise<Json> {
  const { body: made } = await by.create(body);
  const { body: paid } = await by.complete(made.id, byWallet(wallet));
  expect(paid.status, JSON.stringify(paid)).toBe('completed');
  return paid;
}
const read = async ({ order }: Json) => (await talk.readOrder(order.id)).body;
const act = (checkout: Json, action: string, body: object) => harness.test.make(`/v1/ucp/checkouts/${checkout.id}/${action}`, body);
const notFound = { status: 200, body: { ucp: { status: 'error', version: current }, messages: [{ code: 'not_found' }] } };
const quantities = ({ line_items: lines }: Json) => lines.map(({ quantity, status }: Json) => [quantity, status]);

describe('GET /ucp/{merchant_id}/orders/{id}', () => {
  it('200: what was bought, and how it is to be delivered', async () => {
    const checkout = await bought(mugs(2, { fulfillment: shipping() }));
    const { status, body } = await talk.readOrder(checkout.order.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ucp: { version: current, status: 'success' },
      ...checkout.order,
      checkout_id: checkout.id,
      currency: 'USD',
      totals: checkout.totals,
      line_items: [{ id: 'line_1', item: { id: 'mug', price: 1250 }, totals: checkout.line_items[0].totals }],
      fulfillment: {
        expectations: [
          { method_type: 'shipping', destination: home, line_items: [{ id: 'line_1', quantity: 2 }], description: 'Standard' },
        ],
        events: [],
      },
    });
    expect(quantities(body)).toEqual([[{ original: 2, total: 2, fulfilled: 0 }, 'processing']]);
    expect(body.adjustments).toBeUndefined();
  });
  it('has the place of a pickup, and no way for what is digital', async () => {
    const pickup = { methods: [{ type: 'pickup', groups: [{ selected_option_id: 'shop' }] }] };
    const { fulfillment } = await read(await bought(mugs(1, { fulfillment: pickup })));
    expect(fulfillment.expectations).toMatchObject([{ method_type: 'pickup', destination: { address_locality: 'Springfield' } }]);
    expect((await read(await bought())).fulfillment.expectations).toEqual([]);
  });
  it('says when it was shipped or delivered, with its tracking', async () => {
    const shipped = await bought(mugs(1, { fulfillment: shipping() }));
    await act(shipped, 'fulfill', { tracking: '1Z999' });
    const order = await read(shipped);
    expect(order.fulfillment.events).toMatchObject([
      {
        occurred_at: harness.clock.now().toISOString(),
        type: 'shipped',
        tracking_number: '1Z999',
        line_items: [{ id: 'line_1', quantity: 1 }],
      },
    ]);
    expect(quantities(order)).toEqual([[{ original: 1, total: 1, fulfilled: 1 }, 'fulfilled']]);
    const delivered = await bought(mugs(1, { fulfillment: shipping() }));
    await act(delivered, 'fulfill', { tracking: 'https://post.example/1Z', delivered_at: '2026-03-01T10:00:00.000Z' });
    expect((await read(delivered)).fulfillment.events).toMatchObject([
      { occurred_at: '2026-03-01T10:00:00.000Z', type: 'delivered', tracking_url: 'https://post.example/1Z' },
    ]);
  });
  it('shows what was given back, below zero; all of it before the delivery takes the lines away', async () => {
    const checkout = await bought(songs(3));
    await act(checkout, 'refund', { amount: '1.00', reason: 'customer_request' });
    const part = await read(checkout);
    expect(part.adjustments).toMatchObject([{ type: 'refund', status: 'completed', totals: [{ type: 'total', amount: -100 }] }]);
    expect(quantities(part)).toEqual([[{ original: 3, total: 3, fulfilled: 0 }, 'processing']]);
    const whole = await bought(songs(2));
    await act(whole, 'refund', { reason: 'order_cancelled' });
    const gone = await read(whole);
    expect(gone.adjustments).toMatchObject([
      { status: 'completed', description: 'order cancelled', line_items: [{ id: 'line_1', quantity: -2 }] },
    ]);
    expect(quantities(gone)).toEqual([[{ original: 2, total: 0, fulfilled: 0 }, 'removed']]);
    const late = await bought(songs(2));
    await act(late, 'fulfill', {});
    await act(late, 'refund', { reason: 'customer_request' });
    expect(quantities(await read(late))).toEqual([[{ original: 2, total: 2, fulfilled: 2 }, 'fulfilled']]);
  });
  it('is of a checkout that a platform of 2026-04-08 has paid, too', async () => {
    const old = new Talk(harness.test, merchant, host.publish(profileOf()));
    expect((await read(await bought(songs(), old))).ucp.version).toBe(current);
  });
  it('200 not_found for what is not paid, of another agent, merchant, tenant, or nobody', async () => {
    const [one, other] = [await enrol(harness.test), await enrol(harness.test)];
    const { body: made } = await talk.create(songs(), { as: one.token });
    expect(await talk.readOrder(`ord_${made.id.slice('ucp_chk_'.length)}`, { as: one.token })).toMatchObject(notFound);
    const { body: paid } = await talk.complete(made.id, byWallet(wallet));
    expect((await talk.readOrder(paid.order.id, { as: one.token })).body.id).toBe(paid.order.id);
    expect((await talk.readOrder(paid.order.id)).body.id).toBe(paid.order.id);
    expect(await talk.readOrder(paid.order.id, { as: other.token })).toMatchObject(notFound);
    expect((await talk.readOrder(paid.order.id, { as: harness.other.key })).body.messages[0].code).toBe('not_found');
    const { merchant: neighbour } = await newSeller(harness.test);
    expect(await new Talk(harness.test, neighbour, profile).readOrder(paid.order.id)).toMatchObject(notFound);
    for (const id of ['ord_1', `ord_${nowhere}`, made.id, nowhere]) expect(await talk.readOrder(id)).toMatchObject(notFound);
  });
  it('200 capabilities_incompatible for platforms without orders', async () => {
    const agent = `profile="${host.publish(profileOf([checkoutName, orderName]))}"`;
    expect((await talk.readOrder(`ord_${nowhere}`, { agent })).body.messages[0].code).toBe('capabilities_incompatible');
  });
});

/** What is answered, which has to be signed by a key of the profile. */
async function verified(method: string, path: string, body?: object, key = 'k'): Promise<Json> {
  const answer = await request(harness.test.url + path, {
    method: method as 'GET',
    headers: {
      Authorization: `Bearer ${harness.test.key}`,
      'UCP-Agent': `profile="${profile}"`,
      ...(body && { 'Content-Type': 'application/json', 'Idempotency-Key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  const { keys } = (await harness.test.get('/.well-known/ucp', { as: null })).body;
  expectSigned({ status: answer.statusCode, headers: answer.headers, text }, keys);
  return JSON.parse(text);
}

describe('signatures of answers', () => {
  it('are over status, digest and type: of a payment, also when it is answered again, of its refusal, and of an order', async () => {
    const { body: made } = await talk.create(songs());
    const path = `${talk.base}/${made.id}/complete`;
    const poor = (await openWallet(harness.test)).wallet;
    expect((await verified('POST', path, byWallet(poor), 'first')).messages).toMatchObject([{ code: 'payment_failed' }]);
    const paid = await verified('POST', path, byWallet(wallet), 'second');
    expect(paid.status).toBe('completed');
    expect((await verified('POST', path, byWallet(wallet), 'second')).id).toBe(paid.id);
    expect((await verified('GET', `${talk.shop}/orders/${paid.order.id}`)).checkout_id).toBe(paid.id);
    expect((await verified('GET', `${talk.shop}/orders/ord_${nowhere}`)).messages[0].code).toBe('not_found');
  });
});
