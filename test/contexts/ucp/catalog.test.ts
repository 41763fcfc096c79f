// Catalogues by UCP 2026-08-25: what a merchant sells, for its own workspace, and for anybody where it says so.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newSeller, offerMetadata } from '../../factories/offer.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { current, currentProfile, lookupName, ProfileHost, profileOf, searchName, Talk } from './talk.js';

const host = await ProfileHost.start();
afterAll(() => host.stop());
const harness = useHarness({ allowHosts: [host.host] });
const profile = host.publish(currentProfile([searchName, lookupName]));

const items = [
  { id: 'mug', title: 'Mug', description: 'Holds coffee.', unit_price: '12.50', categories: ['Kitchen', 'Gifts'] },
  {
    id: 'cup',
    title: 'Cup',
    description: 'Holds tea.',
    unit_price: '8.00',
    categories: ['Kitchen'],
    image_url: 'https://shop.example/c.png',
  },
  { id: 'gone', title: 'Rare print', unit_price: '99.00', available_quantity: 0 },
  ...Array.from({ length: 60 }, (_, at) => ({ id: `card-${at}`, title: `Card ${at}`, unit_price: '1.00', categories: ['Paper'] })),
];
let shop: Talk;
let open: Talk;
let openMerchant: Json;
beforeAll(async () => {
  const { merchant } = await newSeller(harness.test, { items });
  shop = new Talk(harness.test, merchant, profile);
  ({ merchant: openMerchant } = await newSeller(harness.test, { items, catalog: 'public' }));
  open = new Talk(harness.test, openMerchant, profile);
});
// A minute for each test: a workspace has so many profiles fetched in one.
beforeEach(() => harness.clock.advance(60));

const ids = ({ body }: { body: Json }) => body.products.map(({ id }: Json) => id);
const refused = (path: string) => ({ status: 400, body: { code: 'validation_failed', details: { fields: [{ path }] } } });

