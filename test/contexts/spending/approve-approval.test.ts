// POST /v1/approvals/{id}/approve
import { describe, expect, it } from 'vitest';
import { ownersKey, spender, transferOf } from '../../factories/approval.js';
import { balanceOf, eventsOf, transferBody } from '../../factories/payment.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const approve = ({ id }: Json, body: unknown = {}, as?: string) =>
  harness.test.post(`/v1/approvals/${id}/approve`, body, as === undefined ? {} : { as });
const decisionsOf = (transferId: string) =>
  harness.platform.database.unscoped.decision.findMany({ where: { subjectId: transferId }, orderBy: { id: 'asc' } });
const daily = (amount: string) => harness.test.put('/v1/kya-limits', { tiers: [{ tier: 2, currency: 'USD', per_day: amount }] });
const usedOf = async (agent: { uuid: string }) =>
  (await harness.test.get(`/v1/agents/${agent.uuid}/limits`)).body.data.kya.map(({ used }: Json) => used);

describe('POST /v1/approvals/{id}/approve', () => {
  describe('200', () => {
    it('pays what was held, and keeps who said so', async () => {
      const agent = await spender(harness);
      const { transfer, approval } = await agent.wait('30.00');
      harness.clock.advance(5);
      const { status, body } = await approve(approval, { comment: 'Go ahead.' });
      const at = harness.clock.now().toISOString();
      const { actor } = (await harness.test.get('/v1/me')).body.data;
      expect(status).toBe(200);
      expect(body.data).toEqual({
        ...approval,
        missing: 0,
        status: 'approved',
        decided_by: { type: 'api_key', id: actor.id },
        decided_at: at,
        comment: 'Go ahead.',
      });
      expect(body.transfer).toEqual({
        ...transfer,
        status: 'completed',
        hold: { amount: '30.00', captured_amount: '30.00' },
        decision_id: expect.stringMatching(/^dec_/),
        updated_at: at,
        completed_at: at,
      });
      expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ available: '970.00', held: '0.00' });
      expect(await balanceOf(harness.test, agent.payee)).toMatchObject({ available: '30.00', pending_in: '0.00' });
      expect((await eventsOf(harness, transfer.id)).map(({ type }) => type)).toEqual(['transfer.created', 'transfer.completed']);
      const [asked, allowed, ...more] = await decisionsOf(transfer.id);
      expect(more).toEqual([]);
      expect(asked).toMatchObject({ outcome: 'require_approval', transactionId: transfer.id });
      expect(allowed).toMatchObject({ outcome: 'allow', approvalId: asked?.approvalId, agentId: agent.uuid });
      expect(body.transfer.decision_id).toBe(`dec_${allowed?.id}`);
      const operations = await harness.platform.database.unscoped.operation.findMany({ where: { subjectId: transfer.id } });
      expect(operations).toMatchObject([{ success: true, amount: 3_000n, agentId: agent.uuid }]);
    });

    it('by another key than the one that asked, and through GraphQL', async () => {
      const agent = await spender(harness);
      const body = transferBody(agent.wallet, agent.payee, '5.00', { agent_id: agent.uuid });
      const { body: asked } = await harness.test.post('/v1/transfers', body);
      expectRefused(await approve(asked.approval), 403, 'forbidden');
      const document =
        'mutation ($id: ApprovalId!) { approveApproval(id: $id, input: {}) { approval { status decidedBy { type } agent { name } } transfer { status } } }';
      const { body: answer } = await harness.test.graphql(document, { id: asked.approval.id }, { as: await ownersKey(harness) });
      expect(answer.data.approveApproval).toEqual({
        approval: { status: 'approved', decidedBy: { type: 'api_key' }, agent: { name: 'Agent' } },
        transfer: { status: 'completed' },
      });
    });

    it('a keyed request once, however often it is sent', async () => {
      const agent = await spender(harness);
      const { approval } = await agent.wait();
      const send = () => harness.test.post(`/v1/approvals/${approval.id}/approve`, {}, { headers: { 'Idempotency-Key': approval.id } });
      const first = await send();
      const again = await send();
      expect([first.status, again.status]).toEqual([200, 200]);
      expect(again.body).toEqual(first.body);
      expect(await balanceOf(harness.test, agent.payee)).toMatchObject({ available: '30.00' });
    });

    it('with manual capture the hold stays, and its time begins', async () => {
      const agent = await spender(harness);
      const { transfer, approval } = await agent.wait('30.00', { capture: 'manual', hold_expires_in: 600 });
      expect(transfer.hold).not.toHaveProperty('expires_at');
      harness.clock.advance(3_000);
      const { body } = await approve(approval);
      const expiresAt = new Date(harness.clock.now().getTime() + 600_000).toISOString();
      expect(body.transfer).toMatchObject({ status: 'pending', hold: { amount: '30.00', captured_amount: '0.00', expires_at: expiresAt } });
      expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ available: '970.00', held: '30.00' });
      const captured = await harness.test.post(`/v1/transfers/${transfer.id}/capture`, { amount: '10.00' });
      expect(captured.body.data).toMatchObject({ status: 'completed', hold: { captured_amount: '10.00' } });
      const second = await agent.wait('30.00', { capture: 'manual', hold_expires_in: 600 });
      await approve(second.approval);
      await harness.advance(600);
      expect(await transferOf(harness.test, second.transfer)).toMatchObject({ status: 'cancelled', failure: { code: 'hold_expired' } });
      expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ available: '990.00', held: '0.00' });
    });
  });

  describe('200, limits', () => {
    it('are reserved in the window of the request and used in that of the decision', async () => {
      await daily('100.00');
      const agent = await spender(harness, { kya_tier: 2 });
      const asked = await agent.wait('60.00', { capture: 'manual' });
      const other = await agent.wait('30.00');
      expect(await usedOf(agent)).toEqual(['90.00']);
      // They wait longer than an hour.
      await harness.platform.database.unscoped.approval.updateMany({
        where: { id: { in: [asked, other].map(({ approval }) => approval.id.slice(4)) } },
        data: { expiresAt: new Date('2026-03-03T12:00:00.000Z'), dueAt: new Date('2026-03-03T12:00:00.000Z') },
      });
      harness.clock.set('2026-03-03T11:00:00.000Z');
      expect((await agent.ask('1.00')).status).toBe(202);
      expect(await usedOf(agent)).toEqual(['1.00']);
      expect((await approve(asked.approval)).status).toBe(200);
      expect((await approve(other.approval)).status).toBe(200);
      expect(await usedOf(agent)).toEqual(['91.00']);
      expectRefused(await agent.ask('9.01'), 403, 'kya_limit_exceeded', { limit: { used: '91.00', remaining: '9.00' } });
      await harness.test.make(`/v1/transfers/${asked.transfer.id}/capture`, { amount: '10.00' });
      expect(await usedOf(agent)).toEqual(['41.00']);
      const counters = await harness.platform.database.unscoped.limitCounter.findMany({
        where: { counter: { contains: agent.uuid }, window: '2026-03-02' },
      });
      expect(counters).toMatchObject([{ used: 0n, reserved: 0n }]);
    });

    it('that were lowered meanwhile make the check fail, in the numbers of the spend alone', async () => {
      await daily('100.00');
      const agent = await spender(harness, { kya_tier: 2 });
      const { approval, transfer } = await agent.wait('60.00');
      const paid = await agent.wait('20.00');
      await approve(paid.approval);
      await daily('79.99');
      const { status, body } = await approve(approval);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        data: {
          status: 'approved',
          result_error: {
            code: 'kya_limit_exceeded',
            error: 'The tier of this agent has 59.99 USD left for this day, and this needs 60.00 USD.',
          },
        },
        transfer: { status: 'failed', failure: { code: 'kya_limit_exceeded', message: body.data.result_error.error } },
      });
      expect(await usedOf(agent)).toEqual(['20.00']);
      expect((await eventsOf(harness, transfer.id)).map(({ type }) => type)).toEqual(['transfer.created', 'transfer.failed']);
      await daily('80.00');
      expect((await approve((await agent.wait('60.00')).approval)).body.data).not.toHaveProperty('result_error');
    });

    it('for one spend that were lowered meanwhile, too', async () => {
      const agent = await spender(harness, { kya_tier: 1 });
      const { approval } = await agent.wait('60.00');
      await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 1, currency: 'USD', per_tx: '59.99' }] });
      expect((await approve(approval)).body).toMatchObject({
        data: { result_error: { code: 'kya_limit_exceeded' } },
        transfer: { status: 'failed' },
      });
      expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
    });
  });

  describe('200, though the check that follows fails', () => {
    const stops: [string, (agent: Json) => [path: string, body: object], code: string][] = [
      ['the agent was frozen', ({ id }) => [`/v1/agents/${id}/freeze`, { reason: 'why' }], 'agent_frozen'],
      ['the agent was suspended', ({ id }) => [`/v1/agents/${id}/suspend`, { reason: 'why' }], 'agent_suspended'],
      ['the wallet was frozen', ({ wallet }) => [`/v1/wallets/${wallet.id}/freeze`, {}], 'wallet_frozen'],
    ];
    for (const capture of ['automatic', 'manual']) {
      for (const [name, stop, code] of stops) {
        it(`${name}, with ${capture} capture: the transfer fails and everything goes back`, async () => {
          await daily('1000.00');
          const agent = await spender(harness, { kya_tier: 2 });
          const { approval, transfer } = await agent.wait('30.00', { capture });
          expect(await usedOf(agent)).toEqual(['30.00']);
          await harness.test.make(...stop(agent));
          const { status, body } = await approve(approval, { comment: 'Go ahead.' });
          expect(status).toBe(200);
          expect(body.data).toMatchObject({ status: 'approved', comment: 'Go ahead.', result_error: { code, error: expect.any(String) } });
          expect(body.transfer).toMatchObject({ status: 'failed', failure: { code, message: body.data.result_error.error } });
          expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
          expect(await balanceOf(harness.test, agent.payee)).toMatchObject({ available: '0.00', pending_in: '0.00' });
          expect(await usedOf(agent)).toEqual(['0.00']);
          expect((await eventsOf(harness, transfer.id)).map(({ type }) => type)).toEqual(['transfer.created', 'transfer.failed']);
          expectRefused(await approve(approval), 409, 'state_conflict');
        });
      }
    }

    it('the account was suspended, or the whole workspace frozen', async () => {
      const agent = await spender(harness);
      const { approval } = await agent.wait();
      await harness.test.patch(`/v1/accounts/${agent.account.id}`, { status: 'suspended' });
      expect((await approve(approval)).body.data).toMatchObject({ result_error: { code: 'wallet_frozen' } });
      const another = await spender(harness);
      const { approval: waiting } = await another.wait();
      const { workspaceId } = await harness.platform.database.unscoped.wallet.findFirstOrThrow({ where: { id: another.wallet.id } });
      const freeze = (frozenAt: Date | null) =>
        harness.platform.database.unscoped.workspace.update({ where: { id: workspaceId }, data: { frozenAt } });
      await freeze(harness.clock.now());
      expect((await approve(waiting)).body).toMatchObject({
        data: { result_error: { code: 'workspace_frozen' } },
        transfer: { status: 'failed', failure: { code: 'workspace_frozen' } },
      });
      await freeze(null);
    });
  });

  describe('400', () => {
    it('an empty comment, and one of 501 characters', async () => {
      for (const comment of ['', 'x'.repeat(501)]) expectInvalid(await approve({ id: nowhere }, { comment }), 'comment');
    });
  });

  describe('409', () => {
    it('one that was approved, rejected, cancelled, or has expired, swept or not', async () => {
      const agent = await spender(harness);
      const [approved, rejected, cancelled, expired] = [await agent.wait(), await agent.wait(), await agent.wait(), await agent.wait()];
      await approve(approved.approval);
      await harness.test.make(`/v1/approvals/${rejected.approval.id}/reject`, {});
      await harness.test.make(`/v1/approvals/${cancelled.approval.id}/cancel`, {});
      harness.clock.advance(3_600);
      for (const swept of [false, true]) {
        if (swept) await harness.runDue();
        for (const [{ approval }, status] of [
          [approved, 'approved'],
          [rejected, 'rejected'],
          [cancelled, 'cancelled'],
          [expired, 'expired'],
        ] as const) {
          expectRefused(await approve(approval), 409, 'state_conflict', { current_status: status, allowed_from: ['pending'] });
        }
      }
      expect(await balanceOf(harness.test, agent.payee)).toMatchObject({ available: '30.00', pending_in: '0.00' });
    });
  });
});
