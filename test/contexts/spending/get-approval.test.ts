// GET /v1/approvals/{id}
import { describe, expect, it } from 'vitest';
import { spender } from '../../factories/approval.js';
import { transferBody } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const approve = ({ id }: Json) => harness.test.make(`/v1/approvals/${id}/approve`, {});
const read = async ({ id }: Json, as = harness.test.key) => (await harness.test.get(`/v1/approvals/${id}`, { as })).body.data;
const caps = (cap: object) => harness.test.put('/v1/kya-limits', { tiers: [{ tier: 2, currency: 'USD', ...cap }] });

describe('GET /v1/approvals/{id}', () => {
  describe('200', () => {
    it('everything that there is to know of one, and little that is null', async () => {
      const agent = await spender(harness);
      const { body } = await agent.ask('30.00', { description: 'Twelve hours of GPU' });
      const at = harness.clock.now();
      expect(await read(body.approval)).toEqual({
        id: body.approval.id,
        status: 'pending',
        subject: { type: 'transfer', id: body.data.id },
        amount: '30.00',
        currency: 'USD',
        agent: { id: agent.id, name: 'Agent' },
        description: 'Twelve hours of GPU',
        context: { spent_today: '0.00', remaining_today: null, first_time_counterparty: true, similar_approved_30d: 0 },
        required: [],
        votes: [],
        missing: 1,
        requested_by: { type: 'agent', id: agent.id },
        requested_at: at.toISOString(),
        expires_at: new Date(at.getTime() + 3_600_000).toISOString(),
      });
      expect(await read({ id: body.approval.id.slice('apr_'.length) })).toMatchObject({ id: body.approval.id });
    });

    it('the agent that spends reads it too', async () => {
      const agent = await spender(harness);
      const { approval } = await agent.wait();
      expect(await read(approval, agent.token)).toEqual(approval);
    });

    it('names the merchant whose settlement wallet is paid', async () => {
      const agent = await spender(harness);
      const { wallet, account } = await openWallet(harness.test);
      const shop = { name: 'Shop', category: 'retail', account_id: account.id, settlement_wallet_id: wallet.id };
      const merchant = await harness.test.make('/v1/merchants', shop);
      const { body } = await harness.test.post('/v1/transfers', transferBody(agent.wallet, wallet, '3.00'), { as: agent.token });
      expect(await read(body.approval)).toMatchObject({ merchant: { id: merchant.id, name: 'Shop' } });
    });
  });

  describe('200, its context', () => {
    it('what the agent has spent in this UTC day, and the least that is left of its limits per day', async () => {
      await caps({ per_day: '100.00', per_month: '90.00' });
      const agent = await spender(harness, { kya_tier: 2 });
      const wallet = `/v1/wallets/${agent.wallet.id}`;
      await harness.test.post(`${wallet}/wrap`, { amount: '9.00' }, { as: agent.token });
      await approve((await agent.wait('10.00')).approval);
      const part = await agent.wait('20.00', { capture: 'manual' });
      await approve(part.approval);
      await harness.test.make(`/v1/transfers/${part.transfer.id}/capture`, { amount: '5.00' });
      const { approval } = await agent.wait('7.00');
      expect(approval.context).toMatchObject({ spent_today: '15.00', remaining_today: '85.00' });
      expect((await agent.wait('7.00')).approval.context).toMatchObject({ spent_today: '15.00', remaining_today: '78.00' });
      harness.clock.set('2026-03-03T00:00:00.000Z');
      expect((await agent.wait('7.00')).approval.context).toMatchObject({ spent_today: '0.00', remaining_today: '100.00' });
    });

    it('counts a limit in another currency by the rate of the day, and none that is per month', async () => {
      await caps({ per_month: '90.00' });
      const agent = await spender(harness, { kya_tier: 2 });
      expect((await agent.wait('1.00')).approval.context).toMatchObject({ remaining_today: null });
      await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 2, currency: 'USDC', per_day: '12.5' }] });
      expect((await agent.wait('1.00')).approval.context).toMatchObject({ remaining_today: '12.50' });
    });

    it('whether the payer’s account has paid the payee’s before', async () => {
      const agent = await spender(harness);
      expect((await agent.wait()).approval.context).toMatchObject({ first_time_counterparty: true });
      const { workspaceId } = await harness.platform.database.unscoped.agent.findFirstOrThrow({ where: { id: agent.uuid } });
      await harness.platform.database.unscoped.counterparty.create({
        data: { workspaceId, payerId: agent.account.id, payeeId: agent.payee.account_id, since: harness.clock.now() },
      });
      expect((await agent.wait()).approval.context).toMatchObject({ first_time_counterparty: false });
    });

    it('how many like it were approved: to this payee, of at least as much, in 30 days', async () => {
      const agent = await spender(harness);
      const similar = async (amount = '30.00') => (await agent.wait(amount)).approval.context.similar_approved_30d;
      const [small, equal, large, refused] = [
        await agent.wait('29.99'),
        await agent.wait('30.00'),
        await agent.wait('31.00'),
        await agent.wait('32.00'),
      ];
      expect(await similar()).toBe(0);
      for (const { approval } of [small, equal, large]) await approve(approval);
      await harness.test.make(`/v1/approvals/${refused.approval.id}/reject`, {});
      const { wallet } = await openWallet(harness.test);
      const elsewhere = transferBody(agent.wallet, wallet, '40.00');
      await approve((await harness.test.post('/v1/transfers', elsewhere, { as: agent.token })).body.approval);
      expect([await similar(), await similar('29.99'), await similar('31.01')]).toEqual([2, 3, 0]);
      harness.clock.advance(30 * 86_400 - 1);
      expect(await similar()).toBe(2);
      harness.clock.advance(1.001);
      const again = await spender(harness);
      expect((await again.wait()).approval.context.similar_approved_30d).toBe(0);
    });
  });

  describe('404', () => {
    it('for another agent of the same account', async () => {
      const agent = await spender(harness);
      const { approval } = await agent.wait();
      const { token } = await enrol(harness.test, { parent_account_id: agent.account.id });
      expectRefused(await harness.test.get(`/v1/approvals/${approval.id}`, { as: token }), 404, 'not_found');
    });
  });
});
