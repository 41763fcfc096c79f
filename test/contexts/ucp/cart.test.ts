// Carts by UCP 2026-08-25: made, changed, given up, and converted to one checkout.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newSeller, offerMetadata } from '../../factories/offer.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';
import {
  byWallet,
  cartName,
  checkoutName,
  current,
  currentProfile,
  fulfillmentName,
  mugs,
  ProfileHost,
  profileOf,
  shipping,
  songs,
  Talk,
} from './talk.js';

const host = await ProfileHost.start();
afterAll(() => host.stop());
const harness = useHarness({ allowHosts: [host.host] });
const profile = host.publish(currentProfile([checkoutName, fulfillmentName, cartName]));
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

const line = (id: string, quantity: unknown) => ({ line_items: [{ item: { id }, quantity }] });
const begun = async (body: object = mugs()) => (await talk.createCart(body)).body;
const convert = (cart: Json, more: object = {}) => talk.create({ cart_id: cart.id, line_items: [], ...more });
const codes = ({ messages = [] }: Json) => messages.map(({ code, path }: Json) => [code, path]);
const contents = ({ line_items: lines }: Json) => lines.map(({ id, item, quantity }: Json) => [id, item.id, quantity]);
const notFound = { status: 200, body: { ucp: { status: 'error', version: current }, messages: [{ code: 'not_found' }] } };
const refused = (path: string) => ({ status: 400, body: { code: 'validation_failed', details: { fields: [{ path }] } } });

describe('POST /ucp/{merchant_id}/carts', () => {
  it('201: prices of the merchant, an estimate without delivery, for seven days', async () => {
    const { status, body } = await talk.createCart({
      line_items: [{ id: 'mine', item: { id: 'mug', title: 'Gold', price: 1 }, quantity: 2 }],
      buyer: { email: 'ada@example.com' },
      currency: 'EUR',
      context: { address_country: 'US', currency: 'EUR' },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ucp: { version: current, status: 'success', capabilities: { [cartName]: [{ version: current }] } },
      id: expect.stringMatching(/^cart_/),
      line_items: [{ id: 'mine', item: { id: 'mug', title: 'Mug', price: 1250 }, quantity: 2 }],
      currency: 'USD',
      buyer: { email: 'ada@example.com' },
      totals: [
        { type: 'subtotal', amount: 2500 },
        { type: 'tax', amount: 206 },
        { type: 'total', amount: 2706 },
      ],
    });
    expect(new Date(body.expires_at).getTime()).toBe(harness.clock.now().getTime() + 7 * 86_400_000);
    expect(body.messages).toBeUndefined();
  });
  it('says what is sold out, which is no error', async () => {
    expect(codes((await talk.createCart(line('gone', 1))).body)).toEqual([['out_of_stock', '$.line_items[0].quantity']]);
    expect(codes((await talk.createCart(line('pen', 51))).body)).toEqual([['quantity_exceeded', '$.line_items[0].quantity']]);
  });
  it('201 for an empty one', async () => {
    expect((await talk.createCart({ line_items: [] })).body).toMatchObject({ line_items: [], totals: [{ amount: 0 }, {}, { amount: 0 }] });
  });
  it('200 item_unavailable for an item that is not in the offer', async () => {
    const { status, body } = await talk.createCart({ line_items: [{ item: { id: 'mug' }, quantity: 1 }, ...line('yacht', 1).line_items] });
    expect([status, body.ucp.status, codes(body)]).toEqual([200, 'error', [['item_unavailable', '$.line_items[1].item.id']]]);
  });
  it('200 quantity_unit_mismatch for what is not counted in pieces', async () => {
    const { body } = await talk.createCart({ line_items: [{ item: { id: 'mug', quantity_unit: { unit: 'KGM' } }, quantity: 1 }] });
    expect(codes(body)).toEqual([['quantity_unit_mismatch', '$.line_items[0].item.quantity_unit']]);
  });
  it('400 for quantities of nothing, less, parts and too many', async () => {
    for (const quantity of [0, -1, 1.5, 1_000_001, 2 ** 53 - 1, '1', null]) {
      expect(await talk.createCart(line('mug', quantity))).toMatchObject(refused('line_items.0.quantity'));
    }
    expect((await talk.createCart(line('mug', 1_000_000))).status).toBe(201);
    expect(await talk.createCart({})).toMatchObject(refused('line_items'));
    expect(await talk.createCart({ line_items: Array(101).fill({ item: { id: 'pen' }, quantity: 1 }) })).toMatchObject(
      refused('line_items'),
    );
  });
  it('200 capabilities_incompatible for platforms without carts, as those of 2026-04-08', async () => {
    for (const one of [profileOf([checkoutName, cartName]), currentProfile([checkoutName])]) {
      const { body } = await talk.createCart(mugs(), { agent: `profile="${host.publish(one)}"` });
      expect(body).toMatchObject({ ucp: { status: 'error' }, messages: [{ code: 'capabilities_incompatible' }] });
    }
  });
  it('400 without a key, the same cart for the same key, 409 for another body, 404 for another merchant', async () => {
    expect((await talk.createCart(mugs(), { key: '' })).status).toBe(400);
    const first = await talk.createCart(mugs(), { key: 'a-key' });
    expect(await talk.createCart(mugs(), { key: 'a-key' })).toMatchObject({ status: 201, body: { id: first.body.id } });
    expect((await talk.createCart(mugs(3), { key: 'a-key' })).status).toBe(409);
    expect((await new Talk(harness.test, { id: `mer_${nowhere}` }, profile).createCart()).status).toBe(404);
  });
});

