// PATCH /v1/wallets/{id}
import { describe, expect, it } from 'vitest';
import { eventsOf, pay, twoWallets } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';

const harness = useHarness();
const update = ({ id }: Json, body: unknown) => harness.test.patch(`/v1/wallets/${id}`, body);

describe('PATCH /v1/wallets/{id}', () => {
  describe('200', () => {
    it('changes name, threshold and metadata, and nothing else', async () => {
      const { wallet } = await openWallet(harness.test, { funded: '3.00' });
      harness.clock.advance(5);
      const { status, body } = await update(wallet, { name: 'Rent', low_balance_threshold: '2.5', metadata: { a: [] } });
      expect(status).toBe(200);
      expect(body.data).toEqual({
        ...wallet,
        balance: { ...wallet.balance, available: '3.00', total: '3.00' },
        name: 'Rent',
        low_balance_threshold: '2.50',
        metadata: { a: [] },
        updated_at: harness.clock.now().toISOString(),
      });
      const cleared = await update(wallet, { name: null, low_balance_threshold: null });
      expect(cleared.body.data).not.toHaveProperty('name');
      expect(cleared.body.data).not.toHaveProperty('low_balance_threshold');
      expect(cleared.body.data.metadata).toEqual({ a: [] });
    });

    it('arms account.balance.low, and disarms it', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '10.00' });
      const told = async () => (await eventsOf(harness, from.id)).map(({ data }) => data.threshold);
      await update(from, { low_balance_threshold: '9.00' });
      await pay(harness.test, from, to, '2.00');
      expect(await told()).toEqual(['9.00']);
      await update(from, { low_balance_threshold: null });
      await pay(harness.test, from, to, '2.00');
      await update(from, { low_balance_threshold: '5.00' });
      await pay(harness.test, from, to, '1.00');
      await pay(harness.test, from, to, '0.01');
      expect((await told()).sort()).toEqual(['5.00', '9.00']);
    });
  });

  describe('400', () => {
    for (const [name, body, path] of [
      ['a blank name', { name: '' }, 'name'],
      ['a currency, which never changes', { currency: 'EUR' }, 'currency'],
      ['a status: that is freeze and unfreeze', { status: 'frozen' }, 'status'],
      ['a threshold of more digits than the currency has', { low_balance_threshold: '1.001' }, 'low_balance_threshold'],
    ] as const) {
      it(name, async () => expectInvalid(await update((await openWallet(harness.test)).wallet, body), path));
    }
  });
});
