// POST /v1/approvals/{id}/reject
import { describe, expect, it } from 'vitest';
import { spender, transferOf } from '../../factories/approval.js';
import { balanceOf, eventsOf, transferBody } from '../../factories/payment.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const reject = ({ id }: Json, body: unknown = {}) => harness.test.post(`/v1/approvals/${id}/reject`, body);

describe('POST /v1/approvals/{id}/reject', () => {
  describe('200', () => {
    it('cancels the transfer, gives back what was held, and keeps the reason', async () => {
      const agent = await spender(harness);
      const { transfer, approval } = await agent.wait();
      harness.clock.advance(5);
      const { status, body } = await reject(approval, { reason: 'Too much.' });
      const at = harness.clock.now().toISOString();
      expect(status).toBe(200);
      expect(body).toEqual({
        data: {
          ...approval,
          missing: 0,
          status: 'rejected',
          decided_by: { type: 'api_key', id: expect.stringMatching(/^key_/) },
          decided_at: at,
          comment: 'Too much.',
        },
      });
      expect(await transferOf(harness.test, transfer)).toEqual({
        ...transfer,
        status: 'cancelled',
        failure: { code: 'approval_rejected', message: 'Too much.' },
        updated_at: at,
      });
      expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
      expect((await eventsOf(harness, transfer.id)).map(({ type }) => type)).toEqual(['transfer.created']);
    });

    it('without a reason, and whatever the payer may do by now; limits are given back', async () => {
      await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 2, currency: 'USD', per_day: '40.00' }] });
      const agent = await spender(harness, { kya_tier: 2 });
      const { transfer, approval } = await agent.wait('40.00');
      expectRefused(await agent.ask('0.01'), 403, 'kya_limit_exceeded');
      await harness.test.make(`/v1/agents/${agent.id}/freeze`, { reason: 'why' });
      await harness.test.make(`/v1/wallets/${agent.wallet.id}/freeze`, {});
      expect((await reject(approval)).status).toBe(200);
      expect(await transferOf(harness.test, transfer)).toMatchObject({ status: 'cancelled', failure: { code: 'approval_rejected' } });
      const { kya } = (await harness.test.get(`/v1/agents/${agent.id}/limits`)).body.data;
      expect(kya).toMatchObject([{ used: '0.00' }]);
    });
  });

  describe('400', () => {
    it('an empty reason, one of 501 characters, and a member that is misspelt', async () => {
      for (const reason of ['', 'x'.repeat(501)]) expectInvalid(await reject({ id: nowhere }, { reason }), 'reason');
      expectInvalid(await reject({ id: nowhere }, { reasn: 'why' }), 'reasn');
    });
  });

  describe('403', () => {
    it('for whoever asked', async () => {
      const agent = await spender(harness);
      const body = transferBody(agent.wallet, agent.payee, '5.00', { agent_id: agent.uuid });
      const { approval } = (await harness.test.post('/v1/transfers', body)).body;
      expectRefused(await reject(approval), 403, 'forbidden');
    });
  });

  describe('409', () => {
    it('one that was decided', async () => {
      const { approval } = await (await spender(harness)).wait();
      await reject(approval);
      expectRefused(await reject(approval), 409, 'state_conflict', { current_status: 'rejected' });
      expectRefused(await harness.test.post(`/v1/approvals/${approval.id}/approve`, {}), 409, 'state_conflict', {
        current_status: 'rejected',
        terminal: true,
      });
    });
  });
});
