// PATCH /v1/merchants/{id}
import { describe, expect, it } from 'vitest';
import { newMerchant } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused, plain } from '../../refusal.js';

const harness = useHarness();
const update = ({ id }: Json, body: unknown) => harness.test.patch(`/v1/merchants/${id}`, body);

describe('PATCH /v1/merchants/{id}', () => {
  describe('200', () => {
    it('changes what it is given, clears with null, and leaves the rest', async () => {
      const merchant = await newMerchant(harness.test, { url: 'https://old.example' });
      const wallet = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: merchant.account_id, currency: 'EUR' });
      harness.clock.advance(5);
      const changes = { name: 'Books', category: '5942', settlement_wallet_id: wallet.id, status: 'inactive', metadata: { a: 1 } };
      const { status, body } = await update(merchant, changes);
      expect(status).toBe(200);
      const warnings = merchant.warnings.filter(({ code }: { code: string }) => code !== 'no_wallet');
      expect(body.data).toEqual({ ...merchant, ...changes, warnings, updated_at: harness.clock.now().toISOString() });
      const cleared = (await update(merchant, { url: null, settlement_wallet_id: null })).body.data;
      expect(cleared).not.toHaveProperty('url');
      expect(cleared).not.toHaveProperty('settlement_wallet_id');
      expect(cleared.name).toBe('Books');
    });
  });

  describe('400', () => {
    for (const [name, body, path] of [
      ['an account, which never changes', { account_id: nowhere }, 'account_id'],
      ['an unknown status', { status: 'gone' }, 'status'],
      ['a category with capitals', { category: 'Books' }, 'category'],
      ['an offer that is none', { metadata: { offer: { currency: 'USD' } } }, 'metadata.offer.items'],
    ] as const) {
      it(name, async () => expectInvalid(await update({ id: nowhere }, body), path));
    }
  });

  describe('404', () => {
    it('one body for a wallet of nobody, of another tenant and of another account', async () => {
      const merchant = await newMerchant(harness.test);
      const missing = await update(merchant, { settlement_wallet_id: nowhere });
      expectRefused(missing, 404, 'not_found', { fields: [{ path: 'settlement_wallet_id' }] });
      for (const { wallet } of await Promise.all([openWallet(harness.other), openWallet(harness.test)])) {
        expect(plain(await update(merchant, { settlement_wallet_id: wallet.id }))).toEqual(plain(missing));
      }
    });
  });
});
