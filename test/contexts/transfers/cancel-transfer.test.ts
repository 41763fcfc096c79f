// POST /v1/transfers/{id}/cancel
import { describe, expect, it } from 'vitest';
import { balanceOf, eventsOf, pay, twoWallets, waitingTransfer } from '../../factories/payment.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const cancel = ({ id }: Json, body: unknown = {}) => harness.test.post(`/v1/transfers/${id}/cancel`, body);

describe('POST /v1/transfers/{id}/cancel', () => {
  describe('200', () => {
    it('gives back what was held, and keeps the reason', async () => {
      const { from, to } = await twoWallets(harness.test);
      const transfer = await pay(harness.test, from, to, '30.00', { capture: 'manual' });
      harness.clock.advance(5);
      const { status, body } = await cancel(transfer, { reason: 'out of stock' });
      expect(status).toBe(200);
      expect(body.data).toEqual({
        ...transfer,
        status: 'cancelled',
        failure: { code: 'cancelled', message: 'out of stock' },
        updated_at: harness.clock.now().toISOString(),
      });
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '100.00', held: '0.00' });
      expect(await balanceOf(harness.test, to)).toMatchObject({ available: '0.00', pending_in: '0.00' });
      expect((await eventsOf(harness, transfer.id)).map(({ type }) => type)).toEqual(['transfer.created']);
    });

    it('a transfer that waits for its time never happens', async () => {
      const { from, to } = await twoWallets(harness.test);
      const transfer = await pay(harness.test, from, to, '1.00', { scheduled_for: '2026-03-03T00:00:00Z' });
      const { body } = await cancel(transfer);
      expect(body.data).toMatchObject({ status: 'cancelled' });
      expect(body.data).not.toHaveProperty('failure');
      await harness.advance(864_000);
      expect(await balanceOf(harness.test, to)).toMatchObject({ available: '0.00' });
    });

    it('while the payer is frozen or suspended', async () => {
      const { from, to } = await twoWallets(harness.test);
      const transfer = await pay(harness.test, from, to, '30.00', { capture: 'manual' });
      await harness.test.post(`/v1/wallets/${from.id}/freeze`, {});
      await harness.test.patch(`/v1/accounts/${from.account_id}`, { status: 'suspended' });
      expect((await cancel(transfer)).status).toBe(200);
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '100.00', held: '0.00' });
    });
  });

  describe('400', () => {
    it('an empty reason, and one of 501 characters', async () => {
      for (const reason of ['', 'x'.repeat(501)]) expectInvalid(await cancel({ id: nowhere }, { reason }), 'reason');
    });
  });

  describe('409', () => {
    it('a transfer that is completed, cancelled or failed', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '1.00' });
      const done = await pay(harness.test, from, to, '1.00');
      const failed = await pay(harness.test, from, to, '1.00', { scheduled_for: new Date(harness.clock.now().getTime() + 1_000) });
      await harness.advance(1);
      const cancelled = await waitingTransfer(harness.test);
      await cancel(cancelled);
      for (const [transfer, status] of [
        [done, 'completed'],
        [failed, 'failed'],
        [cancelled, 'cancelled'],
      ]) {
        expectRefused(await cancel(transfer), 409, 'state_conflict', { current_status: status, allowed_from: ['pending'] });
      }
    });
  });
});
