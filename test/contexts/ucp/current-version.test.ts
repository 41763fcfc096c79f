// Checkouts by UCP 2026-08-25, beside 2026-04-08: each request in the version of its platform's profile, each checkout of both.
import { CompactSign, exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newSeller, offerMetadata } from '../../factories/offer.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import {
  ap2Name,
  byWallet,
  checkoutName,
  current,
  currentProfile,
  fulfillmentName,
  home,
  mugs,
  ProfileHost,
  profileOf,
  shipping,
  songs,
  Talk,
  version,
} from './talk.js';

const host = await ProfileHost.start();
afterAll(() => host.stop());
const harness = useHarness({ allowHosts: [host.host] });
const pair = await generateKeyPair('ES256', { extractable: true });
let merchant: Json;
let wallet: Json;
let talk: Talk;
let old: Talk;

const address = (line1: string) => ({ line1, city: 'Springfield', state: 'IL', postal_code: '62701', country: 'US' });
const collected = (id: string, name: string, more: object = {}) => ({
  id,
  type: 'pickup',
  title: id,
  amount: '0.00',
  location: { name, address: address(`${name} St`) },
  ...more,
});
const fulfillment = [
  { id: 'standard', type: 'shipping', title: 'Standard', description: 'Standard', amount: '4.99' },
  { id: 'express', type: 'shipping', title: 'Express', description: 'By courier', amount: '15.00' },
  collected('north', 'North'),
  collected('south', 'South', { description: 'Ring the bell' }),
  collected('south-later', 'South'),
];

beforeAll(async () => {
  ({ merchant } = await newSeller(harness.test, { fulfillment }));
  ({ wallet } = await openWallet(harness.test, { funded: '900.00' }));
  talk = new Talk(harness.test, merchant, host.publish(currentProfile()));
  old = new Talk(harness.test, merchant, host.publish(profileOf()));
});
// A minute for each test: a workspace has so many profiles fetched in one.
beforeEach(() => harness.clock.advance(60));

const pickup = (more: object = {}) => ({ methods: [{ type: 'pickup', ...more }] });
const named = (more: object) => ({ methods: [{ id: 'pickup', line_item_ids: ['line_1'], ...more }] });
const methodOf = ({ body }: { body: Json }) => body.fulfillment.methods[0];
const optionsOf = (answer: { body: Json }) => methodOf(answer).groups[0].options.map(({ id }: Json) => id);
const choiceOf = (answer: { body: Json }) => {
  const { selected_destination_id: place, groups } = methodOf(answer);
  return [place, groups[0].selected_option_id];
};
const placeNamed = (answer: { body: Json }, name: string) => methodOf(answer).destinations.find((one: Json) => one.name === name).id;

const unknownPlace = { code: 'invalid', severity: 'recoverable', path: '$.fulfillment.methods[0].selected_destination_id' };

