// POST /v1/transfers with mandate_id and mandate_jwt: a transfer that is an execution of a mandate
import { describe, expect, it } from 'vitest';
import { type Holder, newHolder, newSeller, readMandate, whileChanging } from '../../factories/mandate.js';
import { eventsOf, idsOf, newAccount, transferBody } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();

/** The body of a transfer by a mandate to the merchant's wallet. */
function bodyOf({ wallet, merchant, mandate }: Holder, amount: string, extra: object = {}): Json {
  const presented = { mandate_id: mandate.id, mandate_jwt: mandate.mandate_jwt };
  return { ...transferBody(wallet, { id: merchant.settlement_wallet_id }, amount, presented), ...extra };
}
const send = (holder: Holder, amount: string, extra: object = {}, query = '') =>
  harness.test.post(`/v1/transfers${query}`, bodyOf(holder, amount, extra), { as: holder.token });

describe('POST /v1/transfers with a mandate', () => {
  it('201: is an execution of it', async () => {
    const holder = await newHolder(harness.test);
    const { status, body } = await send(holder, '10.00');
    expect([status, body.data]).toMatchObject([201, { protocol: 'ap2', mandate_id: holder.mandate.id, status: 'completed' }]);
    expect((await eventsOf(harness, body.data.id)).at(-1)).toMatchObject({
      type: 'ap2.mandate.executed',
      data: { merchant_id: holder.merchant.id, remaining_daily: '90.00' },
    });
    const listed = await harness.test.get(`/v1/ap2/mandates/${holder.mandate.id}/executions`);
    expect(idsOf(listed)).toEqual([`ap2_exec_${body.data.id}`]);
  });

  it('201: to somebody who is no merchant, where the mandate names none', async () => {
    const holder = await newHolder(harness.test);
    const { wallet } = await openWallet(harness.test);
    const { status, body } = await send(holder, '10.00', { to_wallet_id: wallet.id });
    expect(status).toBe(201);
    expect((await eventsOf(harness, body.data.id)).at(-1)?.data.merchant_id).toBeNull();
    const named = await newHolder(harness.test, { allowed_merchant_categories: ['retail'] });
    expectRefused(await send(named, '1.00', { to_wallet_id: wallet.id }), 403, 'merchant_blocked');
  });

  it('201: scheduled; at its time the mandate has to be in force', async () => {
    const [kept, ended] = [await newHolder(harness.test), await newHolder(harness.test)];
    const later = { scheduled_for: new Date(harness.clock.now().getTime() + 60_000).toISOString() };
    const made = [await send(kept, '10.00', later), await send(ended, '10.00', later)];
    await harness.test.make(`/v1/ap2/mandates/${ended.mandate.id}/revoke`, {});
    harness.clock.advance(60);
    await harness.runDue();
    const read = async ({ body }: Json) => (await harness.test.get(`/v1/transfers/${body.data.id}`)).body.data;
    expect(await read(made[0])).toMatchObject({ status: 'completed', protocol: 'ap2' });
    expect(await read(made[1])).toMatchObject({ status: 'failed', failure: { code: 'mandate_revoked' } });
    expect((await readMandate(harness.test, kept.mandate)).usage.executions).toBe(1);
  });

  it('201: scheduled, it names its merchant before its time and after', async () => {
    const holder = await newHolder(harness.test);
    const { body } = await send(holder, '10.00', { scheduled_for: new Date(harness.clock.now().getTime() + 60_000).toISOString() });
    const merchant = async () =>
      (await harness.test.get(`/v1/ap2/mandates/${holder.mandate.id}/executions`)).body.data.map(({ status, merchant_id }: Json) => [
        status,
        merchant_id,
      ]);
    expect(await merchant()).toEqual([['pending', holder.merchant.id]]);
    harness.clock.advance(60);
    await harness.runDue();
    expect(await merchant()).toEqual([['completed', holder.merchant.id]]);
    expect((await eventsOf(harness, body.data.id)).at(-1)?.data).toMatchObject({ merchant_id: holder.merchant.id });
  });

  it('201: scheduled, it is carried out by the version that a change makes at that moment', async () => {
    const holder = await newHolder(harness.test);
    const later = { scheduled_for: new Date(harness.clock.now().getTime() + 60_000).toISOString() };
    const { body } = await send(holder, '10.00', later);
    harness.clock.advance(60);
    await whileChanging(harness, holder.mandate, () => harness.runDue());
    expect((await harness.test.get(`/v1/transfers/${body.data.id}`)).body.data).toMatchObject({ status: 'completed' });
  });

  it('200: a dry run says what it would do', async () => {
    const holder = await newHolder(harness.test);
    expect((await send(holder, '10.00', {}, '?dry_run=true')).body.data.decision.outcome).toBe('allow');
    expect((await send(holder, '50.01', {}, '?dry_run=true')).body.data.decision.code).toBe('mandate_limit_exceeded');
    expectRefused(await send(holder, '1.00', { mandate_jwt: 'x' }, '?dry_run=true'), 422, 'invalid_mandate_jwt');
    expect((await readMandate(harness.test, holder.mandate)).usage.executions).toBe(0);
  });

  describe('400', () => {
    it.each([
      ['one without the other', { mandate_jwt: undefined }, 'mandate_jwt'],
      ['the other without the one', { mandate_id: undefined }, 'mandate_id'],
    ])('for %s', async (_what, extra, field) => {
      expectInvalid(await send(await newHolder(harness.test), '1.00', extra), field);
    });

    it('for another agent than the mandate’s', async () => {
      const [holder, other] = [await newHolder(harness.test), await newHolder(harness.test)];
      const body = bodyOf(holder, '1.00', { agent_id: other.uuid });
      expectInvalid(await harness.test.post('/v1/transfers', body), 'agent_id');
    });

    it('in a batch', async () => {
      const holder = await newHolder(harness.test);
      const answer = await harness.test.post('/v1/transfers/batch', { transfers: [bodyOf(holder, '1.00')] });
      expectInvalid(answer, 'transfers.0.mandate_id');
    });
  });

  it('403 merchant_blocked for any wallet of a merchant that is blocked', async () => {
    const blocked = await newSeller(harness.test);
    const wallet = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: blocked.account_id, currency: 'USD' });
    const shop = { name: 'Other shop', category: 'retail', account_id: blocked.account_id, settlement_wallet_id: wallet.id };
    const holder = await newHolder(harness.test, { blocked_merchants: [blocked.id] });
    const pay = () => send(holder, '1.00', { to_wallet_id: wallet.id });
    expectRefused(await pay(), 403, 'merchant_blocked', { reason: 'merchant_blocked', merchant_id: blocked.id });
    await harness.test.make('/v1/merchants', shop);
    expect((await pay()).status).toBe(201);
  });

  it('403 merchant_blocked for a merchant that is not active', async () => {
    const holder = await newHolder(harness.test);
    await harness.test.patch(`/v1/merchants/${holder.merchant.id}`, { status: 'inactive' });
    expectRefused(await send(holder, '1.00'), 403, 'merchant_blocked', { reason: 'merchant_inactive' });
  });

  it('403 mandate_limit_exceeded', async () => {
    expectRefused(await send(await newHolder(harness.test), '50.01'), 403, 'mandate_limit_exceeded', { limit: { per: 'tx' } });
  });

  it('404 for a mandate that the actor does not see', async () => {
    const [holder, other] = [await newHolder(harness.test), await newHolder(harness.test)];
    expectRefused(await send(holder, '1.00', { mandate_id: other.mandate.id }), 404, 'not_found');
  });

  it('422 currency_mismatch', async () => {
    const holder = await newHolder(harness.test);
    const account = await newAccount(harness.test);
    const open = (owner_id: string, owner_type: string) => harness.test.make('/v1/wallets', { owner_type, owner_id, currency: 'EUR' });
    const [from, to] = [await open(holder.id, 'agent'), await open(account.id, 'account')];
    const extra = { from_wallet_id: from.id, to_wallet_id: to.id, currency: 'EUR' };
    expectRefused(await send(holder, '1.00', extra), 422, 'currency_mismatch', { mandate_currency: 'USD' });
  });
});