describe('POST /ucp/{merchant_id}/catalog/search', () => {
  it('200: an item is a product with one variant, whose id lines of checkouts name', async () => {
    const { status, body } = await shop.search({ query: 'cup' });
    expect([status, body.ucp.version, body.ucp.status]).toEqual([200, current, 'success']);
    const price = { amount: 800, currency: 'USD' };
    const media = [{ type: 'image', url: 'https://shop.example/c.png', alt_text: 'Cup' }];
    expect(body.products).toEqual([
      {
        id: 'cup',
        title: 'Cup',
        description: { plain: 'Holds tea.' },
        categories: [{ value: 'Kitchen', taxonomy: 'merchant' }],
        price_range: { min: price, max: price },
        media,
        variants: [
          {
            id: 'cup',
            title: 'Cup',
            description: { plain: 'Holds tea.' },
            price,
            availability: { available: true, status: 'in_stock' },
            media,
          },
        ],
      },
    ]);
    expect(body.pagination).toEqual({ has_next_page: false, total_count: 1 });
  });
  it('finds all the words, in id, title, description and categories, whatever their case', async () => {
    expect(ids(await shop.search({ query: 'HOLDS coffee' }))).toEqual(['mug']);
    expect(ids(await shop.search({ query: 'kitchen' }))).toEqual(['mug', 'cup']);
    expect(ids(await shop.search({ query: 'CARD-59' }))).toEqual(['card-59']);
    expect(ids(await shop.search({ query: 'coffee tea' }))).toEqual([]);
    expect((await shop.search({ query: 'print' })).body.products[0].variants[0].availability).toEqual({
      available: false,
      status: 'out_of_stock',
    });
  });
  it('filters by price and by category, each category being enough', async () => {
    expect(ids(await shop.search({ filters: { price: { min: 801, max: 1250 } } }))).toEqual(['mug']);
    expect(ids(await shop.search({ filters: { categories: ['gifts', 'none'] } }))).toEqual(['mug']);
    expect(ids(await shop.search({ filters: { categories: ['Kitchen'], price: { max: 800 } }, query: 'holds' }))).toEqual(['cup']);
    expect(ids(await shop.search({ filters: { price: { max: 800 } }, context: { currency: 'usd' }, query: 'cup' }))).toEqual(['cup']);
  });
  it('leaves a price filter of another currency alone, and says so', async () => {
    const { body } = await shop.search({ query: 'mug', filters: { price: { max: 1 } }, context: { currency: 'EUR' } });
    expect(body.products).toMatchObject([{ id: 'mug' }]);
    expect(body.messages).toMatchObject([{ type: 'warning', code: 'price_filter_ignored', path: '$.filters.price' }]);
  });
  it('has pages of ten, of fifty at most, and each item once', async () => {
    const first = await shop.search({ query: 'card' });
    expect([ids(first).length, first.body.pagination]).toEqual([10, { has_next_page: true, cursor: expect.any(String), total_count: 60 }]);
    const many = { limit: 1_000 };
    const page = await shop.search({ query: 'card', pagination: many });
    expect(ids(page)).toHaveLength(50);
    const last = await shop.search({ query: 'card', pagination: { ...many, cursor: page.body.pagination.cursor } });
    expect(ids(last)).toEqual(Array.from({ length: 10 }, (_, at) => `card-${at + 50}`));
    expect(last.body.pagination).toEqual({ has_next_page: false, total_count: 60 });
  });
  it('goes on after the item that was last, also when others have come or it has gone', async () => {
    const { merchant } = await newSeller(harness.test, { items });
    const talk = new Talk(harness.test, merchant, profile);
    const { cursor } = (await talk.search({ query: 'card', pagination: { limit: 2 } })).body.pagination;
    const next = async (kept: object[]) => {
      await harness.test.patch(`/v1/merchants/${merchant.id}`, { metadata: offerMetadata({ items: kept }) });
      return ids(await talk.search({ query: 'card', pagination: { limit: 1, cursor } }));
    };
    expect(await next([{ id: 'card-new', title: 'Card', unit_price: '1.00' }, ...items])).toEqual(['card-2']);
    expect(await next(items.filter(({ id }) => id !== 'card-1'))).toEqual(['card-3']);
  });
  it('400 for a cursor that is none, or of another search', async () => {
    const { cursor } = (await shop.search({ query: 'card' })).body.pagination;
    const wrong = ['x', 'cur_', 'cur_eyJ9.x', `${cursor}x`, cursor.replace('.', '')];
    for (const one of wrong) {
      expect(await shop.search({ query: 'card', pagination: { cursor: one } })).toMatchObject(refused('pagination.cursor'));
    }
    expect(await shop.search({ query: 'car', pagination: { cursor } })).toMatchObject(refused('pagination.cursor'));
    expect(await open.search({ query: 'card', pagination: { cursor } })).toMatchObject(refused('pagination.cursor'));
  });
  it('400 for limits and prices that are no whole numbers, and for nothing that is looked for', async () => {
    for (const limit of [0, -1, 1.5, '10', null]) {
      expect(await shop.search({ query: 'x', pagination: { limit } })).toMatchObject(refused('pagination.limit'));
    }
    expect(await shop.search({ filters: { price: { min: -1 } } })).toMatchObject(refused('filters.price.min'));
    expect(await shop.search({ filters: { price: { max: 1.5 } } })).toMatchObject(refused('filters.price.max'));
    expect(await shop.search({ context: {} })).toMatchObject(refused('query'));
  });
  it('200 capabilities_incompatible for an agent that has no catalogues, as those of 2026-04-08', async () => {
    const old = host.publish(profileOf([searchName, lookupName]));
    const lookupOnly = host.publish(currentProfile([lookupName]));
    for (const agent of [old, lookupOnly]) {
      const { status, body } = await shop.search({ query: 'mug' }, { agent: `profile="${agent}"` });
      expect([status, body.ucp.status, body.messages[0].code]).toEqual([200, 'error', 'capabilities_incompatible']);
    }
  });
  it('200 no_offer for a merchant that sells nothing', async () => {
    const bare = await harness.test.make('/v1/merchants', { name: 'Bare', category: 'x', account_id: openMerchant.account_id });
    const { status, body } = await new Talk(harness.test, bare, profile).search({ query: 'mug' });
    expect([status, body.ucp.status, body.messages[0].code]).toEqual([200, 'error', 'no_offer']);
  });
  it('401 without a credential unless the catalogue is public; the same for a merchant that is not there', async () => {
    expect((await open.search({ query: 'mug' }, { as: null })).status).toBe(200);
    expect(await shop.search({ query: 'mug' }, { as: null })).toMatchObject({ status: 401, body: { code: 'missing_credential' } });
    const none = new Talk(harness.test, { id: `mer_${nowhere}` }, profile);
    expect(await none.search({ query: 'mug' }, { as: null })).toMatchObject({ status: 401, body: { code: 'missing_credential' } });
    expect((await none.search({ query: 'mug' })).status).toBe(404);
    expect((await open.search({ query: 'mug' }, { as: 'pk_test_wrong' })).status).toBe(401);
  });
  it('is closed again when the offer is public no more', async () => {
    const say = (catalog: string) =>
      harness.test.patch(`/v1/merchants/${openMerchant.id}`, { metadata: offerMetadata({ items, catalog }) });
    await say('private');
    expect((await open.search({ query: 'mug' }, { as: null })).status).toBe(401);
    await say('public');
    expect((await open.search({ query: 'mug' }, { as: null })).status).toBe(200);
  });
  it('404 for another tenant, unless the catalogue is public', async () => {
    const as = harness.other.key;
    expect((await shop.search({ query: 'mug' }, { as })).status).toBe(404);
    expect((await open.search({ query: 'mug' }, { as })).status).toBe(200);
  });
});

