// The life of a payout on the simulated rails: what is held, what is told, and what comes back (CONTRACT.md 12).
import { describe, expect, it } from 'vitest';
import { setHalfRate } from '../../factories/exchange.js';
import { balanceOf } from '../../factories/payment.js';
import { booksOf, newPayer, newPayout, ownBalance, readPayout, readTransfer, toldOf } from '../../factories/payout.js';
import { useHarness } from '../../harness.js';

const harness = useHarness();
const fault = (rail: string, kind: string, extra: object = {}) =>
  harness.test.make(`/v1/test/rails/${rail}/faults`, { kind, next_n: 1, ...extra });

describe('a payout', () => {
  it('is held, accepted and paid; its fee goes to fees', async () => {
    const payer = await newPayer(harness.test);
    const before = {
      clearing: await ownBalance(harness, payer.wallet, 'rail.clearing:ach'),
      fees: await ownBalance(harness, payer.wallet, 'fees'),
    };
    const payout = await newPayout(harness.test, payer, { description: 'Rent' });
    expect(payout).toMatchObject({
      status: 'pending',
      amount: '100.00',
      fee: '0.25',
      rail: 'ach',
      destination: { type: 'bank', ref: payer.bank?.id },
    });
    expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '899.75', held: '100.25' });
    expect(await readTransfer(harness.test, payout)).toMatchObject({
      type: 'internal',
      status: 'pending',
      amount: '100.00',
      fee: { amount: '0.25', currency: 'USD' },
      hold: { amount: '100.25' },
      payout_id: payout.id,
      destination: { type: 'bank', ref: payer.bank?.id },
      description: 'Rent',
    });

    await harness.runDue();
    const confirmed = await readPayout(harness.test, payout);
    const expectedAt = new Date(harness.clock.now().getTime() + 86_400_000).toISOString();
    expect(confirmed).toMatchObject({
      status: 'confirmed',
      expected_at: expectedAt,
      rail_reference: expect.stringMatching(/^po[0-9a-f]{32}$/),
    });
    expect((await readTransfer(harness.test, payout)).status).toBe('processing');

    await harness.advance(86_400);
    expect(await readPayout(harness.test, payout)).toMatchObject({ status: 'complete', completed_at: harness.clock.now().toISOString() });
    expect(await readTransfer(harness.test, payout)).toMatchObject({ status: 'completed', refunded_amount: '0.00' });
    expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '899.75', held: '0.00' });
    expect((await ownBalance(harness, payer.wallet, 'rail.clearing:ach')) - before.clearing).toBe(10_000n);
    expect((await ownBalance(harness, payer.wallet, 'fees')) - before.fees).toBe(25n);
    expect(await toldOf(harness, payout)).toEqual({
      payout: ['settlement.initiated', 'settlement.processing', 'settlement.completed'],
      transfer: ['transfer.created', 'transfer.completed'],
    });
    const { orders, statement } = await booksOf(harness, payout);
    expect(orders).toHaveLength(1);
    expect(statement).toMatchObject([{ direction: 'debit', amount: 10_000n, currency: 'USD' }]);
  });

  it('leaves one operation, with what the rail took as its cost', async () => {
    const payer = await newPayer(harness.test, 'spei');
    const payout = await newPayout(harness.test, payer);
    await harness.runDue();
    await harness.advance(30);
    const subjectId = payout.id.slice(3);
    const where = { subjectId: { in: [subjectId, payout.transfer_id] } };
    const operations = await harness.platform.database.unscoped.operation.findMany({ where });
    expect(operations).toMatchObject([
      { category: 'payout', operation: 'payout.completed', success: true, amount: 10_300n, currency: 'MXN', subjectId },
    ]);
    expect(operations[0]?.externalCostUsd).toBeGreaterThan(0n);
  });

  it.each([
    ['wire', '15.00', 3_600],
    ['sepa', '0.20', 14_400],
    ['pix', '0.00', 10],
    ['spei', '3.00', 30],
    ['usdc-base', '0.01', 15],
  ])('takes the time and the fee of %s', async (rail, fee, seconds) => {
    const payout = await newPayout(harness.test, await newPayer(harness.test, rail));
    expect(payout).toMatchObject({ rail, fee });
    await harness.runDue();
    await harness.advance(seconds - 1);
    expect((await readPayout(harness.test, payout)).status).toBe('confirmed');
    await harness.advance(1);
    expect((await readPayout(harness.test, payout)).status).toBe('complete');
  });

  it('of another currency is paid at the rate of its quote, which contains both fees', async () => {
    await setHalfRate(harness.test);
    const [payer, abroad] = [await newPayer(harness.test), await newPayer(harness.test, 'sepa', undefined)];
    const quote = await harness.test.make('/v1/quotes', {
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: '100.00',
      amount_side: 'send',
      rail: 'sepa',
    });
    // 0.50 for the change, and 0.20 EUR, which is 0.40 USD.
    expect(quote).toMatchObject({ rail: 'sepa', fee: { amount: '0.90', currency: 'USD' }, receive_amount: '49.55' });
    const destination = { type: 'bank', ref: abroad.bank?.id };
    const body = { type: 'cross_border', from_wallet_id: payer.wallet.id, destination, quote_id: quote.id };
    const transfer = await harness.test.make('/v1/transfers', body);
    expect(transfer).toMatchObject({
      status: 'pending',
      amount: '100.00',
      hold: { amount: '100.00' },
      destination_amount: '49.55',
      payout_id: expect.stringMatching(/^po_/),
    });
    const payout = await readPayout(harness.test, { id: transfer.payout_id });
    expect(payout).toMatchObject({ amount: '49.55', currency: 'EUR', fee: '0.20', rail: 'sepa' });
    await harness.runDue();
    await harness.advance(14_400);
    expect((await readPayout(harness.test, payout)).status).toBe('complete');
    expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '900.00', held: '0.00' });
    await harness.test.make(`/v1/test/payouts/${payout.id}/return`, {});
    expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '999.10' });
    expect(await readTransfer(harness.test, payout)).toMatchObject({ status: 'completed', refunded_amount: '99.10' });
  });

  it('that is rejected fails, and everything comes back', async () => {
    const payer = await newPayer(harness.test);
    await fault('ach', 'reject');
    const payout = await newPayout(harness.test, payer);
    await harness.runDue();
    await harness.advance(86_400);
    const failed = await readPayout(harness.test, payout);
    expect(failed).toMatchObject({
      status: 'failed',
      return: { code: expect.stringMatching(/^R0[123]$/) },
      error_code: expect.any(String),
    });
    expect(await readTransfer(harness.test, payout)).toMatchObject({ status: 'failed', failure: { code: failed.error_code } });
    expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
    expect(await toldOf(harness, payout)).toEqual({
      payout: ['settlement.initiated', 'settlement.processing', 'settlement.failed'],
      transfer: ['transfer.created', 'transfer.failed'],
    });
    expect((await booksOf(harness, payout)).statement).toEqual([]);
  });

  it('that comes back after it was paid is refunded but for its fee', async () => {
    const payer = await newPayer(harness.test);
    await fault('ach', 'return');
    const payout = await newPayout(harness.test, payer);
    await harness.runDue();
    await harness.advance(86_400);
    expect((await readPayout(harness.test, payout)).status).toBe('complete');
    await harness.advance(86_400);
    expect(await readPayout(harness.test, payout)).toMatchObject({ status: 'returned', return: { reason: expect.any(String) } });
    expect(await readTransfer(harness.test, payout)).toMatchObject({ status: 'completed', refunded_amount: '100.00' });
    expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '999.75', held: '0.00' });
    expect(await toldOf(harness, payout)).toEqual({
      payout: ['settlement.initiated', 'settlement.processing', 'settlement.completed', 'settlement.returned'],
      transfer: ['transfer.created', 'transfer.completed', 'transfer.refunded'],
    });
    expect((await booksOf(harness, payout)).statement.map(({ direction }) => direction)).toEqual(['debit', 'credit']);
  });

  it('that comes back before it was paid has failed, and its fee is kept', async () => {
    const payer = await newPayer(harness.test);
    const payout = await newPayout(harness.test, payer);
    await harness.runDue();
    await harness.test.make(`/v1/test/payouts/${payout.id}/return`, { code: 'R03' });
    expect(await readPayout(harness.test, payout)).toMatchObject({
      status: 'returned',
      error_code: 'no_account',
      return: { code: 'R03', reason: 'no account' },
    });
    expect(await readTransfer(harness.test, payout)).toMatchObject({ status: 'failed', failure: { code: 'no_account' } });
    expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '999.75', held: '0.00' });
    await harness.advance(200_000);
    expect((await readPayout(harness.test, payout)).status).toBe('returned');
  });

  it('that comes back to a wallet that was closed leaves its money in clearing', async () => {
    const payer = await newPayer(harness.test, 'pix', '100.00');
    const payout = await newPayout(harness.test, payer);
    const before = await ownBalance(harness, payer.wallet, 'rail.clearing:pix');
    await harness.runDue();
    await harness.advance(10);
    expect((await harness.test.post(`/v1/wallets/${payer.wallet.id}/close`, {})).status).toBe(200);
    expect(await harness.test.make(`/v1/test/payouts/${payout.id}/return`, {})).toMatchObject({ status: 'returned' });
    expect((await ownBalance(harness, payer.wallet, 'rail.clearing:pix')) - before).toBe(10_000n);
    expect(await readTransfer(harness.test, payout)).toMatchObject({ status: 'completed', refunded_amount: '0.00' });
  });

  it('keeps its wallet and its bank account from being closed', async () => {
    const payer = await newPayer(harness.test, 'ach', '100.25');
    const payout = await newPayout(harness.test, payer);
    const open = [{ type: 'payout', id: payout.id }];
    expect((await harness.test.post(`/v1/wallets/${payer.wallet.id}/close`, {})).body).toMatchObject({
      code: 'state_conflict',
      details: { open },
    });
    expect((await harness.test.delete(`/v1/bank-accounts/${payer.bank?.id}`)).body).toMatchObject({
      code: 'state_conflict',
      details: { open },
    });
  });
});