describe('a request', () => {
  it('is answered in the version of its profile, with the capabilities of that', async () => {
    const { status, body } = await talk.create();
    expect([status, body.ucp.version]).toEqual([201, current]);
    expect(body.ucp.capabilities).toEqual({ [checkoutName]: [{ version: current }], [fulfillmentName]: [{ version: current }] });
    expect((await old.read(body.id)).body.ucp).toMatchObject({ version, capabilities: { [checkoutName]: [{ version }] } });
  });
  it('200 capabilities_incompatible in the version of a profile that has the capabilities of another', async () => {
    const { ucp } = profileOf();
    const mixed = host.publish({ ucp: { ...ucp, version: current } });
    const answer = await talk.create(songs(), { agent: `profile="${mixed}"` });
    expect(answer).toMatchObject({
      status: 200,
      body: { ucp: { version: current, status: 'error' }, messages: [{ code: 'capabilities_incompatible' }] },
    });
  });
  it('200 not_found in its version', async () => {
    expect((await talk.read('ucp_chk_1')).body).toMatchObject({
      ucp: { version: current, status: 'error' },
      messages: [{ code: 'not_found' }],
    });
  });
  it('400 without the type of a method, at creation and beside destinations, and without its lines in a change', async () => {
    const { body } = await talk.create();
    const fields = ({ status, body: { code, details } }: Json) => [status, code, details.fields.map(({ path }: Json) => path)];
    const refused = (path: string) => [400, 'validation_failed', [`fulfillment.methods.0.${path}`]];
    const method = (more: object) => mugs(2, { fulfillment: { methods: [more] } });
    expect(fields(await talk.create(method({ id: 'shipping' })))).toEqual(refused('type'));
    expect(fields(await talk.update(body.id, method({ id: 'shipping', line_item_ids: [], destinations: [home] })))).toEqual(
      refused('type'),
    );
    expect(fields(await talk.update(body.id, method({ type: 'shipping' })))).toEqual(refused('line_item_ids'));
    expect((await old.update(body.id, method({ id: 'shipping' }))).status).toBe(200);
  });
  it('200 invalid for a way of delivery that the merchant does not have; 2026-04-08 knows its two', async () => {
    const drone = mugs(1, { fulfillment: { methods: [{ type: 'drone' }] } });
    const { body } = await talk.create(drone);
    expect(body).toMatchObject({ ucp: { status: 'error' }, messages: [{ code: 'invalid', path: '$.fulfillment.methods[0].type' }] });
    expect((await old.create(drone)).status).toBe(400);
  });
});

describe('destinations of a shipping', () => {
  it('have a type and an id, and the one that is selected comes back', async () => {
    const { body } = await talk.create(mugs(2, { fulfillment: shipping('express') }));
    expect(body.status).toBe('ready_for_complete');
    const [method] = body.fulfillment.methods;
    expect(method).toMatchObject({
      destinations: [{ type: 'shipping_address', id: 'destination_1', ...home }],
      selected_destination_id: 'destination_1',
    });
    expect(method.groups[0].options).toEqual([
      { id: 'standard', title: 'Standard', totals: [{ type: 'total', amount: 499 }] },
      { id: 'express', title: 'Express', description: { plain: 'By courier' }, totals: [{ type: 'total', amount: 1500 }] },
    ]);
    // What was answered is what may be sent.
    const again = await talk.update(body.id, body);
    expect(again.body).toEqual(body);
    const before = (await old.read(body.id)).body.fulfillment.methods[0];
    expect(before.destinations).toEqual([{ id: 'destination_1', ...home }]);
    expect(before.groups[0].options[1].description).toBe('By courier');
  });
  it('are chosen by an id alone among those that were sent before', async () => {
    const destinations = [
      { id: 'a', type: 'shipping_address', ...home },
      { ...home, street_address: '2 Side St' },
    ];
    const { body } = await talk.create(mugs(1, { fulfillment: { methods: [{ type: 'shipping', destinations }] } }));
    expect(body.fulfillment.methods[0].selected_destination_id).toBeNull();
    const choose = (id: string | null) =>
      talk.update(
        body.id,
        mugs(1, { fulfillment: { methods: [{ id: 'shipping', line_item_ids: ['line_1'], selected_destination_id: id }] } }),
      );
    const chosen = await choose('destination_2');
    expect(methodOf(chosen)).toMatchObject({
      selected_destination_id: 'destination_2',
      destinations: [{ id: 'a' }, { id: 'destination_2' }],
    });
    const refused = await choose('nowhere');
    expect(refused.status).toBe(200);
    expect(refused.body.messages).toContainEqual(expect.objectContaining(unknownPlace));
    expect(choiceOf(await talk.read(body.id))).toEqual(['destination_2', null]);
    expect(choiceOf(await choose(null))).toEqual([null, null]);
  });
  it('200 invalid for two of one id, and for those of another type', async () => {
    const methods = (more: object) => ({ fulfillment: { methods: [{ type: 'shipping', ...more }] } });
    const twice = {
      destinations: [
        { id: 'a', ...home },
        { id: 'a', ...home },
      ],
      selected_destination_id: 'a',
    };
    for (const wrong of [twice, { destinations: [{ type: 'business_location', ...home }] }]) {
      expect((await talk.create(mugs(1, methods(wrong)))).body).toMatchObject({
        ucp: { status: 'error' },
        messages: [{ code: 'invalid' }],
      });
    }
    // The version before takes them, and this one shows one of each id.
    const { body } = await old.create(mugs(1, methods(twice)));
    expect((await talk.read(body.id)).body.fulfillment.methods[0].destinations).toHaveLength(1);
    const gone = await old.create(mugs(1, methods({ destinations: [home], selected_destination_id: 'nowhere' })));
    expect(choiceOf(await talk.read(gone.body.id))).toEqual([null, null]);
  });
});

