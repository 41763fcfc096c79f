// GET /v1/acp/checkouts and GET /v1/acp/checkouts/{id}, and the same of UCP
import { describe, expect, it } from 'vitest';
import { checkoutBody, newShop, sellerAgent, uuidOf } from '../../factories/checkout.js';
import { idsOf } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { explain, recordStatements } from '../../plan.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/acp/checkouts';

describe('GET /v1/acp/checkouts', () => {
  describe('200', () => {
    it('newest first, in pages', async () => {
      const shop = await newShop(harness.test);
      const made = [await shop.begin(), await shop.begin(), await shop.begin()].map(({ id }) => id).reverse();
      const first = await harness.test.get(`${path}?merchant_id=${shop.merchant.id}&limit=2`);
      expect([idsOf(first), first.body.pagination]).toEqual([
        made.slice(0, 2),
        { page: 1, limit: 2, total: 3, totalPages: 2, has_more: true, next_cursor: expect.any(String) },
      ]);
      expect(idsOf(await harness.test.get(`${path}?merchant_id=${shop.merchant.id}&limit=2&page=2`))).toEqual(made.slice(2));
      const { next_cursor } = first.body.pagination;
      const next = `${path}?merchant_id=${shop.merchant.id}&limit=2&starting_after=${next_cursor}`;
      expect(idsOf(await harness.test.get(next))).toEqual(made.slice(2));
    });

    it('by status, merchant and time', async () => {
      const shop = await newShop(harness.test);
      const of = async (query: string) => idsOf(await harness.test.get(`${path}?merchant_id=${shop.merchant.id}${query}`));
      const paid = await shop.begin();
      await shop.complete(paid);
      harness.clock.advance(60);
      const later = harness.clock.now().toISOString();
      const open = await shop.begin();
      expect(await of('&status=paid')).toEqual([paid.id]);
      expect(await of('&status=created')).toEqual([open.id]);
      expect(await of('&status=expired')).toEqual([]);
      expect(await of(`&since=${later}`)).toEqual([open.id]);
      expect(await of(`&until=${later}`)).toEqual([paid.id]);
    });

    it('each protocol its own', async () => {
      const shop = await newShop(harness.test);
      const ucp = await harness.test.make('/v1/ucp/checkouts', checkoutBody(shop.merchant));
      const acp = await shop.begin();
      expect(idsOf(await harness.test.get(`${path}?merchant_id=${shop.merchant.id}`))).toEqual([acp.id]);
      expect(idsOf(await harness.test.get(`/v1/ucp/checkouts?merchant_id=${shop.merchant.id}`))).toEqual([ucp.id]);
      expectRefused(await harness.test.get(`${path}/${uuidOf(ucp)}`), 404, 'not_found');
      expectRefused(await harness.test.get(`/v1/ucp/checkouts/${uuidOf(acp)}`), 404, 'not_found');
      expect((await harness.test.get(`/v1/ucp/checkouts/${uuidOf(ucp)}`)).body.data).toMatchObject({ id: ucp.id, client_secret: null });
    });

    it('an agent what it buys and what its account sells, and nothing else', async () => {
      const [shop, stranger] = [await newShop(harness.test), await newShop(harness.test)];
      const seller = await sellerAgent(harness.test, shop.merchant);
      const own = await shop.begin();
      const named = await harness.test.make(path, checkoutBody(stranger.merchant, { agent_id: shop.uuid }));
      await stranger.begin();
      const seenBy = async (as: string) => idsOf(await harness.test.get(path, { as })).sort();
      expect(await seenBy(shop.token)).toEqual([own.id, named.id].sort());
      expect(await seenBy(seller.token)).toEqual([own.id]);
      for (const token of [shop.token, seller.token]) {
        expect((await harness.test.get(`${path}/${own.id}`, { as: token })).body.data.id).toBe(own.id);
      }
      expectRefused(await harness.test.get(`${path}/${own.id}`, { as: stranger.token }), 404, 'not_found');
    });
  });

  it('reads by index what an agent sees, however many others there are', async () => {
    const { pool, url } = harness.platform.database;
    const [shop, stranger] = [await newShop(harness.test), await newShop(harness.test)];
    const seller = await sellerAgent(harness.test, shop.merchant);
    await shop.complete(await shop.begin());
    const others = `INSERT INTO checkout SELECT another.* FROM checkout c, generate_series(1, 5000) n,
      jsonb_populate_record(c, jsonb_build_object('id', overlay(c.id::text PLACING lpad(to_hex(n), 12, '0') FROM 25))) another WHERE c.id = $1`;
    await pool.query(others, [uuidOf(await stranger.begin())]);
    await pool.query('ANALYZE checkout');
    for (const as of [shop.token, seller.token]) {
      const recorded = recordStatements(pool);
      expect((await harness.test.get(path, { as })).body.data).toHaveLength(1);
      recorded.stop();
      const lists = recorded.statements.filter(({ text }) => text.includes('"checkout"'));
      expect(lists).not.toEqual([]);
      for (const statement of lists) {
        for (const node of await explain(url, statement, 'force_custom_plan')) expect(node.rows + node.removed, node.type).toBeLessThan(50);
      }
    }
  });

  it('400 for what is out of range', async () => {
    expectInvalid(await harness.test.get(`${path}?limit=201`), 'limit');
    expectInvalid(await harness.test.get(`${path}?page=0`), 'page');
    expectInvalid(await harness.test.get(`${path}?status=open`), 'status');
    expectInvalid(await harness.test.get(`${path}?since=yesterday`), 'since');
  });
});
