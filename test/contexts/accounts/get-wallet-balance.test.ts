// GET /v1/wallets/{id}/balance
import { describe, expect, it } from 'vitest';
import { pay, twoWallets } from '../../factories/payment.js';
import { nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';

const harness = useHarness();
const balance = async (id: string, query = '') => (await harness.test.get(`/v1/wallets/${id}/balance${query}`)).body.data;

describe('GET /v1/wallets/{id}/balance', () => {
  describe('200', () => {
    it('now', async () => {
      const { from, to } = await twoWallets(harness.test, { currency: 'USDC', funded: '1.000001' });
      await pay(harness.test, from, to, '0.25', { capture: 'manual' });
      expect(await balance(from.id)).toEqual({
        wallet_id: from.id,
        at: harness.clock.now().toISOString(),
        available: '0.750001',
        held: '0.25',
        wrapped: '0.00',
        total: '1.000001',
        currency: 'USDC',
      });
    });

    it('at every moment of its life, to the millisecond', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '100.00' });
      const expected: [string, string][] = [];
      for (let n = 1; n <= 12; n += 1) {
        harness.clock.advance(0.001);
        await pay(harness.test, from, to, '1.00');
        expected.push([harness.clock.now().toISOString(), `${100 - n}.00`]);
      }
      harness.clock.advance(60);
      for (const [at, available] of expected)
        expect(await balance(from.id, `?at=${at}`)).toMatchObject({ at, available, total: available });
      expect((await balance(from.id, '?at=1999-12-31')).available).toBe('0.00');
      expect((await balance(from.id, '?at=2999-12-31')).available).toBe('88.00');
    });

    it('at a time with an offset', async () => {
      const { wallet } = await openWallet(harness.test, { funded: '1.00' });
      const at = encodeURIComponent(harness.clock.now().toISOString().replace('Z', '+02:00'));
      expect((await balance(wallet.id, `?at=${at}`)).available).toBe('0.00');
    });
  });

  describe('400', () => {
    it('a time that is none', async () => expectInvalid(await harness.test.get(`/v1/wallets/${nowhere}/balance?at=now`), 'at'));
    it('a time that does not exist', async () => {
      for (const at of ['2026-02-30', '2026-02-28T25:61:00Z', '2026-02-28T10:00:00-14:30'])
        expectInvalid(await harness.test.get(`/v1/wallets/${nowhere}/balance?at=${at}`), 'at');
    });
    it('a parameter that is none', async () => expectInvalid(await harness.test.get(`/v1/wallets/${nowhere}/balance?when=now`), 'when'));
  });
});
