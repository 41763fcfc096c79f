// POST /v1/wallets/{id}/unwrap
import { describe, expect, it } from 'vitest';
import { balanceOf } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const unwrap = ({ id }: Json, body: unknown, as?: string) =>
  harness.test.post(`/v1/wallets/${id}/unwrap`, body, as === undefined ? {} : { as });

describe('POST /v1/wallets/{id}/unwrap', () => {
  describe('201', () => {
    it('makes stream-ready money spendable again', async () => {
      const { wallet } = await openWallet(harness.test, { funded: '10.00' });
      await harness.test.make(`/v1/wallets/${wallet.id}/wrap`, { amount: '4.00' });
      const { status, body } = await unwrap(wallet, { amount: '1.50' });
      expect(status).toBe(201);
      expect(body.data).toMatchObject({
        type: 'unwrap',
        status: 'completed',
        amount: '1.50',
        from_wallet_id: wallet.id,
        to_wallet_id: wallet.id,
      });
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '7.50', wrapped: '2.50', total: '10.00' });
    });
  });

  describe('400', () => {
    for (const body of [{}, { amount: '0.00' }, { amount: null }]) {
      it(JSON.stringify(body), async () => expectInvalid(await unwrap((await openWallet(harness.test)).wallet, body), 'amount'));
    }
  });

  describe('403', () => {
    it('an agent in a wallet that is not its own', async () => {
      const { wallet } = await openWallet(harness.test);
      expectRefused(await unwrap(wallet, { amount: '1.00' }, (await enrol(harness.test)).token), 403, 'forbidden');
    });

    it('a wallet that is frozen', async () => {
      const { wallet } = await openWallet(harness.test, { funded: '10.00' });
      await harness.test.make(`/v1/wallets/${wallet.id}/wrap`, { amount: '4.00' });
      await harness.test.post(`/v1/wallets/${wallet.id}/freeze`, {});
      expectRefused(await unwrap(wallet, { amount: '1.00' }), 403, 'wallet_frozen');
    });
  });

  describe('422', () => {
    it('more than is wrapped, whatever is available', async () => {
      const { wallet } = await openWallet(harness.test, { funded: '10.00' });
      await harness.test.make(`/v1/wallets/${wallet.id}/wrap`, { amount: '4.00' });
      expectRefused(await unwrap(wallet, { amount: '4.01' }), 422, 'insufficient_balance', { available: '4.00' });
    });
  });
});
