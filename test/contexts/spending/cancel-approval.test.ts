// POST /v1/approvals/{id}/cancel
import { describe, expect, it } from 'vitest';
import { spender, transferOf } from '../../factories/approval.js';
import { balanceOf, transferBody } from '../../factories/payment.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const cancel = ({ id }: Json, body: unknown = {}, as = harness.test.key) => harness.test.post(`/v1/approvals/${id}/cancel`, body, { as });

describe('POST /v1/approvals/{id}/cancel', () => {
  describe('200', () => {
    it('by the agent that spends: the transfer is cancelled and everything goes back', async () => {
      const agent = await spender(harness);
      const { transfer, approval } = await agent.wait();
      const { status, body } = await cancel(approval, { reason: 'Not needed any more.' }, agent.token);
      expect(status).toBe(200);
      expect(body.data).toEqual({
        ...approval,
        missing: 0,
        status: 'cancelled',
        decided_by: { type: 'agent', id: agent.id },
        decided_at: harness.clock.now().toISOString(),
        comment: 'Not needed any more.',
      });
      expect(await transferOf(harness.test, transfer)).toMatchObject({
        status: 'cancelled',
        failure: { code: 'approval_cancelled', message: 'Not needed any more.' },
      });
      expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
    });

    it('by the API key that asked for an agent, or by another one', async () => {
      const agent = await spender(harness);
      const body = transferBody(agent.wallet, agent.payee, '5.00', { agent_id: agent.uuid });
      const { approval } = (await harness.test.post('/v1/transfers', body)).body;
      expect((await cancel(approval)).body.data).toMatchObject({ status: 'cancelled', decided_by: { type: 'api_key' } });
      const { key } = await harness.test.make('/v1/api-keys', { name: 'Another' });
      expect((await cancel((await agent.wait()).approval, {}, key)).status).toBe(200);
    });
  });

  describe('400', () => {
    it('an empty reason, and one of 501 characters', async () => {
      for (const reason of ['', 'x'.repeat(501)]) expectInvalid(await cancel({ id: nowhere }, { reason }), 'reason');
    });
  });

  describe('403', () => {
    it('a key that neither asked nor decides; what it asked for itself it withdraws', async () => {
      const agent = await spender(harness);
      const scopes = ['transfers:write', 'approvals:read'];
      const { key } = await harness.test.make('/v1/api-keys', { name: 'Payments', scopes });
      const { body } = await cancel((await agent.wait()).approval, {}, key);
      expect(body).toMatchObject({ code: 'insufficient_scope', details: { required_scope: 'approvals:decide', scopes } });
      const payment = transferBody(agent.wallet, agent.payee, '5.00', { agent_id: agent.uuid });
      const own = (await harness.test.post('/v1/transfers', payment, { as: key })).body.approval;
      expect((await cancel(own, {}, key)).status).toBe(200);
    });
  });

  describe('404', () => {
    it('for another agent, and for the payee', async () => {
      const [agent, stranger] = [await spender(harness), await spender(harness)];
      const { body } = await harness.test.post('/v1/transfers', transferBody(agent.wallet, stranger.wallet, '1.00'), { as: agent.token });
      expectRefused(await cancel(body.approval, {}, stranger.token), 404, 'not_found');
    });
  });

  describe('409', () => {
    it('one that was decided', async () => {
      const agent = await spender(harness);
      const { approval } = await agent.wait();
      await harness.test.make(`/v1/approvals/${approval.id}/approve`, {});
      expectRefused(await cancel(approval, {}, agent.token), 409, 'state_conflict', { current_status: 'approved' });
    });
  });
});

describe('POST /v1/transfers/{id}/cancel', () => {
  it('200: the approval that the transfer waits for is cancelled with it', async () => {
    const agent = await spender(harness);
    const { transfer, approval } = await agent.wait();
    const answer = await harness.test.post(`/v1/transfers/${transfer.id}/cancel`, { reason: 'out of stock' }, { as: agent.token });
    expect(answer.body.data).toMatchObject({ status: 'cancelled', failure: { code: 'cancelled', message: 'out of stock' } });
    expect((await harness.test.get(`/v1/approvals/${approval.id}`)).body.data).toMatchObject({
      status: 'cancelled',
      decided_by: { type: 'agent', id: agent.id },
    });
    await harness.advance(3_600);
    expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
  });

  it('200 after it was approved: the approval stays what it is', async () => {
    const agent = await spender(harness);
    const { transfer, approval } = await agent.wait('5.00', { capture: 'manual' });
    await harness.test.make(`/v1/approvals/${approval.id}/approve`, {});
    expect((await harness.test.post(`/v1/transfers/${transfer.id}/cancel`, {})).status).toBe(200);
    expect((await harness.test.get(`/v1/approvals/${approval.id}`)).body.data).toMatchObject({ status: 'approved' });
  });
});

describe('POST /v1/transfers/{id}/capture', () => {
  for (const capture of ['automatic', 'manual']) {
    it(`409 while a transfer with ${capture} capture waits for its approval, which it names`, async () => {
      const agent = await spender(harness);
      const { transfer, approval } = await agent.wait('5.00', { capture });
      const answer = await harness.test.post(`/v1/transfers/${transfer.id}/capture`, {});
      expectRefused(answer, 409, 'state_conflict', {
        current_status: 'pending',
        approval_id: approval.id,
        next_actions: [
          { rel: 'approve', method: 'POST', path: `/v1/approvals/${approval.id}/approve` },
          { rel: 'approval', method: 'GET', path: `/v1/approvals/${approval.id}` },
        ],
      });
      expect(await balanceOf(harness.test, agent.payee)).toMatchObject({ available: '0.00', pending_in: '5.00' });
    });
  }
});
