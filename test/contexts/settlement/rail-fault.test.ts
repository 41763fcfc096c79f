// POST, GET and DELETE /v1/test/rails/{rail}/faults, what each fault does to a payout, and results that are forced.
import { afterEach, describe, expect, it } from 'vitest';
import { balanceOf, idsOf } from '../../factories/payment.js';
import { booksOf, newPayer, newPayout, readPayout, readTransfer, toldOf } from '../../factories/payout.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const pathOf = (rail = 'pix') => `/v1/test/rails/${rail}/faults`;
const fault = (kind: string, extra: object = {}, rail = 'pix'): Promise<Json> => harness.test.make(pathOf(rail), { kind, ...extra });
const whole = ['settlement.initiated', 'settlement.processing', 'settlement.completed'];

/** A payout that was submitted. */
async function submitted(extra: object = {}): Promise<Json> {
  const payout = await newPayout(harness.test, await newPayer(harness.test, 'pix'), extra);
  await harness.runDue();
  return readPayout(harness.test, payout);
}
const statusOf = async (payout: Json) => (await readPayout(harness.test, payout)).status;

afterEach(async () => {
  for (const rail of ['pix', 'spei']) await harness.test.delete(pathOf(rail));
});

describe('POST /v1/test/rails/{rail}/faults', () => {
  it('201: the fault, which befalls the next so many orders that match', async () => {
    const match = { amount: '7.00' };
    const made = await fault('reject', { next_n: 2, probability: 1, match });
    const at = harness.clock.now().toISOString();
    expect(made).toEqual({
      id: made.id,
      rail: 'pix',
      kind: 'reject',
      probability: 1,
      remaining: 2,
      applied: 0,
      match_amount: '7.00',
      created_at: at,
    });
    const others = [
      await submitted(),
      await submitted({ amount: '7.00' }),
      await submitted({ amount: '7.00' }),
      await submitted({ amount: '7.00' }),
    ];
    await harness.advance(10);
    expect(await Promise.all(others.map(statusOf))).toEqual(['complete', 'failed', 'failed', 'complete']);
    expect((await harness.test.get(pathOf())).body.data[0]).toMatchObject({ remaining: 0, applied: 2 });
  });

  it('201: by chance, about so many', async () => {
    await fault('reject', { probability: 0.5 });
    const payer = await newPayer(harness.test, 'pix');
    await Promise.all(Array.from({ length: 60 }, () => newPayout(harness.test, payer, { amount: '1.00' })));
    await harness.runDue();
    const { applied } = (await harness.test.get(pathOf())).body.data[0];
    expect(applied).toBeGreaterThan(10);
    expect(applied).toBeLessThan(50);
  });

  it('201: exactly so many, however many orders are booked beside each other', async () => {
    await fault('reject', { next_n: 7 });
    const payers = await Promise.all(Array.from({ length: 4 }, () => newPayer(harness.test, 'pix')));
    await Promise.all(payers.flatMap((payer) => Array.from({ length: 10 }, () => newPayout(harness.test, payer, { amount: '1.00' }))));
    // Two workers at once.
    await Promise.all([harness.runDue(), harness.runDue()]);
    await harness.advance(10);
    const ends = await Promise.all(
      payers.map(async ({ wallet }) => (await harness.test.get(`/v1/payouts?wallet_id=${wallet.id}`)).body.data),
    );
    expect(ends.flat().filter(({ status }: Json) => status === 'failed')).toHaveLength(7);
    expect((await harness.test.get(pathOf())).body.data[0]).toMatchObject({ remaining: 0, applied: 7 });
  });

  it('400: for what is no fault', async () => {
    for (const [extra, member] of [
      [{ kind: 'fire' }, 'kind'],
      [{ probability: 1.5 }, 'probability'],
      [{ next_n: 0 }, 'next_n'],
      [{ match: { amount: '1.001' } }, 'match.amount'],
    ] as const)
      expectInvalid(await harness.test.post(pathOf(), { kind: 'reject', ...extra }), member);
  });

  describe('403', () => {
    it('in production', async () => {
      for (const [method, body] of [['POST', { kind: 'reject' }], ['GET'], ['DELETE']] as const)
        expectRefused(await harness.live.call(method, pathOf(), { body }), 403, 'test_mode_only');
    });
  });

  it('404: for a rail that is none', async () => {
    for (const rail of ['swift', 'card-nobody', 'constructor'])
      expectRefused(await harness.test.post(pathOf(rail), { kind: 'reject' }), 404, 'not_found');
  });
});

describe('GET and DELETE /v1/test/rails/{rail}/faults', () => {
  it('200: the rail’s own, newest first; all are taken at once', async () => {
    const [first, second] = [await fault('latency'), await fault('reject')];
    await fault('reject', {}, 'spei');
    expect(idsOf(await harness.test.get(pathOf()))).toEqual([second.id, first.id]);
    expect(idsOf(await harness.other.get(pathOf()))).toEqual([]);
    expect((await harness.test.delete(pathOf())).body).toEqual({ data: { id: 'pix', deleted: true } });
    expect(idsOf(await harness.test.get(pathOf()))).toEqual([]);
    expect(idsOf(await harness.test.get(pathOf('spei')))).toHaveLength(1);
  });
});

