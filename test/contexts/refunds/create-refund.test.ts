// POST /v1/refunds
import { describe, expect, it } from 'vitest';
import { payAbroad } from '../../factories/exchange.js';
import { balanceOf, eventsOf, pay, transferBody, twoWallets, waitingTransfer } from '../../factories/payment.js';
import { payment, refundBody } from '../../factories/refund.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const refund = (transfer: Json, extra: object = {}, as?: string) =>
  harness.test.post('/v1/refunds', refundBody(transfer, extra), as === undefined ? {} : { as });
const available = async (wallet: Json) => (await balanceOf(harness.test, wallet)).available;
const read = async ({ id }: Json) => (await harness.test.get(`/v1/transfers/${id}`)).body.data;

describe('POST /v1/refunds', () => {
  describe('201', () => {
    it('sends all of it back, and says so of the original', async () => {
      const { from, to, transfer } = await payment(harness.test);
      harness.clock.advance(60);
      const { status, body } = await refund(transfer, { reason: 'duplicate_payment', reason_details: 'Twice.' });
      const at = harness.clock.now().toISOString();
      expect(status).toBe(201);
      expect(body.data).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        original_transfer_id: transfer.id,
        amount: '100.00',
        currency: 'USD',
        reason: 'duplicate_payment',
        reason_details: 'Twice.',
        status: 'completed',
        refund_transfer_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        initiated_by: { type: 'api_key', id: expect.stringMatching(/^key_/) },
        created_at: at,
        completed_at: at,
      });
      expect([await available(from), await available(to)]).toEqual(['1000.00', '0.00']);
      const original = await read(transfer);
      expect(original).toEqual({ ...transfer, refunded_amount: '100.00', updated_at: at });
      expect((await eventsOf(harness, transfer.id)).at(-1)).toEqual({
        type: 'transfer.refunded',
        data: {
          transfer_id: `tx_${transfer.id}`,
          type: 'internal',
          status: 'completed',
          amount: '100.00',
          currency: 'USD',
          from_account_id: `acc_${from.account_id}`,
          to_account_id: `acc_${to.account_id}`,
          protocol: 'internal',
          completed_at: transfer.completed_at,
        },
      });
      expect(await read({ id: body.data.refund_transfer_id })).toMatchObject({
        type: 'internal',
        status: 'completed',
        from_wallet_id: to.id,
        to_wallet_id: from.id,
        amount: '100.00',
        refund_id: body.data.id,
        protocol_metadata: { refund_of: transfer.id },
      });
    });

    it('in parts, and then what is left', async () => {
      const { from, to, transfer } = await payment(harness.test);
      for (const amount of ['0.01', '33.33']) expect((await refund(transfer, { amount })).body.data.amount).toBe(amount);
      expect((await read(transfer)).refunded_amount).toBe('33.34');
      expect((await refund(transfer)).body.data.amount).toBe('66.66');
      expect([await available(from), await available(to)]).toEqual(['1000.00', '0.00']);
      expectRefused(await refund(transfer), 422, 'refund_exceeds_original', { refundable: '0.00', terminal: true });
    });

    it('of what was captured, and no more', async () => {
      const { transfer } = await payment(harness.test, '100.00', { capture: 'manual' });
      await harness.test.make(`/v1/transfers/${transfer.id}/capture`, { amount: '40.00' });
      expectRefused(await refund(transfer, { amount: '40.01' }), 422, 'refund_exceeds_original', { refundable: '40.00' });
      expect((await refund(transfer)).body.data.amount).toBe('40.00');
    });

    it('across currencies: what was sent less its fee, at the rate of then', async () => {
      const { from, to, transfer } = await payAbroad(harness.test);
      await harness.test.put('/v1/rates', { rates: [{ from: 'USD', to: 'EUR', rate: '0.9' }] });
      expectRefused(await refund(transfer, { amount: '99.51' }), 422, 'refund_exceeds_original', { refundable: '99.50' });
      for (const amount of ['0.01', '0.01', '0.01']) expect((await refund(transfer, { amount })).status).toBe(201);
      // 0.015 EUR, rounded up over the three of them.
      expect([await available(from), await available(to)]).toEqual(['900.03', '49.73']);
      const { body } = await refund(transfer);
      expect(body.data).toMatchObject({ amount: '99.47', currency: 'USD' });
      expect([await available(from), await available(to)]).toEqual(['999.50', '0.00']);
      expect(await read({ id: body.data.refund_transfer_id })).toMatchObject({
        type: 'cross_border',
        currency: 'EUR',
        amount: '49.73',
        destination_currency: 'USD',
        destination_amount: '99.47',
      });
    });

    it('by an agent, of what its own wallet received', async () => {
      const agent = await enrol(harness.test, { wallet: { currency: 'USD' } });
      const { wallet: from } = await openWallet(harness.test, { funded: '10.00' });
      const transfer = await pay(harness.test, from, { id: agent.agent.default_wallet_id }, '10.00');
      const { status, body } = await refund(transfer, {}, agent.token);
      expect(status).toBe(201);
      expect(body.data.initiated_by).toEqual({ type: 'agent', id: agent.id });
      expect((await harness.test.get('/v1/refunds', { as: agent.token })).body.data).toEqual([body.data]);
    });

    it('gives back what the payment used of a budget, in its window', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '1000.00' });
      const scope = { type: 'account', id: from.account_id };
      const budget = await harness.test.make('/v1/budgets', { name: 'Day', scope, amount: '100.00', currency: 'USD', period: 'day' });
      const transfer = await pay(harness.test, from, to, '100.00');
      const left = async () => (await harness.test.get(`/v1/budgets/${budget.id}`)).body.data.remaining;
      expect(await left()).toBe('0.00');
      await refund(transfer, { amount: '30.00' });
      expect(await left()).toBe('30.00');
      expect((await harness.test.post('/v1/transfers', transferBody(from, to, '30.00'))).status).toBe(201);
      await harness.advance(86_400);
      await refund(transfer, { amount: '50.00' });
      // The day of the payment is over: today's budget is as it was.
      expect(await left()).toBe('100.00');
    });

    it('is no spend: it uses no limit of who gives it back', async () => {
      const { to, transfer } = await payment(harness.test);
      const scope = { type: 'account', id: to.account_id };
      await harness.test.make('/v1/budgets', { name: 'Nothing', scope, amount: '0.01', currency: 'USD', period: 'day' });
      expect((await refund(transfer)).status).toBe(201);
    });

    it('of twenty at once, no more than was paid', async () => {
      const { from, to, transfer } = await payment(harness.test);
      const answers = await Promise.all(Array.from({ length: 20 }, () => refund(transfer, { amount: '30.00' })));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
      expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code))).toEqual(
        new Set(['refund_exceeds_original']),
      );
      expect([await available(from), await available(to)]).toEqual(['990.00', '10.00']);
    });

    it('a key is good for one of them', async () => {
      const { transfer } = await payment(harness.test);
      const options = { headers: { 'idempotency-key': 'back-1' } };
      const first = await harness.test.post('/v1/refunds', refundBody(transfer, { amount: '1.00' }), options);
      const second = await harness.test.post('/v1/refunds', refundBody(transfer, { amount: '1.00' }), options);
      expect(second.body).toEqual(first.body);
      expect((await read(transfer)).refunded_amount).toBe('1.00');
    });
  });

  describe('400', () => {
    it('for what the members cannot be', async () => {
      const { transfer } = await payment(harness.test);
      expectInvalid(await refund(transfer, { reason: 'boredom' }), 'reason');
      expectInvalid(await refund(transfer, { reason_details: 'x'.repeat(1001) }), 'reason_details');
      expectInvalid(await refund(transfer, { amount: '0' }), 'amount');
      expectInvalid(await refund(transfer, { amount: '1.001' }), 'amount');
    });
  });

  describe('403', () => {
    it('for an agent that paid, and was not paid', async () => {
      const agent = await enrol(harness.test, { wallet: { currency: 'USD' } });
      const wallet = { id: agent.agent.default_wallet_id, currency: 'USD' };
      await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: '10.00' });
      const { wallet: to } = await openWallet(harness.test);
      const transfer = await pay(harness.test, wallet, to, '10.00');
      expectRefused(await refund(transfer, {}, agent.token), 403, 'forbidden');
    });

    it('while the wallet of the payee is frozen', async () => {
      const { to, transfer } = await payment(harness.test);
      await harness.test.make(`/v1/wallets/${to.id}/freeze`, {});
      expectRefused(await refund(transfer), 403, 'wallet_frozen');
    });
  });

  describe('404', () => {
    it('for a transfer of nobody, and one that an agent does not see', async () => {
      expectRefused(await refund({ id: nowhere }), 404, 'not_found');
      const { transfer } = await payment(harness.test);
      const { token } = await enrol(harness.test);
      expectRefused(await refund(transfer, {}, token), 404, 'not_found');
    });
  });

  describe('409', () => {
    it('for a transfer that is not completed', async () => {
      expectRefused(await refund(await waitingTransfer(harness.test)), 409, 'state_conflict', { current_status: 'pending' });
    });

    it('for what is no payment: a wrap, money from outside, a refund', async () => {
      const { from, transfer } = await payment(harness.test);
      const wrap = await harness.test.make(`/v1/wallets/${from.id}/wrap`, { amount: '1.00' });
      const fund = await harness.test.make(`/v1/wallets/${from.id}/fund`, { amount: '1.00' });
      const { data } = (await refund(transfer)).body;
      for (const id of [wrap.id, fund.id, data.refund_transfer_id]) {
        expectRefused(await refund({ id }), 409, 'state_conflict', { reason: 'not_refundable', terminal: true });
      }
    });
  });

  describe('422', () => {
    it('for more than was paid: the rest is named, ready to send', async () => {
      const { transfer } = await payment(harness.test);
      const refused = await refund(transfer, { amount: '100.01' });
      expectRefused(refused, 422, 'refund_exceeds_original', { refundable: '100.00' });
      const [{ path, body }] = refused.body.details.next_actions;
      expect((await harness.test.post(path, body)).body.data.amount).toBe('100.00');
    });

    it('when the payee has spent it', async () => {
      const { from, to, transfer } = await payment(harness.test);
      await pay(harness.test, to, from, '50.00');
      expectRefused(await refund(transfer), 422, 'insufficient_balance');
      expect((await read(transfer)).refunded_amount).toBe('0.00');
    });
  });

  it('leaves one operation of its own category', async () => {
    const { transfer } = await payment(harness.test);
    const { data } = (await refund(transfer)).body;
    const operations = await harness.platform.database.unscoped.operation.findMany({ where: { subjectId: data.refund_transfer_id } });
    expect(operations).toMatchObject([{ category: 'refund', operation: 'refund.internal', success: true, amount: 10_000n }]);
  });
});