describe('POST /ucp/{merchant_id}/catalog/lookup', () => {
  it('200: each item once, with the id that found it; messages name the others', async () => {
    const { status, body } = await shop.lookUp({ ids: ['cup', 'none', 'mug', 'cup'] });
    expect(status).toBe(200);
    expect(body.products.map(({ id, variants }: Json) => [id, variants[0].inputs])).toEqual([
      ['mug', [{ id: 'mug', match: 'exact' }]],
      ['cup', [{ id: 'cup', match: 'exact' }]],
    ]);
    expect(body.messages).toEqual([{ type: 'info', code: 'not_found', content: 'none' }]);
  });
  it('400 request_too_large for 51 ids, which are counted once each', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `card-${at}`);
    expect(await shop.lookUp({ ids: many(51) })).toMatchObject({ status: 400, body: { code: 'request_too_large' } });
    expect((await shop.lookUp({ ids: [...many(50), ...many(50)] })).body.products).toHaveLength(50);
  });
  it('400 without ids', async () => {
    expect(await shop.lookUp({ ids: [] })).toMatchObject(refused('ids'));
    expect(await shop.lookUp({})).toMatchObject(refused('ids'));
    expect(await shop.lookUp({ ids: [1] })).toMatchObject(refused('ids.0'));
  });
});

describe('POST /ucp/{merchant_id}/catalog/product', () => {
  it('200 with one product, also for anybody where the catalogue is public', async () => {
    expect((await shop.product({ id: 'mug' })).body.product).toMatchObject({ id: 'mug', variants: [{ id: 'mug' }] });
    expect((await open.product({ id: 'mug' }, { as: null })).body.product.id).toBe('mug');
  });
  it('200 not_found for none, and for one that the filters leave out', async () => {
    for (const asked of [{ id: 'none' }, { id: 'mug', filters: { price: { max: 1 } } }]) {
      const { status, body } = await shop.product(asked);
      expect([status, body.ucp.status, body.messages]).toMatchObject([200, 'error', [{ code: 'not_found', severity: 'unrecoverable' }]]);
    }
  });
});
