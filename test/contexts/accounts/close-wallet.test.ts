// POST /v1/wallets/{id}/close
import { describe, expect, it } from 'vitest';
import { balanceOf, pay, transferBody, twoWallets } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { meet } from '../../standstill.js';

const harness = useHarness();
const close = ({ id }: Json, body?: unknown) => harness.test.post(`/v1/wallets/${id}/close`, body);

describe('POST /v1/wallets/{id}/close', () => {
  describe('200', () => {
    it('an empty wallet, for good: it neither takes nor spends, nor is it what its account is paid to', async () => {
      const { from, to } = await twoWallets(harness.test);
      const { status, body } = await close(to);
      expect(status).toBe(200);
      expect(body.data).toEqual({ ...to, status: 'closed', updated_at: harness.clock.now().toISOString() });
      expectRefused(await harness.test.post('/v1/transfers', transferBody(from, to, '1.00')), 403, 'wallet_frozen', {
        wallet_id: to.id,
        terminal: true,
      });
      expectRefused(await harness.test.post(`/v1/wallets/${to.id}/fund`, { amount: '1.00' }), 403, 'wallet_frozen', { terminal: true });
      const toAccount = { ...transferBody(from, to, '1.00'), to_wallet_id: undefined, to_account_id: to.account_id };
      expectRefused(await harness.test.post('/v1/transfers', toAccount), 404, 'not_found');
      for (const step of ['freeze', 'unfreeze'])
        expectRefused(await harness.test.post(`/v1/wallets/${to.id}/${step}`), 409, 'state_conflict', {
          current_status: 'closed',
          terminal: true,
        });
    });

    it('a frozen one, and one of a suspended account', async () => {
      const { wallet: frozen } = await openWallet(harness.test);
      await harness.test.post(`/v1/wallets/${frozen.id}/freeze`, { reason: 'lost' });
      const closed = (await close(frozen)).body.data;
      expect(closed.status).toBe('closed');
      expect(closed).not.toHaveProperty('frozen_at');
      const { account, wallet } = await openWallet(harness.test);
      await harness.test.patch(`/v1/accounts/${account.id}`, { status: 'suspended' });
      await close(wallet);
      await harness.test.patch(`/v1/accounts/${account.id}`, { status: 'active' });
      expectRefused(await harness.test.post(`/v1/wallets/${wallet.id}/fund`, { amount: '1.00' }), 403, 'wallet_frozen');
    });

    it('once with a key, and by the mutation', async () => {
      const { wallet } = await openWallet(harness.test);
      const headers = { 'Idempotency-Key': 'close-1' };
      const [first, second] = [
        await harness.test.post(`/v1/wallets/${wallet.id}/close`, undefined, { headers }),
        await harness.test.post(`/v1/wallets/${wallet.id}/close`, undefined, { headers }),
      ];
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect(second.body).toEqual(first.body);
      const { wallet: other } = await openWallet(harness.test);
      const { body } = await harness.test.graphql('mutation ($id: WalletId!) { closeWallet(id: $id) { id status } }', { id: other.id });
      expect(body).toEqual({ data: { closeWallet: { id: other.id, status: 'closed' } } });
    });
  });

  describe('400', () => {
    it('a member that is none', async () => expectInvalid(await close({ id: nowhere }, { reason: 'x' }), 'reason'));
  });

  describe('409', () => {
    it('a wallet that is closed already', async () => {
      const { wallet } = await openWallet(harness.test);
      await close(wallet);
      expectRefused(await close(wallet), 409, 'state_conflict', {
        current_status: 'closed',
        allowed_from: ['active', 'frozen'],
        next_actions: [{ rel: 'read', path: `/v1/wallets/${wallet.id}` }],
      });
    });

    it('one that has money: available or wrapped', async () => {
      const { from } = await twoWallets(harness.test, { funded: '5.00' });
      const refused = { current_status: 'active', next_actions: [{ rel: 'balance', path: `/v1/wallets/${from.id}/balance` }] };
      expectRefused(await close(from), 409, 'state_conflict', refused);
      await harness.test.make(`/v1/wallets/${from.id}/wrap`, { amount: '5.00' });
      expectRefused(await close(from), 409, 'state_conflict', refused);
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '0.00', wrapped: '5.00' });
      await harness.test.make(`/v1/wallets/${from.id}/unwrap`, { amount: '1.00' });
    });

    it('one that pays or is paid by what is still to happen: a hold, and a transfer that waits for its time', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '5.00' });
      const held = await pay(harness.test, from, to, '5.00', { capture: 'manual' });
      const later = await pay(harness.test, to, from, '1.00', { scheduled_for: '2030-01-01T00:00:00Z' });
      const open = [held, later].map(({ id }) => ({ type: 'transfer', id: `tx_${id}` }));
      for (const side of [from, to]) {
        expectRefused(await close(side), 409, 'state_conflict', {
          open,
          next_actions: [held, later].map(({ id }) => ({ rel: 'cancel', method: 'POST', path: `/v1/transfers/${id}/cancel` })),
        });
      }
      await harness.test.make(`/v1/transfers/${later.id}/cancel`, {});
      await harness.test.make(`/v1/transfers/${held.id}/capture`, {});
      expect((await close(from)).status).toBe(200);
    });

    it('one that a hold is being made for at the same moment; and no hold is made for one that is being closed', async () => {
      const { from, to } = await twoWallets(harness.test);
      const hold = () => harness.test.post('/v1/transfers', transferBody(from, to, '1.00', { capture: 'manual' }));
      const [held, refused] = await meet(harness, 'event', hold, () => close(to));
      expect(held.status).toBe(201);
      expectRefused(refused, 409, 'state_conflict', { open: [{ type: 'transfer', id: `tx_${held.body.data.id}` }] });
      await harness.test.make(`/v1/transfers/${held.body.data.id}/cancel`, {});
      const headers = { 'Idempotency-Key': 'close-meanwhile' };
      const keyed = () => harness.test.post(`/v1/wallets/${to.id}/close`, undefined, { headers });
      const [closed, late] = await meet(harness, 'claim', keyed, hold);
      expect(closed.status).toBe(200);
      expectRefused(late, 403, 'wallet_frozen', { wallet_id: to.id, terminal: true });
    });

    it('names at most 20 of what is open', async () => {
      const { from, to } = await twoWallets(harness.test);
      for (let n = 0; n < 21; n += 1) await pay(harness.test, from, to, '1.00', { capture: 'manual' });
      expect((await close(to)).body.details.open).toHaveLength(20);
    });
  });
});
