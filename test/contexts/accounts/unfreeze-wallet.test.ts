// POST /v1/wallets/{id}/unfreeze
import { describe, expect, it } from 'vitest';
import { pay, transferBody, twoWallets } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { meet } from '../../standstill.js';

const harness = useHarness();
const unfreeze = ({ id }: Json) => harness.test.post(`/v1/wallets/${id}/unfreeze`, {});

describe('POST /v1/wallets/{id}/unfreeze', () => {
  describe('200', () => {
    it('lets it spend again, and forgets why it was frozen', async () => {
      const { from, to } = await twoWallets(harness.test);
      await harness.test.post(`/v1/wallets/${from.id}/freeze`, { reason: 'why' });
      const { status, body } = await unfreeze(from);
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ id: from.id, status: 'active' });
      expect(body.data).not.toHaveProperty('frozen_at');
      expect(body.data).not.toHaveProperty('frozen_reason');
      await pay(harness.test, from, to, '1.00');
    });

    it('but not while its account is suspended', async () => {
      const { from, to } = await twoWallets(harness.test);
      await harness.test.post(`/v1/wallets/${from.id}/freeze`, {});
      await harness.test.patch(`/v1/accounts/${from.account_id}`, { status: 'suspended' });
      await unfreeze(from);
      expectRefused(await harness.test.post('/v1/transfers', transferBody(from, to, '1.00')), 403, 'wallet_frozen');
      await harness.test.patch(`/v1/accounts/${from.account_id}`, { status: 'active' });
      await pay(harness.test, from, to, '1.00');
    });
  });

  it('leaves no money spendable when its account is suspended or closed at the same moment', async () => {
    for (const status of ['suspended', 'closed']) {
      const { wallet: from } = await openWallet(harness.test, status === 'closed' ? {} : { funded: '100.00' });
      const { wallet: to } = await openWallet(harness.test);
      const account = `/v1/accounts/${from.account_id}`;
      await harness.test.post(`/v1/wallets/${from.id}/freeze`, {});
      const [changed, unfrozen] = await meet(
        harness,
        'event',
        () => harness.test.patch(account, { status }),
        () => unfreeze(from),
      );
      expect(changed.status).toBe(200);
      expect(unfrozen.status).toBe(status === 'closed' ? 409 : 200);
      expectRefused(await harness.test.post('/v1/transfers', transferBody(from, to, '1.00')), 403, 'wallet_frozen');
    }
  });

  describe('409', () => {
    it('a wallet that is not frozen', async () => {
      const { wallet } = await openWallet(harness.test);
      expectRefused(await unfreeze(wallet), 409, 'state_conflict', { current_status: 'active', allowed_from: ['frozen'] });
    });
  });
});