describe('GET /ucp/{merchant_id}/carts/{id}', () => {
  it('200 at the prices of now; what is not sold any more is shown, and said', async () => {
    const { merchant: own } = await newSeller(harness.test);
    const shop = new Talk(harness.test, own, profile);
    const { body: cart } = await shop.createCart(mugs());
    const offer = (changes: object) => harness.test.patch(`/v1/merchants/${own.id}`, { metadata: offerMetadata(changes) });
    const item = (id: string, price: string) => ({ items: [{ id, title: 'Mug', unit_price: price }] });
    await offer(item('mug', '20.00'));
    expect((await shop.readCart(cart.id)).body.line_items[0].item.price).toBe(2000);
    await offer(item('pen', '1.00'));
    const gone = await shop.readCart(cart.id);
    expect([gone.body.line_items[0].item.price, codes(gone.body)]).toEqual([1250, [['item_unavailable', '$.line_items[0].item.id']]]);
    await offer({ ...item('mug', '20.00'), currency: 'EUR' });
    expect((await shop.readCart(cart.id)).body).toMatchObject({ currency: 'USD', messages: [{ code: 'item_unavailable' }] });
  });
  it('200 not_found for none, for that of another agent, merchant and tenant', async () => {
    const [one, other] = [await enrol(harness.test), await enrol(harness.test)];
    const { body: cart } = await talk.createCart(mugs(), { as: one.token });
    expect((await talk.readCart(cart.id, { as: one.token })).status).toBe(200);
    expect((await talk.readCart(cart.id)).body.id).toBe(cart.id);
    expect(await talk.readCart(cart.id, { as: other.token })).toMatchObject(notFound);
    const { merchant: neighbour } = await newSeller(harness.test);
    expect(await new Talk(harness.test, neighbour, profile).readCart(cart.id)).toMatchObject(notFound);
    for (const id of ['cart_x', `cart_${nowhere}`]) expect(await talk.readCart(id)).toMatchObject(notFound);
    expect((await talk.readCart(cart.id, { as: harness.other.key })).body.messages[0].code).toBe('not_found');
  });
  it('200 not_found after seven days without a change', async () => {
    const { id } = await begun();
    await harness.advance(6 * 86_400);
    expect((await talk.updateCart(id, songs())).status).toBe(200);
    await harness.advance(7 * 86_400 - 60);
    expect((await talk.readCart(id)).body.id).toBe(id);
    harness.clock.advance(60);
    expect(await talk.readCart(id)).toMatchObject(notFound);
    await harness.runDue();
    expect(await talk.readCart(id)).toMatchObject(notFound);
    const row = await harness.platform.database.unscoped.cart.findFirst({ where: { id: id.slice(5) } });
    expect([row?.status, row?.dueAt]).toEqual(['expired', null]);
  });
});

describe('PUT /ucp/{merchant_id}/carts/{id}', () => {
  it('200: replaces all of it', async () => {
    const cart = await begun(mugs(2, { buyer: { first_name: 'Ada' } }));
    const { status, body } = await talk.updateCart(cart.id, { line_items: [{ id: 'x', item: { id: 'pen' }, quantity: 4 }] });
    expect([status, contents(body), body.buyer]).toEqual([200, [['x', 'pen', 4]], undefined]);
    expect((await talk.readCart(cart.id)).body).toEqual(body);
  });
  it('200 with the cart as it was and what is wrong, for an item that is not in the offer', async () => {
    const cart = await begun();
    const { body } = await talk.updateCart(cart.id, line('yacht', 1));
    expect([contents(body), codes(body)]).toEqual([contents(cart), [['item_unavailable', '$.line_items[0].item.id']]]);
  });
  it('200 not_found for one that was given up, and for another agent', async () => {
    const cart = await begun();
    expect(await talk.updateCart(cart.id, mugs(), { as: (await enrol(harness.test)).token })).toMatchObject(notFound);
    await talk.cancelCart(cart.id);
    expect(await talk.updateCart(cart.id, mugs())).toMatchObject(notFound);
  });
});

