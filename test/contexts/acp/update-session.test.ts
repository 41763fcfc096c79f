// POST and GET /acp/{merchant_id}/checkout_sessions/{checkout_session_id}
import { beforeAll, describe, expect, it } from 'vitest';
import { type AcpClient, address, amountsOf, byPost, byWallet, newShop } from '../../factories/acp.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
let acp: AcpClient;

beforeAll(async () => {
  ({ acp } = await newShop(harness.test));
});
const begin = async (body: object = {}) => (await acp.create(body)).body;
const codesOf = ({ messages }: Json) => messages.map(({ code, param }: Json) => [code, param]);

describe('200', () => {
  it('chooses a delivery, and is then ready to be paid', async () => {
    const { status, body } = await acp.update(await begin(), { selected_fulfillment_options: [byPost('mug')] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'ready_for_payment', selected_fulfillment_options: [byPost('mug')], messages: [] });
    expect(amountsOf(body)).toEqual({ items_base_amount: 1250, subtotal: 1250, fulfillment: 499, tax: 103, total: 1852 });
  });

  it('leaves what it is not told: items, address, buyer and notes', async () => {
    const buyer = { email: 'ada@example.com' };
    const session = await begin({ buyer, order_notes: 'Ring twice.', metadata: { a: 1 } });
    const { body } = await acp.update(session, { fulfillment_details: { phone_number: '15551234567' } });
    expect(body).toMatchObject({ buyer, metadata: { a: 1 }, line_items: session.line_items });
    expect(body.fulfillment_details).toEqual({ ...session.fulfillment_details, phone_number: '15551234567' });
    expect((await acp.update(session, {})).body.fulfillment_details).toEqual(body.fulfillment_details);
  });

  it('changes items, and drops a delivery of what has left the basket', async () => {
    const { body: session } = await acp.update(await begin({ line_items: [{ id: 'mug' }, { id: 'pen' }] }), {
      selected_fulfillment_options: [byPost('mug', 'pen')],
    });
    const { body } = await acp.update(session, { line_items: [{ id: 'pen', quantity: 2 }] });
    expect(body).toMatchObject({ status: 'ready_for_payment', selected_fulfillment_options: [byPost('pen')] });
    expect(amountsOf(body)['subtotal']).toBe(198);
    const gone = (await acp.update(body, { line_items: [{ id: 'song' }] })).body;
    expect(gone).not.toHaveProperty('selected_fulfillment_options');
    expect(amountsOf(gone)).toEqual({ items_base_amount: 100, subtotal: 100, tax: 8, total: 108 });
  });

  it('tells of a delivery that does not reach the new address', async () => {
    const express = { type: 'shipping', option_id: 'express', item_ids: ['mug'] };
    const { body: session } = await acp.update(await begin(), { selected_fulfillment_options: [express] });
    expect(session.status).toBe('ready_for_payment');
    const { body } = await acp.update(session, { fulfillment_details: { address: { ...address, country: 'FR' } } });
    expect([body.status, codesOf(body)]).toEqual([
      'not_ready_for_payment',
      [['region_restricted', '$.selected_fulfillment_options[0].option_id']],
    ]);
  });

  it('asks for an address where something is sent, and for none where it is picked up', async () => {
    const session = await begin({ fulfillment_details: { name: 'Ada' } });
    const { body } = await acp.update(session, { selected_fulfillment_options: [byPost('mug')] });
    expect(codesOf(body)).toEqual([['missing', '$.fulfillment_details.address']]);
    const pickup = { type: 'pickup', option_id: 'shop', item_ids: ['mug'] };
    const { body: there } = await acp.update(session, { selected_fulfillment_options: [pickup] });
    expect([there.status, amountsOf(there)['fulfillment']]).toEqual(['ready_for_payment', 0]);
  });

  it('takes ten changes at once, and keeps each', async () => {
    const session = await begin();
    const changes = [{ selected_fulfillment_options: [byPost('mug')] }, { buyer: { email: 'eve@example.com' } }, { order_notes: 'Now.' }];
    await Promise.all(changes.flatMap((change) => [acp.update(session, change), acp.update(session, change)]));
    const { body } = await acp.read(session);
    expect(body).toMatchObject({ status: 'ready_for_payment', buyer: { email: 'eve@example.com' } });
  });

  it('reads the session as it is, also one that was begun through /v1', async () => {
    const session = await acp.ready();
    expect((await acp.read(session)).body).toEqual(session);
    const { merchant, acp: other } = await newShop(harness.test);
    const items = [{ sku: 'song', quantity: 2, unit_price: '1.00', currency: 'USD' }];
    const made = await harness.test.make('/v1/acp/checkouts', { merchant_id: merchant.id, items });
    const { body } = await other.read(made);
    expect(body).toMatchObject({ status: 'ready_for_payment', line_items: [{ item: { id: 'song' }, quantity: 2 }] });
    // Two songs, and the tax of the offer.
    expect(amountsOf(body)['total']).toBe(217);
    // Its prices are the offer's too, so it may be changed here as well.
    expect((await other.update(made, {})).status).toBe(200);
  });

  it('is expired when its time is over', async () => {
    const session = await acp.ready();
    harness.clock.advance(1_800);
    expect((await acp.read(session)).body.status).toBe('expired');
    await harness.runDue();
    expect((await acp.read(session)).body.status).toBe('expired');
  });
});

