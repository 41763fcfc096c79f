// POST /v1/wallets/{id}/wrap
import { describe, expect, it } from 'vitest';
import { balanceOf } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const wrap = ({ id }: Json, body: unknown, as?: string) =>
  harness.test.post(`/v1/wallets/${id}/wrap`, body, as === undefined ? {} : { as });

describe('POST /v1/wallets/{id}/wrap', () => {
  describe('201', () => {
    it('makes money ready to stream', async () => {
      const { wallet } = await openWallet(harness.test, { funded: '10.00' });
      const { status, body } = await wrap(wallet, { amount: '4.00', metadata: { a: 1 } });
      expect(status).toBe(201);
      expect(body.data).toMatchObject({
        type: 'wrap',
        status: 'completed',
        amount: '4.00',
        currency: 'USD',
        from_wallet_id: wallet.id,
        to_wallet_id: wallet.id,
        metadata: { a: 1 },
      });
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '6.00', wrapped: '4.00', total: '10.00' });
    });

    it('by an agent, in its own wallet; caps do not count it', async () => {
      const { id, token } = await enrol(harness.test, { kya_tier: 1 });
      const agentWallet = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: id, currency: 'USD' });
      await harness.test.make(`/v1/wallets/${agentWallet.id}/fund`, { amount: '10.00' });
      await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 1, currency: 'USD', per_day: '1.00' }] });
      expect((await wrap(agentWallet, { amount: '10.00' }, token)).status).toBe(201);
      await harness.test.put('/v1/kya-limits', { tiers: [] });
    });
  });

  describe('400', () => {
    for (const body of [{}, { amount: '0' }, { amount: '1.001' }, { amount: 1 }]) {
      it(JSON.stringify(body), async () => expectInvalid(await wrap((await openWallet(harness.test)).wallet, body), 'amount'));
    }
  });

  describe('403', () => {
    it('an agent in a wallet that is not its own', async () => {
      const { account, wallet } = await openWallet(harness.test, { funded: '10.00' });
      const { token } = await enrol(harness.test, { parent_account_id: account.id });
      expectRefused(await wrap(wallet, { amount: '1.00' }, token), 403, 'forbidden');
    });

    it('a wallet that is frozen', async () => {
      const { wallet } = await openWallet(harness.test, { funded: '10.00' });
      await harness.test.post(`/v1/wallets/${wallet.id}/freeze`, {});
      expectRefused(await wrap(wallet, { amount: '1.00' }), 403, 'wallet_frozen');
    });
  });

  describe('422', () => {
    it('more than is available', async () => {
      const { wallet } = await openWallet(harness.test, { funded: '10.00' });
      expectRefused(await wrap(wallet, { amount: '10.01' }), 422, 'insufficient_balance', { available: '10.00' });
    });
  });
});