describe('a pickup', () => {
  it('is chosen by a place of the merchant, and paid by a platform of the other version', async () => {
    const begun = await talk.create(mugs(1, { fulfillment: pickup() }));
    expect(methodOf(begun).destinations).toMatchObject([
      {
        type: 'business_location',
        name: 'North',
        address: { street_address: 'North St', address_locality: 'Springfield', address_country: 'US' },
      },
      { type: 'business_location', name: 'South' },
    ]);
    expect(choiceOf(begun)).toEqual([null, null]);
    expect(optionsOf(begun)).toEqual(['north', 'south', 'south-later']);
    const [north, south] = [placeNamed(begun, 'North'), placeNamed(begun, 'South')];
    const choose = (more: object) => talk.update(begun.body.id, mugs(1, { fulfillment: named(more) }));

    // North has one option, South has two.
    const first = await choose({ selected_destination_id: north });
    expect([choiceOf(first), optionsOf(first), first.body.status]).toEqual([[north, 'north'], ['north'], 'ready_for_complete']);
    const moved = await choose({ selected_destination_id: south, groups: [{ id: 'pickup_group', selected_option_id: 'north' }] });
    expect([choiceOf(moved), optionsOf(moved), moved.body.status]).toEqual([[south, null], ['south', 'south-later'], 'incomplete']);
    const done = await choose({ selected_destination_id: south, groups: [{ id: 'pickup_group', selected_option_id: 'south-later' }] });
    expect([choiceOf(done), done.body.status]).toEqual([[south, 'south-later'], 'ready_for_complete']);
    expect((await talk.update(begun.body.id, done.body)).body).toEqual(done.body);

    const [method] = (await old.read(begun.body.id)).body.fulfillment.methods;
    expect([method.destinations, method.selected_destination_id, method.groups[0].selected_option_id]).toEqual([
      undefined,
      undefined,
      'south-later',
    ]);
    expect(method.groups[0].options[1].description).toBe('Ring the bell South, South St, Springfield');
    expect((await old.complete(begun.body.id, byWallet(wallet))).body).toMatchObject({ status: 'completed', ucp: { version } });
    const paid = await talk.read(begun.body.id);
    expect([paid.body.status, choiceOf(paid)]).toEqual(['completed', [south, 'south-later']]);
  });
  it('of the version before has the place of its option, and is paid by this one', async () => {
    const { body } = await old.create(mugs(1, { fulfillment: pickup({ groups: [{ selected_option_id: 'north' }] }) }));
    const seen = await talk.read(body.id);
    expect(choiceOf(seen)).toEqual([placeNamed(seen, 'North'), 'north']);
    expect((await talk.complete(body.id, byWallet(wallet))).body).toMatchObject({ status: 'completed', ucp: { version: current } });
  });
  it('200 invalid for a place that is none of the merchant, with the checkout as it was', async () => {
    const begun = await talk.create(mugs(1, { fulfillment: pickup() }));
    const { body } = await talk.update(begun.body.id, mugs(1, { fulfillment: named({ selected_destination_id: 'loc_moon' }) }));
    const { messages, ...same } = body;
    expect(messages).toContainEqual(expect.objectContaining(unknownPlace));
    expect(same.fulfillment).toEqual(begun.body.fulfillment);
  });
});

