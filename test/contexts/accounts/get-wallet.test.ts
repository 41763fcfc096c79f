// GET /v1/wallets/{id}
import { describe, expect, it } from 'vitest';
import { pay } from '../../factories/payment.js';
import { openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();

describe('GET /v1/wallets/{id}', () => {
  describe('200', () => {
    it('with what it holds: to spend, set aside, ready to stream, on its way in', async () => {
      const { wallet } = await openWallet(harness.test, { funded: '100.00' });
      const { wallet: friend } = await openWallet(harness.test, { funded: '50.00' });
      await pay(harness.test, wallet, friend, '20.00', { capture: 'manual' });
      await pay(harness.test, friend, wallet, '5.00', { capture: 'manual' });
      await harness.test.make(`/v1/wallets/${wallet.id}/wrap`, { amount: '30.00' });
      const { body } = await harness.test.get(`/v1/wallets/wal_${wallet.id}`);
      expect(body.data).toEqual({
        ...wallet,
        balance: { available: '50.00', held: '20.00', wrapped: '30.00', pending_in: '5.00', total: '100.00' },
      });
    });

    it('to an agent, its own and its account’s, and nobody else’s', async () => {
      const { account, wallet } = await openWallet(harness.test);
      const { token, id } = await enrol(harness.test, { parent_account_id: account.id });
      const agentWallet = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: id, currency: 'USD' });
      const { wallet: foreign } = await openWallet(harness.test);
      for (const one of [wallet, agentWallet])
        expect((await harness.test.get(`/v1/wallets/${one.id}`, { as: token })).body.data).toEqual(one);
      expectRefused(await harness.test.get(`/v1/wallets/${foreign.id}`, { as: token }), 404, 'not_found');
    });
  });
});
