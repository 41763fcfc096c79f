// POST /v1/ap2/mandates/{id}/execute
import { describe, expect, it } from 'vitest';
import { ownersKey, trip } from '../../factories/approval.js';
import { decisionsOf } from '../../factories/decision.js';
import { executionBody, newHolder, newSeller, readMandate } from '../../factories/mandate.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const pathOf = ({ id }: { id: string }) => `/v1/ap2/mandates/${id}/execute`;

describe('POST /v1/ap2/mandates/{id}/execute', () => {
  describe('201', () => {
    it('pays the merchant out of the wallet of the agent, and says what is left', async () => {
      const holder = await newHolder(harness.test);
      const { status, body } = await holder.spend('12.50', { description: 'Paper' });
      const { merchant, mandate } = holder;
      expect([status, body]).toEqual([
        201,
        {
          data: {
            id: expect.stringMatching(/^ap2_exec_/),
            execution_id: body.data.id,
            mandate_id: mandate.id,
            agent_id: holder.uuid,
            merchant_id: merchant.id,
            amount: '12.50',
            currency: 'USD',
            status: 'completed',
            remaining_daily: '87.50',
            remaining_monthly: '987.50',
            transfer_id: body.data.id.slice('ap2_exec_'.length),
            description: 'Paper',
            executed_at: harness.clock.now().toISOString(),
            created_at: harness.clock.now().toISOString(),
          },
        },
      ]);
      expect(await balanceOf(harness.test, { id: merchant.settlement_wallet_id })).toMatchObject({ available: '12.50' });
      const transfer = (await harness.test.get(`/v1/transfers/${body.data.transfer_id}`)).body.data;
      expect(transfer).toMatchObject({ protocol: 'ap2', mandate_id: mandate.id, agent_id: holder.uuid, type: 'internal' });
      expect((await readMandate(harness.test, mandate)).usage).toMatchObject({ today: '12.50', month: '12.50', executions: 1 });
    });

    it('tells what it was and what it leaves', async () => {
      const holder = await newHolder(harness.test);
      await holder.spend('10.00');
      const { body } = await holder.spend('2.50');
      const told = await eventsOf(harness, body.data.transfer_id);
      expect(told.map(({ type }) => type)).toEqual(['transfer.created', 'transfer.completed', 'ap2.mandate.executed']);
      expect(told[2]?.data).toEqual({
        mandate_id: holder.mandate.id,
        execution_id: body.data.id,
        agent_id: holder.id,
        merchant_id: holder.merchant.id,
        amount: '2.50',
        currency: 'USD',
        remaining_daily: '87.50',
        remaining_monthly: '987.50',
      });
    });

    it('is an operation of its own kind', async () => {
      const holder = await newHolder(harness.test);
      const { body } = await holder.spend('1.00');
      const where = { subjectId: body.data.transfer_id };
      const operation = await harness.platform.database.unscoped.operation.findFirstOrThrow({ where });
      expect(operation).toMatchObject({ category: 'mandate_execution', protocol: 'ap2', success: true, agentId: holder.uuid });
    });

    it('out of a wallet of the account that it names', async () => {
      const holder = await newHolder(harness.test, { currency: 'EUR' }, { currency: 'EUR' });
      const wallet = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: holder.account.id, currency: 'EUR' });
      await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: '20.00' });
      expect((await holder.spend('5.00', { from_wallet_id: wallet.id })).status).toBe(201);
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '15.00' });
    });

    it('once for a key, however often it is sent', async () => {
      const holder = await newHolder(harness.test);
      const headers = { 'Idempotency-Key': `exec-${holder.uuid}` };
      const first = await holder.spend('5.00', {}, { headers });
      const again = await holder.spend('5.00', {}, { headers });
      expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true']);
      expect((await readMandate(harness.test, holder.mandate)).usage.executions).toBe(1);
    });

    it('held until it is captured; what is captured is used, the rest given back', async () => {
      const holder = await newHolder(harness.test);
      const { status, body } = await holder.spend('40.00', { capture: 'manual' });
      expect([status, body.data.status, body.data.remaining_daily]).toEqual([201, 'pending', '60.00']);
      await harness.test.make(`/v1/transfers/${body.data.transfer_id}/capture`, { amount: '15.00' });
      expect((await readMandate(harness.test, holder.mandate)).usage).toMatchObject({ today: '15.00', remaining_daily: '85.00' });
      const told = await eventsOf(harness, body.data.transfer_id);
      expect(told.at(-1)).toMatchObject({ type: 'ap2.mandate.executed', data: { amount: '15.00', remaining_daily: '85.00' } });
    });

    it('what is refunded in its window may be spent again', async () => {
      const holder = await newHolder(harness.test);
      const { transfer_id: original_transfer_id } = (await holder.spend('50.00')).body.data;
      const refund = (amount: string) => harness.test.make('/v1/refunds', { original_transfer_id, amount, reason: 'customer_request' });
      await refund('20.00');
      expect((await readMandate(harness.test, holder.mandate)).usage).toMatchObject({ today: '30.00', month: '30.00', executions: 1 });
      await refund('30.00');
      expect((await readMandate(harness.test, holder.mandate)).usage).toMatchObject({ today: '0.00', month: '0.00', executions: 0 });
    });

    it('counts in the day and the month in which it was asked for, whenever it is captured or refunded', async () => {
      const at = harness.clock.now().toISOString();
      harness.clock.set('2026-03-31T23:59:00.000Z');
      const holder = await newHolder(harness.test);
      const { data: held } = (await holder.spend('40.00', { capture: 'manual' })).body;
      const { data: paid } = (await holder.spend('30.00')).body;
      harness.clock.set('2026-04-01T00:00:00.000Z');
      await harness.test.make(`/v1/transfers/${held.transfer_id}/capture`, { amount: '15.00' });
      await harness.test.make('/v1/refunds', { original_transfer_id: paid.transfer_id, amount: '10.00', reason: 'customer_request' });
      expect((await readMandate(harness.test, holder.mandate)).usage).toMatchObject({ today: '0.00', month: '0.00', executions: 2 });
      expect((await holder.spend('50.00')).body.data.remaining_daily).toBe('50.00');
      harness.clock.set(at);
    });

    it('a new day and a new month begin at midnight UTC', async () => {
      const holder = await newHolder(harness.test, { max_per_tx: '100.00', max_per_month: '250.00' });
      const at = harness.clock.now().toISOString();
      for (const [time, amount, status] of [
        ['2026-03-30T23:59:59.000Z', '100.00', 201],
        ['2026-03-30T23:59:59.999Z', '0.01', 403],
        ['2026-03-31T00:00:00.000Z', '100.00', 201],
        ['2026-03-31T23:59:59.999Z', '0.01', 403],
        ['2026-04-01T00:00:00.000Z', '100.00', 201],
      ] as const) {
        harness.clock.set(time);
        expect((await holder.spend(amount)).status, time).toBe(status);
      }
      expect((await readMandate(harness.test, holder.mandate)).usage).toMatchObject({
        month: '100.00',
        resets_at: { day: '2026-04-02T00:00:00.000Z', month: '2026-05-01T00:00:00.000Z' },
      });
      harness.clock.set(at);
    });

    it('dry run: says what it would do, and changes nothing', async () => {
      const holder = await newHolder(harness.test);
      const ask = (amount: string) =>
        harness.test.post(`${pathOf(holder.mandate)}?dry_run=true`, executionBody(holder, amount), { as: holder.token });
      const { body } = await ask('10.00');
      expect(body.data.decision.outcome).toBe('allow');
      expect(body.data.would_emit).toEqual(['transfer.created', 'transfer.completed', 'ap2.mandate.executed']);
      expect((await ask('50.01')).body.data.decision).toMatchObject({ outcome: 'deny', code: 'mandate_limit_exceeded' });
      expect((await readMandate(harness.test, holder.mandate)).usage.executions).toBe(0);
    });
  });

  describe('202', () => {
    it('waits for its approval, and is checked again when it is given', async () => {
      const holder = await newHolder(harness.test);
      await trip(harness, holder.uuid);
      const asked = [await holder.spend('30.00'), await holder.spend('30.00')];
      const [first, second] = asked.map(({ body }) => body);
      expect(asked.map(({ status }) => status)).toEqual([202, 202]);
      expect((await harness.test.get(`/v1/approvals/${first.approval.id}`)).body.data.subject).toEqual({
        type: 'mandate_execution',
        id: first.data.id,
      });
      const given = await harness.test.post(`/v1/approvals/${first.approval.id}/approve`, {});
      expect(given.body.execution).toMatchObject({ id: first.data.id, status: 'completed' });
      expect((await eventsOf(harness, first.data.transfer_id)).at(-1)?.type).toBe('ap2.mandate.executed');
      await harness.test.make(`/v1/ap2/mandates/${holder.mandate.id}/revoke`, {});
      const late = await harness.test.post(`/v1/approvals/${second.approval.id}/approve`, {});
      expect([late.status, late.body.data.result_error?.code]).toEqual([200, 'mandate_revoked']);
      expect((await harness.test.get(`/v1/transfers/${second.data.transfer_id}`)).body.data.status).toBe('failed');
      expect((await readMandate(harness.test, holder.mandate)).usage).toMatchObject({ today: '30.00', executions: 1 });
    });
  });

  describe('400', () => {
    it.each([['0.00'], ['-1.00'], [' 1.00'], ['1e2'], ['1.001']])('for the amount %s', async (amount) => {
      const holder = await newHolder(harness.test);
      expectInvalid(await holder.spend(amount), 'amount');
    });

    it('for a category that is not the merchant’s', async () => {
      const holder = await newHolder(harness.test);
      expectInvalid(await holder.spend('1.00', { merchant_category: 'retail' }), 'merchant_category');
    });

    it('for a merchant without a wallet in the currency', async () => {
      const [holder, elsewhere] = [await newHolder(harness.test), await newSeller(harness.test, 'EUR')];
      expectInvalid(await holder.spend('1.00', { merchant_id: elsewhere.id }), 'merchant_id');
    });
  });

  describe('403', () => {
    it.each([
      ['tx', '50.01', []],
      ['day', '0.01', ['50.00', '50.00']],
    ])('mandate_limit_exceeded per %s', async (per, amount, before) => {
      const holder = await newHolder(harness.test);
      for (const spent of before) expect((await holder.spend(spent)).status).toBe(201);
      const refused = await holder.spend(amount);
      expectRefused(refused, 403, 'mandate_limit_exceeded', { limit: { kind: 'mandate', per, currency: 'USD' } });
      expect((await decisionsOf(harness, harness.test, `agent_id=${holder.uuid}`))[0]).toMatchObject({ code: 'mandate_limit_exceeded' });
    });

    it('mandate_limit_exceeded per month', async () => {
      const holder = await newHolder(harness.test, { max_per_day: '60.00', max_per_month: '60.00' });
      expect((await holder.spend('50.00')).status).toBe(201);
      const at = harness.clock.now().toISOString();
      harness.clock.advance(86_400);
      expectRefused(await holder.spend('10.01'), 403, 'mandate_limit_exceeded', { limit: { per: 'month', remaining: '10.00' } });
      harness.clock.set(at);
    });

    it('merchant_blocked: blocked wins over allowed, and who is not allowed is refused', async () => {
      const seller = await newSeller(harness.test);
      const both = await newHolder(harness.test, { allowed_merchants: [seller.id], blocked_merchants: [seller.id] });
      expectRefused(await both.spend('1.00', { merchant_id: seller.id }), 403, 'merchant_blocked', { reason: 'merchant_blocked' });
      expectRefused(await both.spend('1.00'), 403, 'merchant_blocked', { reason: 'merchant_not_allowed' });
      const one = await newHolder(harness.test, { allowed_merchant_categories: ['retail'] });
      expectRefused(await one.spend('1.00'), 403, 'merchant_blocked', { reason: 'category_not_allowed' });
      const shop = await newSeller(harness.test, 'USD', { category: 'retail' });
      expect((await one.spend('1.00', { merchant_id: shop.id })).status).toBe(201);
    });

    it('merchant_blocked for a merchant that is not active', async () => {
      const holder = await newHolder(harness.test);
      await harness.test.patch(`/v1/merchants/${holder.merchant.id}`, { status: 'inactive' });
      expectRefused(await holder.spend('1.00'), 403, 'merchant_blocked');
    });

    it('agent_frozen while the mandate is suspended', async () => {
      const holder = await newHolder(harness.test);
      await harness.test.make(`/v1/agents/${holder.id}/freeze`, {});
      expectRefused(await holder.spend('1.00'), 403, 'agent_frozen');
      expect((await readMandate(harness.test, holder.mandate)).status).toBe('suspended');
      await harness.test.make(`/v1/agents/${holder.id}/unfreeze`, {});
      expect((await holder.spend('1.00')).status).toBe(201);
    });

    it('for the wallet of another account', async () => {
      const [holder, other] = [await newHolder(harness.test), await newHolder(harness.test)];
      expectRefused(await holder.spend('1.00', { from_wallet_id: other.wallet.id }), 403, 'forbidden');
    });
  });

  describe('404', () => {
    it('for the mandate of another agent, another tenant’s, and one that never was', async () => {
      const [holder, other] = [await newHolder(harness.test), await newHolder(harness.test)];
      const foreign = await newHolder(harness.other);
      const body = executionBody(holder, '1.00');
      expectRefused(await harness.test.post(pathOf(holder.mandate), body, { as: other.token }), 404, 'not_found');
      for (const id of [foreign.mandate.id, nowhere]) expectRefused(await harness.test.post(pathOf({ id }), body), 404, 'not_found');
    });

    it('for a merchant of another tenant', async () => {
      const [holder, foreign] = [await newHolder(harness.test), await newSeller(harness.other)];
      expectRefused(await holder.spend('1.00', { merchant_id: foreign.id }), 404, 'not_found');
    });
  });

  describe('409', () => {
    it('mandate_revoked, whatever else is wrong', async () => {
      const holder = await newHolder(harness.test);
      await harness.test.make(`/v1/ap2/mandates/${holder.mandate.id}/revoke`, {});
      expectRefused(await holder.spend('1.00', { mandate_jwt: 'x', currency: 'EUR' }), 409, 'mandate_revoked');
    });

    it('mandate_expired, a second after it ended', async () => {
      const holder = await newHolder(harness.test);
      const at = harness.clock.now().toISOString();
      harness.clock.set('2026-04-01T09:59:59.999Z');
      expect((await holder.spend('1.00')).status).toBe(201);
      harness.clock.set('2026-04-01T10:00:01.000Z');
      expectRefused(await holder.spend('1.00', { mandate_jwt: 'x' }), 409, 'mandate_expired');
      harness.clock.set(at);
    });
  });

  describe('422', () => {
    it('currency_mismatch for another currency than the mandate’s', async () => {
      const holder = await newHolder(harness.test);
      expectRefused(await holder.spend('60.00', { currency: 'EUR' }), 422, 'currency_mismatch', { mandate_currency: 'USD' });
    });

    it('insufficient_balance, with nothing used of the mandate', async () => {
      const holder = await newHolder(harness.test, {}, { funded: '1.00' });
      expectRefused(await holder.spend('2.00'), 422, 'insufficient_balance');
      expect((await readMandate(harness.test, holder.mandate)).usage).toMatchObject({ today: '0.00', executions: 0 });
    });
  });

  it('an API key acts for the agent of the mandate', async () => {
    const holder = await newHolder(harness.test);
    const answer = await holder.spend('3.00', {}, { as: await ownersKey(harness) });
    expect([answer.status, answer.body.data?.agent_id]).toEqual([201, holder.uuid]);
  });
});