describe('400', () => {
  it.each<[string, object, string, string]>([
    ['an option that there is not', { selected_fulfillment_options: [{ ...byPost('mug'), option_id: 'x' }] }, 'invalid', '[0].option_id'],
    [
      'an option for other goods',
      { selected_fulfillment_options: [{ ...byPost('mug'), option_id: 'download' }] },
      'invalid',
      '[0].item_ids',
    ],
    ['an item that is not there', { selected_fulfillment_options: [byPost('pen')] }, 'invalid', '[0].item_ids'],
    ['an item twice', { selected_fulfillment_options: [byPost('mug'), byPost('mug')] }, 'invalid', '[1].item_ids'],
    ['delivery nearby', { selected_fulfillment_options: [{ ...byPost('mug'), type: 'local_delivery' }] }, 'unsupported', '[0].type'],
  ])('%s', async (_name, change, code, place) => {
    const session = await begin();
    const param = `$.selected_fulfillment_options${place}`;
    expect(await acp.update(session, change)).toMatchObject({ status: 400, body: { code, param } });
    expect((await acp.read(session)).body).toEqual(session);
  });

  it('other items, once the merchant sells in another currency', async () => {
    const { acp: own, merchant } = await newShop(harness.test);
    const session = await own.ready();
    const { offer } = merchant.metadata;
    await harness.test.patch(`/v1/merchants/${merchant.id}`, { metadata: { offer: { ...offer, currency: 'EUR' } } });
    const answer = await own.update(session, { line_items: [{ id: 'mug' }] });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid', param: '$.line_items' } });
    expect((await own.update(session, { order_notes: 'Ring twice.' })).body.totals).toEqual(session.totals);
  });

  it('null for what is left out, and an item that there is not', async () => {
    const session = await begin();
    expect(await acp.update(session, { line_items: null })).toMatchObject({ status: 400, body: { param: '$.line_items' } });
    expect(await acp.update(session, { line_items: [{ id: 'x' }] })).toMatchObject({ status: 400, body: { code: 'invalid_item_id' } });
  });
});

describe('404', () => {
  it('for a session of nobody, of another merchant, of another tenant and of another agent', async () => {
    const session = await acp.ready();
    const { acp: other } = await newShop(harness.test);
    const agent = await enrol(harness.test);
    const answers = await Promise.all([
      acp.read({ id: `acp_chk_${nowhere}` }),
      acp.read({ id: 'session' }),
      other.read(session),
      other.update(session, {}),
      acp.read(session, { as: harness.other.key }),
      acp.read(session, { as: agent.token }),
      acp.update(session, {}, { as: agent.token }),
    ]);
    const bodies = new Set(answers.map(({ status, body }) => JSON.stringify([status, body])));
    expect([...bodies]).toEqual([expect.stringContaining('404')]);
  });
});

describe('409', () => {
  it('for one that is paid, and for one whose time is over', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '100.00' });
    const paid = await acp.ready();
    expect((await acp.complete(paid, byWallet(wallet))).body.status).toBe('completed');
    expect(await acp.update(paid, { line_items: [{ id: 'pen' }] })).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
    const late = await acp.ready();
    harness.clock.advance(1_800);
    expect(await acp.update(late, {})).toMatchObject({ status: 409, body: { code: 'expired' } });
  });

  it('nobody sends it through /v1 where its delivery does not go', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '100.00' });
    const { body: session } = await acp.create();
    const express = { type: 'shipping', option_id: 'express', item_ids: ['mug'] };
    await acp.update(session, { selected_fulfillment_options: [express] });
    const to = (country: string) => ({
      from_wallet_id: wallet.id,
      shipping_address: { line1: '1 Main St', city: 'Springfield', state: 'IL', postal_code: '62701', country },
    });
    const complete = (country: string, query = '') => harness.test.post(`/v1/acp/checkouts/${session.id}/complete${query}`, to(country));
    for (const query of ['?dry_run=true', '']) {
      const { status, body } = await complete('DE', query);
      expect([status, body.code, body.details.problems]).toMatchObject([409, 'state_conflict', [{ code: 'option_out_of_reach' }]]);
    }
    expect((await complete('US')).body.data.status).toBe('paid');
  });
  it('nobody lowers a price through /v1', async () => {
    const session = await acp.ready();
    const items = [{ sku: 'mug', quantity: 1, unit_price: '0.01', currency: 'USD' }];
    const { status, body } = await harness.test.patch(`/v1/acp/checkouts/${session.id}`, { items });
    expect([status, body.details.fields[0].path]).toEqual([400, 'items']);
    expect((await acp.read(session)).body).toEqual(session);
  });
});