describe('the fault', () => {
  it('latency: it takes ten times as long', async () => {
    await fault('latency', { next_n: 1 });
    const payout = await submitted();
    await harness.advance(99);
    expect(await statusOf(payout)).toBe('confirmed');
    await harness.advance(1);
    expect(await statusOf(payout)).toBe('complete');
  });

  it('lost_ack: the rail is asked, and nothing is sent again', async () => {
    await fault('lost_ack', { next_n: 1 }, 'ach');
    const payout = await newPayout(harness.test, await newPayer(harness.test));
    await harness.runDue();
    const { rail_reference: reference, status } = await readPayout(harness.test, payout);
    expect([status, reference]).toEqual(['pending', expect.any(String)]);
    await harness.advance(30);
    expect(await readPayout(harness.test, payout)).toMatchObject({ status: 'confirmed', rail_reference: reference });
    // Nobody says that it has settled; the rail is asked a minute after it was expected.
    await harness.advance(86_400);
    expect(await statusOf(payout)).toBe('confirmed');
    await harness.advance(60);
    expect(await statusOf(payout)).toBe('complete');
    expect((await booksOf(harness, payout)).orders).toHaveLength(1);
    expect((await toldOf(harness, payout)).payout).toEqual(whole);
  });

  it('lost_ack of a payment that comes back: it was complete, and was returned', async () => {
    await fault('lost_ack', { next_n: 1 });
    await fault('return', { next_n: 1 });
    const payout = await submitted();
    // Nobody asks in time: the first that is heard is the return.
    await harness.platform.database.pool.query('UPDATE payout SET due_at = NULL WHERE id = $1', [payout.id.slice(3)]);
    await harness.advance(10);
    await harness.advance(10);
    expect(await statusOf(payout)).toBe('returned');
    expect((await toldOf(harness, payout)).payout).toEqual([...whole, 'settlement.returned']);
    expect((await booksOf(harness, payout)).statement.map(({ direction }) => direction)).toEqual(['debit', 'credit']);
    expect(await readTransfer(harness.test, payout)).toMatchObject({ status: 'completed', refunded_amount: payout.amount });
  });

  it('out_of_order and duplicate_callback: each step is taken once', async () => {
    await fault('out_of_order', { next_n: 1 });
    await fault('duplicate_callback', { next_n: 1 });
    const payout = await submitted();
    expect(payout.status).toBe('pending');
    await harness.advance(10);
    expect(await statusOf(payout)).toBe('complete');
    expect((await toldOf(harness, payout)).payout).toEqual(whole);
  });

  it('amount_mismatch: the statement differs, the payout does not', async () => {
    await fault('amount_mismatch', { next_n: 1 });
    const payout = await submitted();
    await harness.advance(10);
    expect(await readPayout(harness.test, payout)).toMatchObject({ status: 'complete', amount: '100.00' });
    expect((await booksOf(harness, payout)).statement).toMatchObject([{ amount: 10_001n }]);
  });
});

describe('POST /v1/test/transfers/{id}/settle', () => {
  const settle = (payout: Json, body: object) => harness.test.post(`/v1/test/transfers/${payout.transfer_id}/settle`, body);

  it('200: settled or rejected now, and not again', async () => {
    const [paid, refused] = [await submitted(), await submitted()];
    expect((await settle(paid, { outcome: 'settled' })).body.data).toMatchObject({ id: paid.transfer_id, status: 'completed' });
    expect((await settle(refused, { outcome: 'rejected', code: 'AB09' })).body.data).toMatchObject({
      status: 'failed',
      failure: { code: 'payee_bank_error' },
    });
    await harness.advance(100);
    expect([await statusOf(paid), await statusOf(refused)]).toEqual(['complete', 'failed']);
    expectRefused(await settle(paid, { outcome: 'rejected' }), 409, 'state_conflict', { current_status: 'complete' });
  });

  it('400, 404, 409: a code without a rejection, no transfer, nothing to settle yet', async () => {
    const fresh = await newPayout(harness.test, await newPayer(harness.test, 'pix'));
    expectRefused(await settle(fresh, { outcome: 'settled' }), 409, 'state_conflict', { retry: { safe: true } });
    expectInvalid(await settle(await submitted(), { outcome: 'settled', code: 'R01' }), 'code');
    expectRefused(await settle({ transfer_id: nowhere }, { outcome: 'settled' }), 404, 'not_found');
    const { from_wallet_id: walletId } = await readTransfer(harness.test, fresh);
    const wrapped = await harness.test.make(`/v1/wallets/${walletId}/wrap`, { amount: '1.00' });
    expectRefused(await settle({ transfer_id: wrapped.id }, { outcome: 'settled' }), 409, 'state_conflict', { terminal: true });
  });
});

describe('POST /v1/test/payouts/{id}/return', () => {
  const comeBack = (id: string, body: object = {}) => harness.test.post(`/v1/test/payouts/${id}/return`, body);

  it('200: a payout that was paid comes back; the second time is 409', async () => {
    const payer = await newPayer(harness.test, 'spei');
    const payout = await newPayout(harness.test, payer);
    await harness.runDue();
    await harness.advance(30);
    expect((await comeBack(payout.id)).body.data).toMatchObject({
      status: 'returned',
      return: { code: '14' },
      error_code: 'missing_information',
    });
    expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '997.00' });
    expectRefused(await comeBack(payout.id), 409, 'state_conflict', { current_status: 'returned' });
  });

  it('200: once for a key', async () => {
    const payout = await submitted();
    const send = () => harness.test.post(`/v1/test/payouts/${payout.id}/return`, {}, { headers: { 'Idempotency-Key': payout.id } });
    expect([(await send()).status, (await send()).headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  });

  it('403 and 404: in production, and for a payout of nobody', async () => {
    expectRefused(await harness.live.post(`/v1/test/payouts/${nowhere}/return`, {}), 403, 'test_mode_only');
    expectRefused(await comeBack(nowhere), 404, 'not_found');
  });
});
