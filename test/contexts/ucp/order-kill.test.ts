// kill -9 around order webhooks, with two processes: between the payment and the webhook, and between its answer and the record of that. Each
// order comes, by one Webhook-Id. And a cart that both processes convert at once, of which one is killed, is one checkout.
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newSeller } from '../../factories/offer.js';
import { Client, type Json, openWallet } from '../../harness.js';
import { type ServerProcess, startServerProcess } from '../../process.js';
import { ServerOnDatabase } from '../../server-database.js';
import { OrderReceiver } from './order-receiver.js';
import { byWallet, songs, Talk } from './talk.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const platform = await OrderReceiver.start();
let server: ServerOnDatabase;
let second: ServerProcess;
let db: pg.Client;
let merchant: Json;
let wallet: Json;
let profile: string;

beforeAll(async () => {
  server = await ServerOnDatabase.start({ WEBHOOK_ALLOW_HOSTS: platform.host });
  second = await startServerProcess(server.env);
  db = await server.connect();
  profile = platform.profileWith(platform.hook('/orders'));
  ({ merchant } = await newSeller(first()));
  ({ wallet } = await openWallet(first(), { funded: '900.00' }));
});
afterAll(async () => {
  if (second?.isRunning) await second.kill('SIGTERM');
  await server?.expectBalanced();
  await server?.stop();
  await platform.stop();
});

/** The process that is killed, and the one that stays. */
const first = () => new Client(server.sandbox.url, server.sandbox.key);
const other = () => new Client(second.test, server.sandbox.key);
const talkTo = (client: Client) => new Talk(client, merchant, profile);

/** Holds up whoever writes to a table, until it is let go. */
async function holdUp(table: string): Promise<() => Promise<unknown>> {
  await db.query('BEGIN');
  await db.query(`LOCK TABLE ${table} IN SHARE MODE`);
  return () => db.query('COMMIT');
}

const waitUntilHeldUp = (table: string) => waitFor(`relation = '${table}'::regclass`);
/** Waits until `atLeast` transactions wait for a lock. */
async function waitFor(lock: string, atLeast = 1): Promise<void> {
  const waiting = async () => (await server.db.query(`SELECT FROM pg_locks WHERE NOT granted AND ${lock}`)).rowCount;
  await expect.poll(waiting, { interval: 20, timeout: 20_000 }).toBeGreaterThanOrEqual(atLeast);
}

/** Buys so often at a process. Returns the ids of the orders. */
async function buy(client: Client, times: number): Promise<string[]> {
  const talk = talkTo(client);
  const orders: string[] = [];
  for (let n = 0; n < times; n += 1) {
    const { id } = await talk.ready(songs());
    const { body } = await talk.complete(id, byWallet(wallet));
    expect(body.status, JSON.stringify(body)).toBe('completed');
    orders.push(body.order.id);
  }
  return orders;
}

/** Waits until all these are delivered, and holds what came to it: one Webhook-Id and the same bytes for each order. */
async function expectEachOnce(orders: readonly string[]): Promise<void> {
  const settled = async () => (await server.db.query('SELECT status, count(*)::int AS count FROM webhook_delivery GROUP BY status')).rows;
  await expect.poll(settled, { interval: 50, timeout: 30_000 }).toEqual([{ status: 'delivered', count: orders.length }]);
  const messages = new Set(platform.received.map(({ headers, text }) => `${headers['webhook-id']} ${text}`));
  const told = [...messages].map((message) => JSON.parse(message.slice(message.indexOf(' '))).id);
  expect(told.sort()).toEqual([...orders].sort());
  expect(new Set(platform.received.map(({ headers }) => headers['webhook-id'])).size).toBe(orders.length);
}

describe('kill -9 of one of two processes', () => {
  const orders: string[] = [];

  it('between the payment of an order and its webhook: the other one sends each, once', async () => {
    const letGo = await holdUp('webhook_delivery');
    orders.push(...(await buy(first(), 8)));
    await waitUntilHeldUp('webhook_delivery');
    await server.crash();
    expect(platform.received).toEqual([]);
    await letGo();
    await expectEachOnce(orders);
    expect(platform.received).toHaveLength(orders.length);
  });

  it('between the answer of a webhook and its record: it is sent again under its Webhook-Id, by the next process', async () => {
    await server.startAgain();
    const before = platform.received.length;
    const letGo = await holdUp('delivery_attempt');
    orders.push(...(await buy(first(), 3)));
    await waitUntilHeldUp('delivery_attempt');
    await expect.poll(() => platform.received.length, { interval: 20, timeout: 20_000 }).toBe(before + 3);
    await server.crash();
    await second.kill('SIGKILL');
    await letGo();
    await server.startAgain();
    second = await startServerProcess(server.env);
    await expectEachOnce(orders);
    expect(platform.received).toHaveLength(before + 6);
  });

  it('while both convert a cart: one checkout, whichever of them is asked', async () => {
    const { body: cart } = await talkTo(other()).createCart(songs());
    const convert = (client: Client) => talkTo(client).create({ cart_id: cart.id, line_items: [] });
    await db.query('BEGIN');
    await db.query('SELECT FROM cart WHERE id = $1 FOR UPDATE', [cart.id.slice('cart_'.length)]);
    const lost = Promise.allSettled([1, 2, 3].map(() => convert(first())));
    const made = [1, 2, 3].map(() => convert(other()));
    await waitFor("locktype IN ('transactionid', 'tuple')", 6);
    await server.crash();
    await db.query('COMMIT');
    const ids = (await Promise.all(made)).map(({ status, body }) => [status, body.id]);
    expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await server.startAgain();
    ids.push(...(await Promise.all([first(), other()].map(convert))).map(({ status, body }) => [status, body.id]));
    expect(new Set(ids.map(String)).size, String(ids)).toBe(1);
    const { rows } = await server.db.query("SELECT id FROM checkout WHERE protocol = 'ucp' AND paid_at IS NULL");
    expect(rows.map(({ id }) => id)).toEqual([ids[0]?.[1].replace(/^\w+_/, '')]);
  });
});
