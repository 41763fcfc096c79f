// Payouts that wait for their window, and what its closing does with them (CONTRACT.md 12).
import { afterEach, describe, expect, it } from 'vitest';
import { stepWindow } from '../../../src/contexts/settlement/window/due.js';
import { ownersKey, trip } from '../../factories/approval.js';
import { balanceOf } from '../../factories/payment.js';
import { booksOf, newPayer, newPayout, payoutBody, readPayout } from '../../factories/payout.js';
import { endWindows, newWindow } from '../../factories/window.js';
import { type Json, useHarness } from '../../harness.js';
import { ctxOf } from '../../ledger/wallet-ref.js';

const harness = useHarness();
afterEach(() => endWindows(harness));

const read = (payout: Json) => readPayout(harness.test, payout);
const hourly = { frequency: 'hourly', schedule_utc: undefined };
const hour = 3_600;

/** Payouts of one payer, made one after the other. */
async function payouts(count: number, extra: object = {}): Promise<Json[]> {
  const payer = await newPayer(harness.test, 'ach', '10000.00');
  const made: Json[] = [];
  for (let n = 0; n < count; n += 1) made.push(await newPayout(harness.test, payer, extra));
  return made;
}

describe('a payout', () => {
  it('waits for the closing of its window: pending, held, expected a day after it', async () => {
    const window = await newWindow(harness.test, hourly);
    const payer = await newPayer(harness.test);
    const payout = await newPayout(harness.test, payer);
    const closing = Date.parse(window.next_closing_at);
    const expected = new Date(closing + 86_400_000).toISOString();
    expect(payout).toMatchObject({ status: 'pending', window_id: window.id, expected_at: expected });
    await harness.advance((closing - harness.clock.now().getTime()) / 1000 - 1);
    const before = await read(payout);
    expect(before).toEqual(payout);
    expect(before.rail_reference).toBeUndefined();
    expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ held: '100.25' });
    await harness.advance(1);
    expect(await read(payout)).toMatchObject({
      status: 'confirmed',
      window_id: window.id,
      batch_reference: expect.stringMatching(/^pb[0-9a-f]{32}$/),
      expected_at: expected,
    });
    expect((await booksOf(harness, payout)).orders).toHaveLength(1);
  });

  it('over another rail or in another currency waits for nobody', async () => {
    await newWindow(harness.test, hourly);
    const payout = await newPayout(harness.test, await newPayer(harness.test, 'pix'));
    expect(payout.window_id).toBeUndefined();
    await harness.runDue();
    expect((await read(payout)).status).toBe('confirmed');
  });

  it('of a realtime window goes at once', async () => {
    const window = await newWindow(harness.test, { frequency: 'realtime', schedule_utc: undefined });
    const [payout] = await payouts(1);
    await harness.runDue();
    expect(await read(payout)).toMatchObject({ status: 'confirmed', window_id: window.id, batch_reference: expect.any(String) });
  });

  it('that waits is cancelled, and the closing leaves it alone', async () => {
    await newWindow(harness.test, hourly);
    const [cancelled, kept] = await payouts(2);
    expect((await harness.test.post(`/v1/payouts/${cancelled.id}/cancel`)).status).toBe(200);
    await harness.advance(hour);
    expect(await read(cancelled)).toMatchObject({ status: 'failed', error_code: 'cancelled' });
    expect((await read(cancelled)).batch_reference).toBeUndefined();
    expect((await read(kept)).status).toBe('confirmed');
  });

  it('that waits for an approval joins the window when it is given', async () => {
    const payer = await newPayer(harness.test);
    const agent = await harness.test.make('/v1/agents', { parent_account_id: payer.account.id, name: 'Agent' });
    await trip(harness, agent.id.slice('agt_'.length));
    const asked = await harness.test.post('/v1/payouts', payoutBody(payer, { agent_id: agent.id }), { as: await ownersKey(harness) });
    expect([asked.status, asked.body.data.window_id]).toEqual([202, undefined]);
    const window = await newWindow(harness.test, hourly);
    await harness.test.post(`/v1/approvals/${asked.body.approval.id}/approve`, {});
    await harness.runDue();
    expect(await read(asked.body.data)).toMatchObject({ status: 'pending', window_id: window.id });
    await harness.advance(hour);
    expect((await read(asked.body.data)).status).toBe('confirmed');
  });

  it('as a transfer to a bank account joins it too', async () => {
    const window = await newWindow(harness.test, hourly);
    const payer = await newPayer(harness.test);
    const transfer = await harness.test.make('/v1/transfers', {
      type: 'internal',
      from_wallet_id: payer.wallet.id,
      destination: { type: 'bank', ref: payer.bank?.id },
      amount: '10.00',
      currency: 'USD',
    });
    expect(await read({ id: transfer.payout_id })).toMatchObject({ status: 'pending', window_id: window.id });
  });
});

