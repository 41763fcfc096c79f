// POST /v1/transfers that waits for an approval: what it answers, holds and keeps.
import { describe, expect, it } from 'vitest';
import { ownersKey, spender, transferOf, trip } from '../../factories/approval.js';
import { balanceOf, eventsOf, pay, transferBody, twoWallets } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();

describe('POST /v1/transfers?dry_run=true', () => {
  it('200: says that it would have to wait, and changes nothing', async () => {
    const agent = await spender(harness);
    const body = transferBody(agent.wallet, agent.payee, '30.00');
    const { data } = (await harness.test.post('/v1/transfers?dry_run=true', body, { as: agent.token })).body;
    expect(data.decision).toMatchObject({ outcome: 'require_approval', message: expect.stringContaining('approval') });
    expect(data.would_post.map(({ account, direction }: Json) => `${direction} ${account}`)).toEqual([
      'debit wallet.available',
      'credit wallet.held',
    ]);
    expect(data.would_emit).toEqual(['transfer.created', 'approval.requested']);
    expect((await harness.test.get(`/v1/approvals?agent_id=${agent.uuid}`)).body.data).toEqual([]);
    expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
  });
});

describe('POST /v1/transfers', () => {
  describe('202', () => {
    it('the transfer is pending, its money is held, and the approval says until when', async () => {
      const agent = await spender(harness);
      const { status, body } = await agent.ask('30.00', { description: 'Twelve hours of GPU' });
      expect(status).toBe(202);
      expect(body.approval).toEqual({
        id: expect.stringMatching(/^apr_/),
        status: 'pending',
        expires_at: new Date(harness.clock.now().getTime() + 3_600_000).toISOString(),
      });
      expect(body.data).toMatchObject({
        status: 'pending',
        capture: 'automatic',
        hold: { amount: '30.00', captured_amount: '0.00' },
        approval_id: body.approval.id,
        decision_id: expect.stringMatching(/^dec_/),
      });
      expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ available: '970.00', held: '30.00' });
      expect(await balanceOf(harness.test, agent.payee)).toMatchObject({ available: '0.00', pending_in: '30.00' });
      expect(await eventsOf(harness, body.data.id)).toMatchObject([{ type: 'transfer.created', data: { status: 'pending' } }]);
    });

    it('the same body when a keyed request is repeated, kept or rendered anew', async () => {
      const agent = await spender(harness);
      const key = { 'Idempotency-Key': 'once' };
      const first = await agent.ask('30.00', {}, key);
      const again = await agent.ask('30.00', {}, key);
      const { pool } = harness.platform.database;
      await expect.poll(async () => (await pool.query('DELETE FROM keyed_answer')).rowCount).toBe(1);
      const rendered = await agent.ask('30.00', {}, key);
      for (const answer of [again, rendered]) {
        expect(answer).toMatchObject({ status: 202, body: first.body });
        expect(answer.headers.get('idempotent-replayed')).toBe('true');
      }
      expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ held: '30.00' });
    });

    it('through GraphQL the payload has both', async () => {
      const agent = await spender(harness);
      const document =
        'mutation ($input: CreateTransferInput!) { createTransfer(input: $input) { transfer { status } approval { status requestedBy { type id } } } }';
      const input = { type: 'internal', fromWalletId: agent.wallet.id, toWalletId: agent.payee.id, amount: '1.00', currency: 'USD' };
      const { body } = await harness.test.graphql(document, { input }, { as: agent.token });
      expect(body.data.createTransfer).toEqual({
        transfer: { status: 'pending' },
        approval: { status: 'pending', requestedBy: { type: 'agent', id: agent.id } },
      });
    });

    it('a scheduled transfer begins to wait at its time, asked for by whoever scheduled it', async () => {
      const agent = await spender(harness);
      const at = new Date(harness.clock.now().getTime() + 60_000).toISOString();
      const body = transferBody(agent.wallet, agent.payee, '5.00', { scheduled_for: at, agent_id: agent.uuid });
      const scheduled = await harness.test.make('/v1/transfers', body);
      expect(scheduled).not.toHaveProperty('approval_id');
      await harness.advance(60);
      const waiting = await transferOf(harness.test, scheduled);
      expect(waiting).toMatchObject({ status: 'pending', hold: { amount: '5.00' }, approval_id: expect.stringMatching(/^apr_/) });
      const me = (await harness.test.get('/v1/me')).body.data.actor.id;
      const path = `/v1/approvals/${waiting.approval_id}`;
      expect((await harness.test.get(path)).body.data).toMatchObject({ requested_by: { type: 'api_key', id: me } });
      expectRefused(await harness.test.post(`${path}/approve`, {}), 403, 'forbidden');
      const approved = await harness.test.post(`${path}/approve`, {}, { as: await ownersKey(harness) });
      expect(approved).toMatchObject({ status: 200, body: { data: { status: 'approved' }, transfer: { status: 'completed' } } });
      expect(await balanceOf(harness.test, agent.payee)).toMatchObject({ available: '5.00' });
    });
  });

  describe('201', () => {
    it('what the agent does not spend, and what it spends when the breaker has let go', async () => {
      const agent = await spender(harness);
      const { from, to } = await twoWallets(harness.test);
      expect(await pay(harness.test, from, to, '1.00')).toMatchObject({ status: 'completed' });
      const shortly = await spender(harness);
      await harness.platform.database.unscoped.breakerTrip.deleteMany({ where: { agentId: shortly.uuid } });
      await trip(harness, shortly.uuid, 60);
      expect((await shortly.ask('1.00')).status).toBe(202);
      harness.clock.advance(60);
      expect((await shortly.ask('1.00')).status).toBe(201);
      expect((await agent.ask('1.00')).status).toBe(202);
    });
  });

  describe('403 and 422', () => {
    it('a refusal of any layer beats the wish for an approval, and nothing is held', async () => {
      const agent = await spender(harness, { kya_tier: 3 });
      await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 3, currency: 'USD', per_tx: '50.00', per_day: '80.00' }] });
      expectRefused(await agent.ask('50.01'), 403, 'kya_limit_exceeded');
      expect((await agent.ask('50.00')).status).toBe(202);
      expectRefused(await agent.ask('30.01'), 403, 'kya_limit_exceeded', { limit: { used: '50.00', remaining: '30.00' } });
      const poor = await spender(harness, { funded: '1.00' });
      expectRefused(await poor.ask('1.01'), 422, 'insufficient_balance');
      for (const one of [agent, poor]) {
        const { data } = (await harness.test.get(`/v1/approvals?agent_id=${one.uuid}`)).body as Json;
        expect(data).toHaveLength(one === agent ? 1 : 0);
      }
    });
  });
});
