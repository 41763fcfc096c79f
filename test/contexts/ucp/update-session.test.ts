// Checkouts that an agent changes by UCP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSeller, offerMetadata } from '../../factories/offer.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';
import { home, mugs, ProfileHost, profileOf, shipping, songs, Talk } from './talk.js';

const host = await ProfileHost.start();
afterAll(() => host.stop());
const harness = useHarness({ allowHosts: [host.host] });
let merchant: Json;
let profile: string;
let talk: Talk;
beforeAll(async () => {
  ({ merchant } = await newSeller(harness.test));
  profile = host.publish(profileOf());
  talk = new Talk(harness.test, merchant, profile);
});

describe('PUT /ucp/{merchant_id}/checkout-sessions/{id}', () => {
  it('200: chooses step by step, and sends back what it was sent', async () => {
    const { body: begun } = await talk.create();
    const lines = begun.line_items;
    const where = {
      methods: [{ id: 'shipping', line_item_ids: ['line_1'], destinations: [{ id: 'home', ...home }], selected_destination_id: 'home' }],
    };
    const { status, body } = await talk.update(begun.id, { ...begun, line_items: lines, fulfillment: where });
    expect([status, body.status]).toEqual([200, 'incomplete']);
    expect(body.messages).toMatchObject([{ code: 'missing', path: '$.fulfillment.methods[0].groups[0].selected_option_id' }]);
    const [method] = body.fulfillment.methods;
    const chosen = { methods: [{ ...method, groups: [{ ...method.groups[0], selected_option_id: 'express' }] }] };
    const done = await talk.update(begun.id, { ...body, fulfillment: chosen, buyer: { email: 'ada@example.com' } });
    expect(done.body).toMatchObject({ status: 'ready_for_complete', buyer: { email: 'ada@example.com' } });
    expect(done.body.totals).toMatchObject([{ amount: 2500 }, { type: 'fulfillment', amount: 1500 }, {}, { amount: 4206 }]);
  });
  it('leaves what is left out as it was; null is a choice taken back, or no value', async () => {
    const { body: begun } = await talk.create(mugs(1, { fulfillment: shipping(), buyer: { first_name: 'Ada' } }));
    const kept = (await talk.update(begun.id, mugs(3))).body;
    expect(kept).toMatchObject({ status: 'ready_for_complete', buyer: { first_name: 'Ada' }, line_items: [{ quantity: 3 }] });
    const cleared = (await talk.update(begun.id, mugs(3, { fulfillment: shipping(null) }))).body;
    expect([cleared.status, cleared.fulfillment.methods[0].groups[0].selected_option_id]).toEqual(['incomplete', null]);
    const nowhereYet = (await talk.update(begun.id, mugs(3, { fulfillment: {} }))).body;
    expect(nowhereYet.fulfillment.methods[0].destinations).toEqual([]);
    for (const wrong of [{ buyer: null }, { fulfillment: null }, { line_items: null }]) {
      expect(await talk.update(begun.id, { ...mugs(), ...wrong })).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    }
  });
  it('keeps an agreed price until the lines change', async () => {
    const seller = await newSeller(harness.test);
    const shop = new Talk(harness.test, seller.merchant, profile);
    const { body: begun } = await shop.create(songs(2));
    const { items } = offerMetadata().offer;
    const dearer = items.map((item: Json) => ({ ...item, unit_price: '7.00' }));
    await harness.test.patch(`/v1/merchants/${seller.merchant.id}`, { metadata: offerMetadata({ items: dearer }) });
    const priceOf = ({ body }: Json) => body.line_items[0].item.price;
    expect(priceOf(await shop.read(begun.id))).toBe(100);
    expect(priceOf(await shop.update(begun.id, songs(2, { buyer: { first_name: 'Ada' } })))).toBe(100);
    expect(priceOf(await shop.update(begun.id, songs(3)))).toBe(700);
  });
  it('goes where /v1 has sent it since, by what reaches there', async () => {
    const { body: begun } = await talk.create(mugs(2, { fulfillment: shipping('express') }));
    expect(begun.status).toBe('ready_for_complete');
    const patch = (to: object | null) => harness.test.patch(`/v1/ucp/checkouts/${begun.id}`, { shipping_address: to });
    await patch({ line1: 'Unter den Linden 1', city: 'Berlin', postal_code: '10117', country: 'DE' });
    const { body: moved } = await talk.read(begun.id);
    const [method] = moved.fulfillment.methods;
    expect(method.destinations).toEqual([
      {
        id: 'destination_1',
        street_address: 'Unter den Linden 1',
        address_locality: 'Berlin',
        postal_code: '10117',
        address_country: 'DE',
      },
    ]);
    expect([moved.status, method.selected_destination_id]).toEqual(['incomplete', 'destination_1']);
    // It stays so where the agent leaves delivery out, and is the agent's again where it does not.
    const kept = await talk.update(begun.id, { ...mugs(), buyer: { first_name: 'Ada' } });
    expect(kept.body.fulfillment.methods[0].destinations).toEqual(method.destinations);
    const again = await talk.update(begun.id, mugs(2, { fulfillment: shipping('express') }));
    expect([again.body.status, again.body.fulfillment.methods[0].destinations[0]]).toMatchObject(['ready_for_complete', home]);
    expect((await harness.test.get(`/v1/ucp/checkouts/${begun.id}`)).body.data.shipping_address.line1).toBe(home.street_address);
    const { body: unchosen } = await talk.create(mugs());
    await harness.test.patch(`/v1/ucp/checkouts/${unchosen.id}`, {
      shipping_address: { line1: '2 Main St', city: 'Springfield', postal_code: '62701', country: 'US' },
    });
    const [sent] = (await talk.read(unchosen.id)).body.fulfillment.methods;
    expect(sent).toMatchObject({ selected_destination_id: 'address', destinations: [{ id: 'address', street_address: '2 Main St' }] });
  });
  it('200 with the checkout as it was, and what the merchant does not have', async () => {
    const { body: begun } = await talk.create(mugs(1, { fulfillment: shipping() }));
    const unknown = await talk.update(begun.id, { line_items: [{ item: { id: 'moon' }, quantity: 1 }] });
    expect(unknown).toMatchObject({ status: 200, body: { line_items: [{ item: { id: 'mug' } }] } });
    expect(unknown.body.messages).toMatchObject([{ code: 'item_unavailable', severity: 'recoverable', path: '$.line_items[0].item.id' }]);
    const option = await talk.update(begun.id, mugs(1, { fulfillment: shipping('drone') }));
    expect(option.body.messages).toMatchObject([{ code: 'invalid', path: '$.fulfillment.methods' }]);
    expect((await talk.read(begun.id)).body).toMatchObject({ status: 'ready_for_complete', totals: begun.totals });
  });
  it('200 not_found for what is no checkout of this merchant here', async () => {
    const other = new Talk(harness.test, (await newSeller(harness.test)).merchant, profile);
    const foreign = new Talk(harness.other, (await newSeller(harness.other)).merchant, profile);
    const { body: begun } = await talk.create(songs());
    const missing = { status: 200, body: { ucp: { status: 'error' }, messages: [{ code: 'not_found' }] } };
    expect(await talk.update(`ucp_chk_${nowhere}`, songs())).toMatchObject(missing);
    expect(await talk.update('acp_chk_1', songs())).toMatchObject(missing);
    expect(await other.update(begun.id, songs())).toMatchObject(missing);
    expect(await foreign.update(begun.id, songs())).toMatchObject(missing);
    expect((await foreign.update(begun.id, songs())).body).toEqual((await foreign.update(`ucp_chk_${nowhere}`, songs())).body);
  });
  it('an agent changes its own checkouts alone', async () => {
    const [mine, another] = [await enrol(harness.test), await enrol(harness.test)];
    const { body: begun } = await talk.create(songs(), { as: mine.token });
    expect((await talk.update(begun.id, songs(3), { as: mine.token })).body.line_items[0].quantity).toBe(3);
    expect((await talk.update(begun.id, songs(4), { as: another.token })).body.messages).toMatchObject([{ code: 'not_found' }]);
  });
  it('409 once it is canceled', async () => {
    const { body: begun } = await talk.create(songs());
    await talk.cancel(begun.id);
    expect(await talk.update(begun.id, songs(3))).toMatchObject({
      status: 409,
      body: { code: 'state_conflict', details: { current_status: 'cancelled' } },
    });
  });
  it('names of lines are kept, and made where they are missing or the same', async () => {
    const line = (id?: string) => ({ ...(id && { id }), item: { id: 'song' }, quantity: 1 });
    const { body } = await talk.create({ line_items: [line('a'), line('a'), line(), line('line_3')] });
    const ids = body.line_items.map(({ id }: Json) => id);
    expect(ids[0]).toBe('a');
    expect(ids[3]).toBe('line_3');
    expect(new Set(ids).size).toBe(4);
  });
});
