// Checkouts that an agent reads and calls off by UCP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSeller } from '../../factories/offer.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { byWallet, ProfileHost, profileOf, songs, Talk } from './talk.js';

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
const missing = { status: 200, body: { ucp: { status: 'error' }, messages: [{ code: 'not_found', severity: 'unrecoverable' }] } };

describe('GET /ucp/{merchant_id}/checkout-sessions/{id}', () => {
  it('200: the checkout as it was made, by its bare id too', async () => {
    const { body: made } = await talk.create(songs());
    expect((await talk.read(made.id, { headers: { 'Request-Id': 'r-1' } })).headers.get('request-id')).toBe('r-1');
    expect((await talk.read(made.id)).body).toEqual(made);
    expect((await talk.read(made.id.slice(-36))).body).toEqual(made);
  });
  it('200: one that was begun under /v1, which can be changed and paid here too', async () => {
    const made = await harness.test.make('/v1/ucp/checkouts', {
      merchant_id: merchant.id,
      items: [{ sku: 'song', title: 'Song', quantity: 2, unit_price: '1.00', currency: 'USD' }],
    });
    const { body } = await talk.read(made.id);
    expect(body).toMatchObject({
      status: 'ready_for_complete',
      line_items: [{ id: 'line_1', item: { id: 'song', title: 'Song', price: 100 }, quantity: 2 }],
      totals: [
        { type: 'subtotal', amount: 200 },
        { type: 'tax', amount: 17 },
        { type: 'total', amount: 217 },
      ],
    });
    expect((await talk.update(made.id, songs())).status).toBe(200);
    const { wallet } = await openWallet(harness.test, { funded: '9.00' });
    expect((await talk.complete(made.id, byWallet(wallet))).body.status).toBe('completed');
  });
  it('200 not_found for another merchant, tenant or protocol', async () => {
    const { body: made } = await talk.create(songs());
    const other = new Talk(harness.test, (await newSeller(harness.test)).merchant, profile);
    const foreign = new Talk(harness.other, merchant, profile);
    for (const answer of [
      await talk.read(`ucp_chk_${nowhere}`),
      await talk.read('x'),
      await other.read(made.id),
      await foreign.read(made.id),
    ])
      expect(answer).toMatchObject(missing);
  });
  it('401 without a credential', async () => {
    expect(await talk.read(`ucp_chk_${nowhere}`, { as: null })).toMatchObject({ status: 401, body: { code: 'missing_credential' } });
  });
});

describe('POST /ucp/{merchant_id}/checkout-sessions/{id}/cancel', () => {
  it('200: canceled, with one l, and a key cancels once', async () => {
    const { body: made } = await talk.create(songs());
    const first = await talk.cancel(made.id, { key: 'off' });
    expect([first.status, first.body.status, first.body.continue_url]).toEqual([200, 'canceled', undefined]);
    expect((await talk.cancel(made.id, { key: 'off' })).body).toEqual(first.body);
    const rest = await harness.test.get(`/v1/ucp/checkouts/${made.id}`);
    expect(rest.body.data.status).toBe('cancelled');
  });
  it('200 not_found', async () => {
    expect(await talk.cancel(`ucp_chk_${nowhere}`)).toMatchObject(missing);
  });
  it('400 without a key', async () => {
    expect(await talk.cancel(`ucp_chk_${nowhere}`, { key: '' })).toMatchObject({ status: 400, body: { code: 'idempotency_key_required' } });
  });
  it('409 once it is canceled or completed', async () => {
    const { body: off } = await talk.create(songs());
    await talk.cancel(off.id);
    const conflict = { status: 409, body: { code: 'state_conflict', content: expect.any(String) } };
    expect(await talk.cancel(off.id)).toMatchObject(conflict);
    const { wallet } = await openWallet(harness.test, { funded: '9.00' });
    const { body: paid } = await talk.create(songs());
    await talk.complete(paid.id, byWallet(wallet));
    expect(await talk.cancel(paid.id)).toMatchObject(conflict);
  });
});