describe('what a mandate may still spend', () => {
  it('is exposed in the treasury: of the month, else of the day, else at a time', async () => {
    const client = harness.other;
    const exposed = async () => {
      const { body } = await client.get('/v1/treasury/exposure');
      return body.data.find(({ currency }: Json) => currency === 'EUR')?.active_mandates;
    };
    const none = { max_per_day: undefined, max_per_month: undefined };
    const month = await newHolder(client, { currency: 'EUR' }, { currency: 'EUR' });
    const day = await newHolder(client, { ...none, max_per_day: '60.00' }, { currency: 'EUR' });
    await newHolder(client, none, { currency: 'EUR' });
    expect(await exposed()).toBe('1110.00');
    await month.spend('25.00');
    await day.spend('10.00');
    expect(await exposed()).toBe('1075.00');
    await client.make(`/v1/ap2/mandates/${month.mandate.id}/revoke`, {});
    expect(await exposed()).toBe('100.00');
  });

  it('is bound by a budget of it', async () => {
    const holder = await newHolder(harness.test);
    const scope = { type: 'mandate', id: holder.mandate.id };
    const budget = { name: 'Trip', scope, amount: '15.00', currency: 'USD', period: 'once' };
    await harness.test.make('/v1/budgets', budget);
    expect((await holder.spend('10.00')).status).toBe(201);
    expectRefused(await holder.spend('10.00'), 403, 'budget_exceeded');
  });
});
