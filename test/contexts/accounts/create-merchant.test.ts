// POST /v1/merchants
import { describe, expect, it } from 'vitest';
import { offerMetadata } from '../../factories/offer.js';
import { newAccount } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused, plain } from '../../refusal.js';

const harness = useHarness();
const create = (body: object) => harness.test.post('/v1/merchants', { name: 'Shop', category: 'cloud-computing', ...body });

describe('POST /v1/merchants', () => {
  describe('201', () => {
    it('registers a seller', async () => {
      const account = await newAccount(harness.test);
      const { status, body } = await create({ account_id: account.id });
      const at = harness.clock.now().toISOString();
      expect(status).toBe(201);
      expect(body.data).toEqual({
        id: expect.stringMatching(/^mer_[0-9a-f-]{36}$/),
        name: 'Shop',
        category: 'cloud-computing',
        account_id: account.id,
        shop_hosts: [],
        status: 'active',
        metadata: {},
        accepts_buyer_prices: true,
        warnings: [
          { code: 'no_wallet', message: expect.stringContaining('POST /v1/wallets') },
          { code: 'no_offer', message: expect.stringContaining('metadata.offer') },
        ],
        created_at: at,
        updated_at: at,
      });
    });

    it('with a merchant category code, a wallet of its account, an address and metadata', async () => {
      const { account, wallet } = await openWallet(harness.test);
      const given = { category: '5734', settlement_wallet_id: wallet.id, url: 'https://shop.example/', metadata: { a: 1 } };
      const { body } = await create({ account_id: `acc_${account.id}`, ...given });
      expect(body.data).toMatchObject({ ...given, account_id: account.id, warnings: [{ code: 'no_offer' }] });
    });
  });

  describe('400', () => {
    const cases: [string, object, string][] = [
      ['no name', { name: '' }, 'name'],
      ['a category with spaces', { category: 'Cloud Computing' }, 'category'],
      ['a code of three digits and a dash', { category: '573-' }, 'category'],
      ['an address that is none', { url: 'shop' }, 'url'],
      ['an address that is a script', { url: 'javascript:alert(1)' }, 'url'],
      ['an account that can be no id', { account_id: 'me' }, 'account_id'],
      ['the id of a wallet as an account', { account_id: `wal_${nowhere}` }, 'account_id'],
      ['an unknown member', { settlement_wallet: nowhere }, 'settlement_wallet'],
    ];
    for (const [name, body, path] of cases) it(name, async () => expectInvalid(await create({ account_id: nowhere, ...body }), path));

    const mug = { id: 'mug', title: 'Mug', unit_price: '12.50' };
    const post = { id: 'post', type: 'shipping', title: 'Post', amount: '4.99' };
    const offers: [string, object, string][] = [
      ['an offer in no currency of ours', { currency: 'GBP' }, 'currency'],
      ['one of nothing', { items: [] }, 'items'],
      ['two items of one id', { items: [mug, mug] }, 'items'],
      ['a price of nothing', { items: [{ ...mug, unit_price: '0.00' }] }, 'items.0.unit_price'],
      ['a price that is a number', { items: [{ ...mug, unit_price: 12.5 }] }, 'items.0.unit_price'],
      ['a price with more digits than the currency', { items: [{ ...mug, unit_price: '1.005' }] }, 'items.0.unit_price'],
      ['a price beyond the numbers of JSON', { items: [{ ...mug, unit_price: '90071992547410.00' }] }, 'items.0.unit_price'],
      ['a misspelt member', { items: [{ ...mug, unit_prize: '1.00' }] }, 'items.0.unit_prize'],
      ['a pickup nobody knows where', { fulfillment: [{ ...post, type: 'pickup' }] }, 'fulfillment.0.location'],
      ['a delivery that ends before it begins', { fulfillment: [{ ...post, min_days: 5, max_days: 3 }] }, 'fulfillment.0.max_days'],
      ['a tax of a hundred percent', { tax: { rate_percent: '100' } }, 'tax.rate_percent'],
      ['a handler of no kind', { payment_handlers: ['cash'] }, 'payment_handlers.0'],
      ['a link that is a script', { links: { faq: 'javascript:alert(1)' } }, 'links.faq'],
    ];
    for (const [name, changes, path] of offers) {
      it(name, async () => {
        expectInvalid(await create({ account_id: nowhere, metadata: offerMetadata(changes) }), `metadata.offer.${path}`);
      });
    }
  });

  describe('404', () => {
    it('one body for an account of nobody, of another tenant and of production', async () => {
      const missing = await create({ account_id: nowhere });
      expectRefused(missing, 404, 'not_found', { fields: [{ path: 'account_id' }] });
      for (const { id } of await Promise.all([newAccount(harness.other), newAccount(harness.live)])) {
        expect(plain(await create({ account_id: id }))).toEqual(plain(missing));
      }
    });

    it('one body for a wallet of nobody, of another tenant and of another account', async () => {
      const account = await newAccount(harness.test);
      const ask = (wallet: Json) => create({ account_id: account.id, settlement_wallet_id: wallet.id });
      const missing = await ask({ id: nowhere });
      expectRefused(missing, 404, 'not_found', { fields: [{ path: 'settlement_wallet_id' }] });
      for (const { wallet } of await Promise.all([openWallet(harness.other), openWallet(harness.live), openWallet(harness.test)])) {
        expect(plain(await ask(wallet))).toEqual(plain(missing));
      }
    });
  });
});