describe('quantity_unit', () => {
  const asserted = (unit: unknown) => ({ line_items: [{ item: { id: 'song', quantity_unit: unit }, quantity: 2 }] });

  it('is taken where it says pieces', async () => {
    for (const unit of [
      { unit: 'C62', display_text: 'each' },
      { unit: 'C62', scale: 0, increment: 6 },
    ]) {
      const { status, body } = await talk.create(asserted(unit));
      expect([status, body.status, body.line_items[0].item.quantity_unit]).toEqual([201, 'ready_for_complete', undefined]);
    }
  });
  it('200 quantity_unit_mismatch for any other, 400 for what is none; 2026-04-08 does not read it', async () => {
    const { body } = await talk.create(songs());
    const path = '$.line_items[0].item.quantity_unit';
    for (const unit of [{ unit: 'KGM' }, { unit: 'C62', scale: 2 }]) {
      const answer = await talk.update(body.id, asserted(unit));
      expect(answer.body.messages).toMatchObject([{ code: 'quantity_unit_mismatch', severity: 'recoverable', path }]);
    }
    expect((await talk.create(asserted({ unit: 'KGM' }))).body).toMatchObject({ ucp: { status: 'error' }, messages: [{ path }] });
    for (const unit of ['kg', { scale: 0 }, { unit: 'C62', scale: 16 }]) expect((await talk.create(asserted(unit))).status).toBe(400);
    expect((await old.create(asserted('kg'))).status).toBe(201);
  });
});

it('a mandate embeds the terms as either version answers them', async () => {
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'provider' }];
  const names = [checkoutName, fulfillmentName, ap2Name];
  const now = new Talk(harness.test, merchant, host.publish(currentProfile(names, keys)));
  const then = new Talk(harness.test, merchant, host.publish(profileOf(names, { keys })));
  for (const [by, payer] of [
    [now, then],
    [then, now],
  ] as const) {
    const { body: checkout } = await by.create(mugs(1, { fulfillment: shipping() }));
    const claims = { exp: Math.floor(harness.clock.now().getTime() / 1000) + 3_600, checkout };
    const mandate = await new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'ES256', kid: 'provider' })
      .sign(pair.privateKey);
    const { body } = await payer.complete(checkout.id, { ...byWallet(wallet), ap2: { checkout_mandate: mandate } });
    expect(body.status).toBe('completed');
  }
});

it('a merchant that moves its shop keeps the places of what was agreed', async () => {
  const seller = await newSeller(harness.test, { fulfillment });
  const shop = new Talk(harness.test, seller.merchant, host.publish(currentProfile()));
  const begun = await shop.create(mugs(1, { fulfillment: pickup({ groups: [{ selected_option_id: 'north' }] }) }));
  const shipped = fulfillment.filter(({ type }) => type === 'shipping');
  for (const ways of [shipped, [collected('north', 'West')]]) {
    await harness.test.patch(`/v1/merchants/${seller.merchant.id}`, { metadata: offerMetadata({ fulfillment: ways }) });
    expect(methodOf(await shop.read(begun.body.id))).toEqual(methodOf(begun));
    expect((await shop.update(begun.body.id, begun.body)).body).toEqual(begun.body);
  }
  // Other lines are agreed anew, at a place of today.
  const more = await shop.update(begun.body.id, { ...begun.body, line_items: mugs(2).line_items });
  expect(more.body.messages).toContainEqual(expect.objectContaining(unknownPlace));
  const moved = await shop.update(begun.body.id, mugs(2, { fulfillment: named({}) }));
  const place = placeNamed(moved, 'West');
  const done = await shop.update(begun.body.id, mugs(2, { fulfillment: named({ selected_destination_id: place }) }));
  expect([choiceOf(done), done.body.status]).toEqual([[place, 'north'], 'ready_for_complete']);
});
