// POST /v1/transfers/{id}/capture
import { describe, expect, it } from 'vitest';
import { balanceOf, eventsOf, pay, twoWallets, waitingTransfer } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const capture = ({ id }: Json, body: unknown = {}, as?: string) =>
  harness.test.post(`/v1/transfers/${id}/capture`, body, as === undefined ? {} : { as });

async function held(amount = '30.00', extra: object = {}) {
  const { from, to } = await twoWallets(harness.test);
  return { from, to, transfer: await pay(harness.test, from, to, amount, { capture: 'manual', ...extra }) };
}

describe('POST /v1/transfers/{id}/capture', () => {
  describe('200', () => {
    it('all that is held', async () => {
      const { from, to, transfer } = await held();
      harness.clock.advance(5);
      const { status, body } = await capture(transfer);
      const at = harness.clock.now().toISOString();
      expect(status).toBe(200);
      expect(body.data).toEqual({
        ...transfer,
        status: 'completed',
        hold: { ...transfer.hold, captured_amount: '30.00' },
        updated_at: at,
        completed_at: at,
      });
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '70.00', held: '0.00' });
      expect(await balanceOf(harness.test, to)).toMatchObject({ available: '30.00', pending_in: '0.00' });
      expect((await eventsOf(harness, transfer.id)).map(({ type, data }) => `${type} ${data.status}`)).toEqual([
        'transfer.created pending',
        'transfer.completed completed',
      ]);
    });

    it('a part; the rest goes back', async () => {
      const { from, to, transfer } = await held();
      const { body } = await capture(transfer, { amount: '12.34' });
      expect(body.data).toMatchObject({ amount: '30.00', hold: { amount: '30.00', captured_amount: '12.34' } });
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '87.66', held: '0.00' });
      expect(await balanceOf(harness.test, to)).toMatchObject({ available: '12.34', pending_in: '0.00' });
    });

    it('a moment before it expires', async () => {
      const { transfer } = await held('1.00', { hold_expires_in: 60 });
      await harness.advance(59.999);
      expect((await capture(transfer)).body.data.status).toBe('completed');
    });

    it('gives back what a cap reserved beyond it', async () => {
      const { id, token } = await enrol(harness.test, { kya_tier: 2 });
      const agentWallet = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: id, currency: 'USD' });
      await harness.test.make(`/v1/wallets/${agentWallet.id}/fund`, { amount: '100.00' });
      const { wallet: payee } = await openWallet(harness.test);
      await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 2, currency: 'USD', per_day: '10.00' }] });
      const spend = (amount: string, extra: object = {}) =>
        harness.test.post(
          '/v1/transfers',
          { type: 'internal', from_wallet_id: agentWallet.id, to_wallet_id: payee.id, amount, currency: 'USD', ...extra },
          { as: token },
        );
      const first = await spend('8.00', { capture: 'manual' });
      expectRefused(await spend('2.01'), 403, 'kya_limit_exceeded', { limit: { used: '8.00', remaining: '2.00' } });
      expect((await capture(first.body.data, { amount: '3.00' }, token)).status).toBe(200);
      expectRefused(await spend('7.01'), 403, 'kya_limit_exceeded', { limit: { used: '3.00', remaining: '7.00' } });
      expect((await spend('7.00')).status).toBe(201);
    });
  });

  describe('400', () => {
    for (const amount of ['30.01', '0.00', '0.001', '-1.00', 1]) {
      it(`an amount of ${JSON.stringify(amount)} of 30.00`, async () => {
        const { transfer } = await held();
        expectInvalid(await capture(transfer, { amount }), 'amount');
        expect((await capture(transfer)).status).toBe(200);
      });
    }
  });

  describe('403', () => {
    it('while the payer is frozen; afterwards it goes', async () => {
      const { from, transfer } = await held();
      await harness.test.post(`/v1/wallets/${from.id}/freeze`, {});
      expectRefused(await capture(transfer), 403, 'wallet_frozen', { wallet_id: from.id });
      await harness.test.post(`/v1/wallets/${from.id}/unfreeze`, {});
      expect((await capture(transfer)).status).toBe(200);
    });

    it('while the account of the payer is suspended', async () => {
      const { from, transfer } = await held();
      await harness.test.patch(`/v1/accounts/${from.account_id}`, { status: 'suspended' });
      expectRefused(await capture(transfer), 403, 'wallet_frozen');
    });
  });

  describe('404', () => {
    it('for an agent that has no part in it', async () => {
      const { transfer } = await held();
      expectRefused(await capture(transfer, {}, (await enrol(harness.test)).token), 404, 'not_found');
    });
  });

  describe('409', () => {
    it('a transfer that was completed, captured, or cancelled', async () => {
      const { from, to, transfer } = await held();
      const { transfer: cancelled } = await held();
      await capture(transfer);
      await harness.test.make(`/v1/transfers/${cancelled.id}/cancel`, {});
      const done = await pay(harness.test, from, to, '1.00');
      for (const [one, status] of [
        [transfer, 'completed'],
        [done, 'completed'],
        [cancelled, 'cancelled'],
      ]) {
        expectRefused(await capture(one), 409, 'state_conflict', {
          current_status: status,
          allowed_from: expect.arrayContaining(['pending']),
        });
      }
    });

    it('a transfer that waits for its time', async () => {
      expectRefused(await capture(await waitingTransfer(harness.test)), 409, 'state_conflict', { current_status: 'pending' });
    });

    it('at the moment when it expires, whether or not it was swept', async () => {
      const { from, transfer } = await held('30.00', { hold_expires_in: 60 });
      harness.clock.advance(60);
      expectRefused(await capture(transfer), 409, 'hold_expired');
      await harness.runDue();
      expectRefused(await capture(transfer), 409, 'state_conflict', { current_status: 'cancelled' });
      expect((await harness.test.get(`/v1/transfers/${transfer.id}`)).body.data).toMatchObject({
        status: 'cancelled',
        failure: { code: 'hold_expired' },
      });
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '100.00', held: '0.00' });
    });

    it('of captures and cancellations at once exactly one happens', async () => {
      for (let n = 0; n < 3; n += 1) {
        const { from, to, transfer } = await held();
        const answers = await Promise.all(
          Array.from({ length: 8 }, (_, i) =>
            i % 2 === n % 2 ? capture(transfer, { amount: '10.00' }) : harness.test.post(`/v1/transfers/${transfer.id}/cancel`, {}),
          ),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
        const { status } = answers.find((answer) => answer.status === 200)?.body.data ?? {};
        const left = status === 'completed' ? ['90.00', '10.00'] : ['100.00', '0.00'];
        expect([(await balanceOf(harness.test, from)).available, (await balanceOf(harness.test, to)).available]).toEqual(left);
      }
    });
  });
});