describe('a closing', () => {
  it('submits what waits together; what comes after it waits for the next one', async () => {
    await newWindow(harness.test, hourly);
    const made = await payouts(3);
    await harness.advance(hour);
    const references = await Promise.all(made.map(async (payout) => (await read(payout)).batch_reference));
    expect(new Set(references).size).toBe(1);
    const [later] = await payouts(1);
    await harness.runDue();
    expect((await read(later)).status).toBe('pending');
    await harness.advance(hour);
    const { status, batch_reference: reference } = await read(later);
    expect([status, references.includes(reference)]).toEqual(['confirmed', false]);
  });

  it('waits for the next one below its least amount', async () => {
    const window = await newWindow(harness.test, { ...hourly, min_batch_amount_cents: 20_000 });
    const [first] = await payouts(1, { amount: '199.99' });
    await harness.advance(hour);
    const next = (await harness.test.get(`/v1/settlement-windows/${window.id}`)).body.data.next_closing_at;
    expect(await read(first)).toMatchObject({ status: 'pending', expected_at: new Date(Date.parse(next) + 86_400_000).toISOString() });
    const [second] = await payouts(1, { amount: '0.01' });
    await harness.advance(hour);
    for (const payout of [first, second]) expect((await read(payout)).status).toBe('confirmed');
  });

  it('counts its least amount in hundredths, also of a currency with more decimals', async () => {
    await newWindow(harness.test, { ...hourly, rail: 'usdc-base', currency: 'USDC', min_batch_amount_cents: 100 });
    const payer = await newPayer(harness.test, 'usdc-base');
    const payout = await newPayout(harness.test, payer, { amount: '0.999999' });
    await harness.advance(hour);
    expect((await read(payout)).status).toBe('pending');
    await newPayout(harness.test, payer, { amount: '0.000001' });
    await harness.advance(hour);
    expect((await read(payout)).status).toBe('confirmed');
  });

  it('is split into groups of its batch size, oldest first, also where the last is below its least amount', async () => {
    const window = await newWindow(harness.test, { ...hourly, max_batch_size: 2, min_batch_amount_cents: 30_000 });
    const made = await payouts(5);
    await harness.advance(hour);
    const read5 = await Promise.all(made.map(read));
    expect(read5.map(({ status }) => status)).toEqual(Array.from(made, () => 'confirmed'));
    const [a, b, c, d, e] = read5.map(({ batch_reference: reference }) => reference);
    expect([a === b, c === d, new Set([a, c, e]).size]).toEqual([true, true, 3]);
    expect((await harness.test.get(`/v1/settlement-windows/${window.id}`)).body.data.next_closing_at).toBeDefined();
  });

  it('that nobody waits for passes', async () => {
    const window = await newWindow(harness.test, hourly);
    await harness.advance(hour);
    const { data } = (await harness.test.get(`/v1/settlement-windows/${window.id}`)).body;
    expect(Date.parse(data.next_closing_at) - Date.parse(window.next_closing_at)).toBe(hour * 1000);
  });

  it('happens once, however many processes take it', async () => {
    const window = await newWindow(harness.test, { ...hourly, max_batch_size: 2 });
    const made = await payouts(4);
    harness.clock.advance(hour);
    const ctx = await ctxOf(harness, harness.test);
    await Promise.all(Array.from({ length: 6 }, () => stepWindow(ctx, window.id)));
    await harness.runDue();
    const references = await Promise.all(made.map(async (payout) => (await read(payout)).batch_reference));
    expect(references.map((reference) => references.filter((other) => other === reference).length)).toEqual([2, 2, 2, 2]);
    for (const payout of made) expect((await booksOf(harness, payout)).orders).toHaveLength(1);
  });

  it('misses nothing of what is paid out while windows close and change', async () => {
    const payer = await newPayer(harness.test, 'ach', '10000.00');
    const window = await newWindow(harness.test, { ...hourly, max_batch_size: 3 });
    const making = Promise.all(Array.from({ length: 20 }, () => newPayout(harness.test, payer, { amount: '1.00' })));
    for (const enabled of [false, true, false]) await harness.test.patch(`/v1/settlement-windows/${window.id}`, { enabled });
    const made = await making;
    await harness.runDue();
    for (const payout of made) expect((await read(payout)).status).toBe('confirmed');
  });
});
