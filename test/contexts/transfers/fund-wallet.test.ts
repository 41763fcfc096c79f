// POST /v1/wallets/{id}/fund
import { describe, expect, it } from 'vitest';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused, plain } from '../../refusal.js';

const harness = useHarness();
const fund = ({ id }: Json, body: unknown) => harness.test.post(`/v1/wallets/${id}/fund`, body);

describe('POST /v1/wallets/{id}/fund', () => {
  describe('201', () => {
    it('a transfer from nobody', async () => {
      const { wallet } = await openWallet(harness.test);
      const { status, body } = await fund(wallet, { amount: '100' });
      expect(status).toBe(201);
      expect(body.data).toMatchObject({
        type: 'internal',
        status: 'completed',
        amount: '100.00',
        currency: 'USD',
        to_wallet_id: wallet.id,
      });
      expect(body.data).not.toHaveProperty('from_wallet_id');
      expect(body.data).not.toHaveProperty('from_account_id');
      expect((await balanceOf(harness.test, wallet)).available).toBe('100.00');
      expect((await eventsOf(harness, body.data.id)).map(({ type }) => type)).toEqual(['transfer.created', 'transfer.completed']);
      expect((await harness.test.get(`/v1/transfers/${body.data.id}`)).body).toEqual(body);
    });

    it('many at once add up', async () => {
      const { wallet } = await openWallet(harness.test, { currency: 'USDC' });
      await Promise.all(Array.from({ length: 40 }, () => fund(wallet, { amount: '0.1', currency: 'USDC' })));
      expect((await balanceOf(harness.test, wallet)).available).toBe('4.00');
    });
  });

  describe('400', () => {
    for (const amount of [undefined, null, 5, '0', '-5.00', '0.001', '1e2', '99999999999999999999']) {
      it(`an amount of ${JSON.stringify(amount)}`, async () => {
        expectInvalid(await fund((await openWallet(harness.test)).wallet, { amount }), 'amount');
      });
    }
  });

  describe('400, at the end of the numbers', () => {
    it('what would make a balance larger than the ledger can hold', async () => {
      const { wallet } = await openWallet(harness.test, { currency: 'USDT' });
      const most = '100000000000.00';
      await Promise.all(Array.from({ length: 8 }, () => fund(wallet, { amount: most })));
      expect((await fund(wallet, { amount: most })).status).toBe(201);
      expectInvalid(await fund(wallet, { amount: '0.000001' }), 'amount');
      expect((await balanceOf(harness.test, wallet)).available).toBe('900000000000.00');
    });
  });

  describe('403', () => {
    it('in production', async () => {
      const { wallet } = await openWallet(harness.live);
      expectRefused(await harness.live.post(`/v1/wallets/${wallet.id}/fund`, { amount: '1.00' }), 403, 'test_mode_only');
      expect((await balanceOf(harness.live, wallet)).available).toBe('0.00');
    });

    it('a wallet of an account that was closed', async () => {
      const { account, wallet } = await openWallet(harness.test);
      await harness.test.patch(`/v1/accounts/${account.id}`, { status: 'closed' });
      expectRefused(await fund(wallet, { amount: '1.00' }), 403, 'wallet_frozen');
    });
  });

  describe('404', () => {
    it('one body for a wallet of nobody, another tenant’s, production’s and what can be no id', async () => {
      const missing = await fund({ id: nowhere }, { amount: '1.00' });
      expectRefused(missing, 404, 'not_found');
      const [foreign, live] = await Promise.all([openWallet(harness.other), openWallet(harness.live)]);
      for (const id of [foreign.wallet.id, live.wallet.id, 'x'])
        expect(plain(await fund({ id }, { amount: '1.00' }))).toEqual(plain(missing));
    });
  });

  describe('422', () => {
    it('another currency than the wallet’s', async () => {
      const { wallet } = await openWallet(harness.test);
      expectRefused(await fund(wallet, { amount: '1.00', currency: 'EUR' }), 422, 'currency_mismatch');
    });
  });
});
