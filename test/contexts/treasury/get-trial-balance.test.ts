// GET /v1/ledger/trial-balance
import { describe, expect, it } from 'vitest';
import { pay, twoWallets } from '../../factories/payment.js';
import { openWallet, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';

const harness = useHarness();
const trialBalance = async (query = '') => (await harness.test.get(`/v1/ledger/trial-balance${query}`)).body.data;

describe('GET /v1/ledger/trial-balance', () => {
  describe('200', () => {
    it('is zero in every currency, now and at any time', async () => {
      expect(await trialBalance()).toEqual([]);
      const start = harness.clock.now().toISOString();
      harness.clock.advance(10);
      const { from, to } = await twoWallets(harness.test, { funded: '100.00' });
      await openWallet(harness.test, { currency: 'JPY', funded: '500' });
      const funded = harness.clock.now().toISOString();
      harness.clock.advance(10);
      await harness.test.make(`/v1/wallets/${from.id}/fund`, { amount: '1.00' });
      const held = await pay(harness.test, from, to, '30.00', { capture: 'manual' });
      await harness.test.make(`/v1/wallets/${from.id}/wrap`, { amount: '5.00' });
      await harness.test.make(`/v1/transfers/${held.id}/capture`, { amount: '1.00' });
      const yen = { currency: 'JPY', debits: '500', credits: '500', difference: '0', accounts: 4 };
      const line = (sum: string) => ({ currency: 'USD', debits: sum, credits: sum, difference: '0.00', accounts: 7 });
      expect(await trialBalance()).toEqual([yen, line('101.00')]);
      expect(await trialBalance(`?at=${funded}`)).toEqual([yen, line('100.00')]);
      expect(await trialBalance(`?at=${start}`)).toMatchObject([
        { debits: '0', credits: '0', difference: '0' },
        { debits: '0.00', credits: '0.00', difference: '0.00' },
      ]);
    });

    it('names the head of the audit log', async () => {
      const { head_hash: head } = (await harness.test.get('/v1/audit-log/verify')).body.data;
      expect(head).toMatch(/^[0-9a-f]{64}$/);
      expect((await harness.test.get('/v1/ledger/trial-balance')).body.tree_head).toBe(head);
      expect((await harness.live.get('/v1/ledger/trial-balance')).body).toEqual({ data: [], tree_head: null });
    });

    it('counts nothing of another tenant', async () => {
      const before = await trialBalance();
      await openWallet(harness.other, { funded: '7.00' });
      expect(await trialBalance()).toEqual(before);
      expect((await harness.live.get('/v1/ledger/trial-balance')).body.data).toEqual([]);
    });
  });

  describe('400', () => {
    it('a time that is none', async () => expectInvalid(await harness.test.get('/v1/ledger/trial-balance?at=now'), 'at'));
  });
});
