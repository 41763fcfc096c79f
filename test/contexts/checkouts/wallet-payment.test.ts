// The step of a checkout that goes with its posting: what is changed between its reading and its posting, by whom, and what is lost.
import type pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { newShop, type Shop, uuidOf } from '../../factories/checkout.js';
import { balanceOf } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { query } from '../../ledger/wallet-ref.js';

const harness = useHarness();
let holder: pg.PoolClient | undefined;

afterEach(() => end('ROLLBACK'));

/** Opens a transaction beside the platform, which does `sql` first. */
async function hold(sql: string, values: unknown[] = []): Promise<void> {
  holder = await harness.platform.database.pool.connect();
  await holder.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
  await holder.query(sql, values);
}

/** Ends it, and lets go of what it holds. */
async function end(how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  await holder?.query(how);
  holder?.release();
  holder = undefined;
}

/** Backends that wait for a lock. */
const waiting = async (): Promise<{ pid: number }[]> =>
  query(harness, "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");
const someoneWaits = () => expect.poll(async () => (await waiting()).length, { timeout: 60_000 }).toBe(1);

const transfersOf = async (checkout: Json) => query(harness, 'SELECT id FROM transfer WHERE subject_id = $1', [uuidOf(checkout)]);
const received = async ({ merchant }: Shop) => (await balanceOf(harness.test, { id: merchant.settlement_wallet_id })).available;

/** A checkout that is being completed while somebody else has its row. */
async function whileHeld() {
  const shop = await newShop(harness.test);
  const [checkout, other] = [await shop.begin(), await shop.begin()];
  await hold('SELECT FROM checkout WHERE id = $1 FOR UPDATE', [uuidOf(checkout)]);
  const answer = shop.complete(checkout);
  await someoneWaits();
  return { shop, checkout, other, answer };
}

describe('a checkout whose row somebody else has', { timeout: 120_000 }, () => {
  it('holds no other payment up, and is paid when it is let go', async () => {
    const { shop, other, answer } = await whileHeld();
    expect((await shop.complete(other)).status).toBe(200);
    expect(await received(shop)).toBe('27.50');
    await end('ROLLBACK');
    expect(await answer).toMatchObject({ status: 200, body: { data: { status: 'paid' } } });
    expect(await received(shop)).toBe('55.00');
  });

  it('is not paid when it was called off meanwhile', async () => {
    const { shop, checkout, answer } = await whileHeld();
    await holder?.query("UPDATE checkout SET status = 'cancelled', ended_at = now(), due_at = NULL WHERE id = $1", [uuidOf(checkout)]);
    await end('COMMIT');
    expect(await answer).toMatchObject({ status: 409, body: { code: 'state_conflict', details: { current_status: 'cancelled' } } });
    expect(await transfersOf(checkout)).toEqual([]);
    expect(await received(shop)).toBe('0.00');
    expect((await shop.read(checkout)).status).toBe('cancelled');
  });

  it('costs what it comes to by then', async () => {
    const { shop, checkout, answer } = await whileHeld();
    const items = [{ sku: 'POT', quantity: 1, unitPrice: '4000' }];
    await holder?.query('UPDATE checkout SET items = $2, total = 4000 WHERE id = $1', [uuidOf(checkout), JSON.stringify(items)]);
    await end('COMMIT');
    expect(await answer).toMatchObject({ status: 200, body: { data: { status: 'paid', total: '40.00' } } });
    expect(await received(shop)).toBe('40.00');
  });
});

describe('a payment whose statement is lost', { timeout: 120_000 }, () => {
  it('leaves nothing behind, and its key pays once', async () => {
    const shop = await newShop(harness.test);
    const checkout = await shop.begin();
    const key = { headers: { 'Idempotency-Key': 'the-key-of-a-checkout' } };
    await hold('LOCK TABLE transfer IN SHARE MODE');
    const answer = shop.complete(checkout, {}, key);
    await someoneWaits();
    const [backend] = await waiting();
    await query(harness, 'SELECT pg_terminate_backend($1)', [backend?.pid]);
    expect((await answer).status).toBe(503);
    await end('COMMIT');
    expect(await transfersOf(checkout)).toEqual([]);
    expect((await shop.read(checkout)).status).toBe('created');
    const again = await shop.complete(checkout, {}, key);
    expect([again.status, again.body.data.status]).toEqual([200, 'paid']);
    expect((await shop.complete(checkout, {}, key)).body.transfer_id).toBe(again.body.transfer_id);
    expect(await received(shop)).toBe('27.50');
  });
});
