// The tools of MCP over HTTP, as the clients of its SDK call them in both eras: every answer is held to the output schema that was listed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newBudget, type Spender, spender } from '../factories/budget.js';
import { newEndpoint } from '../factories/x402.js';
import { type Json, nowhere, useHarness } from '../harness.js';
import { type Connected, eras } from './era.js';

const harness = useHarness();
let payer: Spender;
let agent: Connected;
let operator: Connected;

const payment = (amount: string, extra: object = {}) => ({
  from_wallet_id: payer.from.id,
  to_wallet_id: payer.to.id,
  amount,
  currency: 'USD',
  ...extra,
});
const balanceOf = async (wallet: Json) => Number((await harness.test.get(`/v1/wallets/${wallet.id}/balance`)).body.data.available);

describe.each(eras)('%s', (era, open) => {
  beforeAll(async () => {
    payer = await spender(harness.test, { funded: '10000.00' });
    agent = await open(harness.test.url, payer.token);
    operator = await open(harness.test.url, harness.test.key);
    await Promise.all([agent.list(), operator.list()]);
  });
  afterAll(() => Promise.all([agent[Symbol.asyncDispose](), operator[Symbol.asyncDispose]()]));

  describe('tools of an agent', () => {
    it('says who it is and what it may spend', async () => {
      await newBudget(harness.test, { scope: { type: 'agent', id: payer.uuid }, amount: '500.00' });
      const { data } = await agent.call('whoami');
      expect(data).toMatchObject({
        actor: { type: 'agent', id: payer.id },
        limits: { budgets: [{ amount: '500.00', remaining: '500.00' }] },
      });
      expect(data.spendable_by).toEqual(expect.arrayContaining(['internal', 'x402']));
      expect(data.wallets[0].balance.available).toBe('10000.00');
    });

    it('pays, and once for each key', async () => {
      const before = await balanceOf(payer.to);
      const first = await agent.call('pay', payment('5.00', { idempotency_key: 'invoice-1' }));
      expect(first.data).toMatchObject({ status: 'completed', amount: '5.00', type: 'internal' });
      const again = await agent.result('pay', payment('5.00', { idempotency_key: 'invoice-1' }));
      expect(again).toMatchObject({ structuredContent: { data: { id: first.data.id } }, _meta: { idempotent_replayed: true } });
      expect(await agent.refused('pay', payment('6.00', { idempotency_key: 'invoice-1' }))).toMatchObject({
        code: 'idempotency_key_reused',
      });
      // Over REST it is the same request.
      const headers = { 'Idempotency-Key': 'invoice-1' };
      const rest = await harness.test.post('/v1/transfers', { ...payment('5.00'), type: 'internal' }, { as: payer.token, headers });
      expect(rest.body.data.id).toBe(first.data.id);
      expect(await balanceOf(payer.to)).toBe(before + 5);
      const audited = () => harness.test.get(`/v1/audit-log?resource_id=${first.data.id}`);
      await expect
        .poll(async () => (await audited()).body.data[0], { timeout: 20_000 })
        .toMatchObject({ action: 'createTransfer', actor: { type: 'agent' } });
    });

    it('holds, captures a part, and voids', async () => {
      const held = await agent.call('hold', payment('20.00', { hold_expires_in: 600 }));
      expect(held.data).toMatchObject({ status: 'pending', capture: 'manual', hold: { amount: '20.00' } });
      expect((await agent.call('capture_hold', { id: held.data.id, amount: '8.00' })).data).toMatchObject({ status: 'completed' });
      const other = await agent.call('hold', payment('20.00'));
      expect((await agent.call('void_hold', { id: other.data.id, reason: 'Not needed' })).data).toMatchObject({ status: 'cancelled' });
      expect((await agent.call('get_transfer', { id: held.data.id })).data.hold.captured_amount).toBe('8.00');
      expect((await agent.call('list_transfers', { limit: 1 })).data).toHaveLength(1);
    });

    it('cannot take back what its payee captures, and is offered no call that only its company may make', async () => {
      const held = await agent.call('hold', payment('3.00', { capture_by: 'payee' }));
      expect(held.data).toMatchObject({ status: 'pending', capture_by: 'payee' });
      for (const [name, rel] of [
        ['void_hold', 'cancel'],
        ['capture_hold', 'capture'],
      ] as const) {
        const { code, details } = await agent.refused(name, { id: held.data.id });
        expect([code, details.next_actions.map((action: Json) => [action.rel, action.actor, action.call])]).toEqual([
          'forbidden',
          [[rel, 'api_key', undefined]],
        ]);
      }
    });

    it('quotes, and pays at the rate', async () => {
      const { data: quote } = await agent.call('quote', { from_currency: 'USD', to_currency: 'EUR', amount: '10.00', amount_side: 'send' });
      const account = await harness.test.make('/v1/accounts', { type: 'business', name: 'Europe' });
      const euros = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'EUR' });
      const paid = await agent.call('pay', { from_wallet_id: payer.from.id, to_wallet_id: euros.id, quote_id: quote.id });
      expect(paid.data).toMatchObject({ type: 'cross_border', destination_amount: quote.receive_amount });
    });

    it('pays an x402 call by what the URL answered', async () => {
      const endpoint = await newEndpoint(harness.test, { currency: 'USD', base_price: '0.50' });
      const required = await (await fetch(`${harness.test.url}/x402/${endpoint.id}`)).json();
      const quoted = await agent.call('quote_x402', { payment_required: required, from_wallet_id: payer.from.id });
      expect(quoted.data).toMatchObject({ amount: '0.50', affordable: true });
      const given = { from_wallet_id: payer.from.id, payment_required: required };
      expect(await agent.refused('pay_x402', { ...given, max_amount: '0.49' })).toMatchObject({ code: expect.any(String) });
      expect((await agent.call('pay_x402', { ...given, max_amount: '0.50' })).data).toMatchObject({ status: 'settled', amount: '0.50' });
    });

    it('opens a stream and closes it', async () => {
      const { from_wallet_id, to_wallet_id } = payment('1.00');
      const rate = { amount: '3.60', per: 'hour' };
      const opened = await agent.call('open_stream', { from_wallet_id, to_wallet_id, currency: 'USD', rate, initial_deposit: '10.00' });
      expect(opened.data.status).toBe('active');
      harness.clock.advance(600);
      expect((await agent.call('get_stream', { id: opened.data.id })).data.streamed_total).toBe('0.60');
      expect((await agent.call('close_stream', { id: opened.data.id })).data.status).toBe('cancelled');
    });

    it('hands out a task, which another agent claims, delivers and is paid for', async () => {
      const { token } = await spender(harness.test);
      await using worker = await open(harness.test.url, token);
      const pay = { amount: '10.00', currency: 'USD', method: 'wallet' };
      const { data: task } = await agent.call('create_task', { skill_id: 'translate', payload: { text: 'Guten Tag' }, payment: pay });
      expect((await worker.call('list_tasks', { open: true })).data.map(({ id }: Json) => id)).toContain(task.id);
      expect((await worker.call('claim_task', { taskId: task.id })).data.status).toBe('accepted');
      expect(await agent.refused('claim_task', { taskId: task.id })).toMatchObject({ code: expect.any(String) });
      await worker.call('complete_task', { id: task.id, deliverable: { text: 'Good day' } });
      expect((await agent.call('approve_task', { id: task.id, rating: 5 })).data.payment.status).toBe('released');
      expect((await worker.call('get_task', { id: task.id })).data.rating).toBe(5);
      expect((await agent.call('find_agents', { skill_id: 'translate' })).data).toEqual([]);
    });

    it('reads what has happened since a time', async () => {
      harness.clock.advance(60);
      const since = harness.clock.now().toISOString();
      const paid = await agent.call('pay', payment('1.00'));
      await harness.runDue();
      const { data } = await agent.call('read_events', { since, type: ['transfer.*'] });
      expect(data.map(({ type }: Json) => type)).toEqual(['transfer.completed', 'transfer.created']);
      expect(data[0].data.transfer_id).toContain(paid.data.id);
    });
  });

  describe('approvals', () => {
    it('asks a person where a budget refuses, and hears what was decided', async () => {
      const asking = await spender(harness.test);
      const budget = await newBudget(harness.test, { scope: { type: 'agent', id: asking.uuid }, amount: '1.00' });
      await using asker = await open(harness.test.url, asking.token);
      const given = { from_wallet_id: asking.from.id, to_wallet_id: asking.to.id, amount: '30.00', currency: 'USD' };
      const refusal = await asker.refused('pay', given);
      expect(refusal).toMatchObject({ code: 'budget_exceeded', details: { limit: { max: '1.00' } } });
      // The request that would help, as the call that makes it.
      const { call: next } = refusal.details.next_actions.find(({ rel }: Json) => rel === 'request_approval');
      const key = era === '2026-07-28' && { idempotency_key: expect.stringMatching(/^mcp:/) };
      expect(next).toEqual({ tool: 'request_approval', arguments: { ...given, ...key } });

      const asked = await asker.result(next.tool, next.arguments);
      const { approval, data } = asked.structuredContent as Json;
      expect(asked.content[1]).toMatchObject({ text: expect.stringContaining(approval.id) });
      expect((await asker.call('wait_for_approval', { id: approval.id, timeout_seconds: 0 })).data.status).toBe('pending');
      const waiting = asker.call('wait_for_approval', { id: approval.id });
      expect((await operator.call('list_approvals', { status: 'pending' })).data.map(({ id }: Json) => id)).toContain(approval.id);
      expect((await operator.call('get_approval', { id: approval.id })).data.amount).toBe('30.00');
      await operator.call('update_budget', { id: budget.id, amount: '50.00' });
      await operator.call('approve_request', { id: approval.id, comment: 'Fine' });
      expect((await waiting).data).toMatchObject({ status: 'approved', comment: 'Fine' });
      expect((await asker.call('get_transfer', { id: data.id })).data.status).toBe('completed');

      const second = await asker.call('request_approval', given);
      expect((await asker.call('cancel_approval', { id: second.approval.id })).data.status).toBe('cancelled');
      const third = await asker.call('request_approval', given);
      await operator.call('reject_request', { id: third.approval.id, reason: 'No' });
      expect((await asker.call('wait_for_approval', { id: third.approval.id })).data.status).toBe('rejected');
    });
  });

  describe('tools of an operator', () => {
    it('creates an agent whose token is shown once, gives it a budget, freezes it and reads it all', async () => {
      const { call } = operator;
      const [account] = (await call('list_accounts', { limit: 1 })).data;
      const given = { parent_account_id: account.id, name: 'Buyer', wallet: { currency: 'USD' }, idempotency_key: `agent-${era}` };
      const made = await call('create_agent', given);
      expect(made.credentials.token).toMatch(/^agent_/);
      const again = await call('create_agent', given);
      expect(again.data.id).toBe(made.data.id);
      expect(JSON.stringify(again)).not.toContain(made.credentials.token);
      const budget = { name: 'Small', scope: { type: 'agent', id: made.data.id }, amount: '5.00', currency: 'USD', period: 'day' };
      const { data: ofAgent } = await call('create_budget', budget);
      expect((await call('get_agent_limits', { id: made.data.id })).data.budgets).toHaveLength(1);
      expect((await call('list_budgets', { scope_type: 'agent' })).data[0]).toMatchObject({ id: ofAgent.id, remaining: '5.00' });
      expect((await call('freeze_agent', { id: made.data.id, reason: 'Look at it' })).data.status).toBe('frozen');
      expect((await call('list_agents', { status: 'frozen' })).data.map(({ id }: Json) => id)).toEqual([made.data.id]);
      expect((await call('unfreeze_agent', { id: made.data.id })).data.status).toBe('active');
      expect((await call('get_balances', { id: account.id })).data).toEqual(expect.any(Array));
      expect((await call('list_wallets', { owner_id: made.data.id })).data).toHaveLength(1);
      expect((await call('freeze_spending', { reason: 'Stop' })).data.frozen).toBe(true);
      expect(await agent.refused('pay', payment('1.00'))).toMatchObject({ code: 'workspace_frozen' });
      expect((await call('unfreeze_spending')).data.frozen).toBe(false);
    });
  });

  describe('what is not taken', () => {
    it('names a tool that is not there, or not for the caller, by an error of the protocol', async () => {
      await expect(agent.result('steal')).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('steal') });
      await expect(agent.result('create_agent')).rejects.toMatchObject({ code: -32602 });
      await expect(operator.result('pay')).rejects.toMatchObject({ code: -32602 });
    });

    it('names arguments that are missing, unknown or wrong, and pays nothing', async () => {
      const before = await balanceOf(payer.to);
      // As results, which a model sees, and not as errors of the protocol.
      const refusal = async (name: string, given: object) => {
        const { code, details } = await agent.refused(name, given);
        return { code, fields: details.fields.map(({ path }: Json) => path) };
      };
      const cases: [string, object, string][] = [
        ['pay', { amount: '1.00' }, 'from_wallet_id'],
        ['pay', payment('1.00', { amuont: '2.00' }), 'amuont'],
        // What the operation would take and the tool does not.
        ['pay', payment('1.00', { capture: 'manual' }), 'capture'],
        ['pay', payment('-1.00'), 'amount'],
        ['pay', payment('1.00', { idempotency_key: 7 }), 'idempotency_key'],
        ['pay', payment('1.00', { idempotency_key: '' }), 'Idempotency-Key'],
        ['pay', payment('1.00', { description: 'a\u0000b' }), 'description'],
        ['list_transfers', { limit: 1000 }, 'limit'],
        ['wait_for_approval', { id: `apr_${nowhere}`, timeout_seconds: 3600 }, 'timeout_seconds'],
      ];
      for (const [name, given, field] of cases)
        expect(await refusal(name, given), field).toEqual({ code: 'validation_failed', fields: [field] });
      const { details } = await agent.refused('pay', payment('1.00', { amuont: '2.00' }));
      expect(details.fields[0].message).toBe('is not an argument of this request: did you mean amount?');
      expect(await balanceOf(payer.to)).toBe(before);
    });

    it('shows nothing of another tenant', async () => {
      await using stranger = await open(harness.other.url, harness.other.key);
      const { data: transfer } = await agent.call('pay', payment('1.00'));
      const { request_id: _, ...missing } = await stranger.refused('get_transfer', { id: nowhere });
      expect(missing.code).toBe('not_found');
      expect(await stranger.refused('get_transfer', { id: transfer.id })).toMatchObject(missing);
      expect(await stranger.refused('freeze_agent', { id: payer.id })).toMatchObject(missing);
      expect((await stranger.call('list_agents')).data).toEqual([]);
    });

    it('says of a refusal what would help, and nothing of how it came', async () => {
      const refusal = await agent.refused('pay', payment('100000.00'));
      expect(refusal).toMatchObject({ code: expect.any(String), error: expect.any(String), request_id: expect.stringMatching(/^req_/) });
      expect(refusal.details.next_actions).not.toEqual([]);
      expect(JSON.stringify(refusal)).not.toMatch(/\.[tj]s:\d|node_modules/);
    });
  });
});