describe('POST /ucp/{merchant_id}/carts/{id}/cancel', () => {
  it('200 with the cart as it was, then not_found; the same key answers again', async () => {
    const cart = await begun();
    const gone = await talk.cancelCart(cart.id, { key: 'once' });
    expect([gone.status, gone.body.line_items]).toEqual([200, cart.line_items]);
    expect((await talk.cancelCart(cart.id, { key: 'once' })).body.id).toBe(cart.id);
    expect(await talk.cancelCart(cart.id)).toMatchObject(notFound);
    expect(await talk.readCart(cart.id)).toMatchObject(notFound);
    expect(await convert(cart)).toMatchObject(notFound);
  });
});

describe('a checkout of a cart', () => {
  it('201 with the lines and the buyer of the cart, whatever the request says of them', async () => {
    const cart = await begun(mugs(2, { buyer: { first_name: 'Ada' } }));
    const { status, body } = await convert(cart, { ...songs(9), buyer: { first_name: 'Eve' }, fulfillment: shipping() });
    expect([status, body.status, body.cart_id, body.buyer]).toEqual([201, 'ready_for_complete', cart.id, { first_name: 'Ada' }]);
    expect(contents(body)).toEqual(contents(cart));
  });
  it('comes back as it is while it is open', async () => {
    const cart = await begun();
    const { body: first } = await convert(cart);
    await talk.updateCart(cart.id, songs());
    const { body: again } = await convert(cart);
    expect([again.id, contents(again)]).toEqual([first.id, contents(first)]);
    await talk.cancel(first.id);
    const { body: next } = await convert(cart);
    expect(next.id).not.toBe(first.id);
    expect(contents(next)).toEqual([['line_1', 'song', 2]]);
  });
  it('is one for ten racers', async () => {
    const cart = await begun(songs());
    const answers = await Promise.all(Array.from({ length: 10 }, () => convert(cart)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const made = await harness.platform.database.unscoped.checkout.count({
      where: { merchantId: merchant.id.slice(4), createdAt: harness.clock.now() },
    });
    expect(made).toBe(1);
  });
  it('has the lines of a cart that is changed at the same time, or of before', async () => {
    const cart = await begun(songs());
    const [{ body: made }] = await Promise.all([convert(cart), talk.updateCart(cart.id, mugs(3))]);
    expect([[['line_1', 'song', 2]], [['line_1', 'mug', 3]]]).toContainEqual(contents(made));
  });
  it('shows its changes in the cart', async () => {
    const cart = await begun();
    const { body: made } = await convert(cart);
    await talk.update(made.id, {
      line_items: [
        { id: 'a', item: { id: 'mug' }, quantity: 1 },
        { id: 'b', item: { id: 'pen' }, quantity: 5 },
      ],
    });
    expect(contents((await talk.readCart(cart.id)).body)).toEqual([
      ['a', 'mug', 1],
      ['b', 'pen', 5],
    ]);
  });
  it('can be read, changed and paid by a platform of 2026-04-08, which sees no cart in it', async () => {
    const old = new Talk(harness.test, merchant, host.publish(profileOf()));
    const cart = await begun(songs());
    const { body: made } = await convert(cart);
    const { body: seen } = await old.read(made.id);
    expect([seen.ucp.version, seen.cart_id, contents(seen)]).toEqual(['2026-04-08', undefined, contents(made)]);
    await old.update(made.id, songs(3));
    expect(contents((await talk.readCart(cart.id)).body)).toEqual([['line_1', 'song', 3]]);
    expect((await old.complete(made.id, byWallet(wallet))).body.status).toBe('completed');
  });
  it('that is paid has used the cart up', async () => {
    const cart = await begun(songs());
    const { body: made } = await convert(cart);
    expect((await talk.complete(made.id, byWallet(wallet))).body.status).toBe('completed');
    for (const answer of [await talk.readCart(cart.id), await talk.updateCart(cart.id, mugs()), await convert(cart)]) {
      expect(answer).toMatchObject(notFound);
    }
  });
  it('200 not_found for a cart of another agent, merchant or nobody', async () => {
    const one = await enrol(harness.test);
    const { body: cart } = await talk.createCart(songs(), { as: one.token });
    const stranger = (await enrol(harness.test)).token;
    expect(await talk.create({ cart_id: cart.id, line_items: [] }, { as: stranger })).toMatchObject(notFound);
    expect(await convert({ id: `cart_${nowhere}` })).toMatchObject(notFound);
    const { merchant: neighbour } = await newSeller(harness.test);
    expect(await new Talk(harness.test, neighbour, profile).create({ cart_id: cart.id, line_items: [] })).toMatchObject(notFound);
  });
  it('is of the lines of the request where the platform has no carts; 400 without any', async () => {
    const cart = await begun();
    const agent = `profile="${host.publish(currentProfile([checkoutName, fulfillmentName]))}"`;
    expect(contents((await talk.create({ cart_id: cart.id, ...songs() }, { agent })).body)).toEqual([['line_1', 'song', 2]]);
    expect(await talk.create({ line_items: [] })).toMatchObject(refused('line_items'));
    expect(await talk.create({ cart_id: cart.id, line_items: [] }, { agent })).toMatchObject({
      status: 200,
      body: { ucp: { status: 'error' } },
    });
  });
});
