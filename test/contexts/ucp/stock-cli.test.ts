// The stock client of UCP, @shopify/ucp-cli, against the shop that `cli shop` opens: it asks an origin, and speaks MCP alone. `npm ci --prefix
// test/oracles` installs it; without it these tests are skipped.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/platform/log.js';
import { type RunningServer, startServer } from '../../../src/server.js';
import { newSeller } from '../../factories/offer.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { node22, ucpCli } from '../../oracles/installed.js';
import {
  byWallet,
  cartName,
  checkoutName,
  current,
  currentProfile,
  fulfillmentName,
  lookupName,
  orderName,
  ProfileHost,
  profileOf,
  searchName,
  songs,
  version,
} from './talk.js';

const run = promisify(execFile);
const profiles = await ProfileHost.start();
const harness = useHarness({ allowHosts: [profiles.host] });
const isThere = node22 !== undefined && ucpCli !== undefined;
let shop: RunningServer | undefined;
let home: string;
let business: string;
beforeAll(async () => {
  if (!isThere) return;
  const { merchant } = await newSeller(harness.test);
  home = await mkdtemp(path.join(tmpdir(), 'ucp-'));
  const { databaseUrl, secretsKey } = harness.platform.config;
  if (databaseUrl === null || secretsKey === null) throw new Error('the harness has a database and a key of its own');
  const config = { ...harness.platform.config, databaseUrl, secretsKey, role: 'api' as const, metricsPort: null };
  const place = { merchantId: merchant.id, environment: 'test' as const, host: '127.0.0.1', port: 0, platformUrl: harness.test.url };
  shop = await startServer({ config, log: createLogger('fatal'), clock: harness.clock, pollMs: 0, shop: place });
  business = shop.urls.test ?? '';
});
afterAll(async () => {
  await shop?.stop();
  await profiles.stop();
  if (isThere) await rm(home, { recursive: true, force: true });
});

/** Runs the client, as an agent of its own home. Answers its envelope. */
async function ucp(agent: string, ...args: string[]): Promise<Json> {
  const env = { HOME: path.join(home, agent), PATH: process.env['PATH'] ?? '', UCP_TEST_ALLOW_INSECURE_LOCALHOST: 'true' };
  const ran = await run(node22 as string, [ucpCli as string, ...args, '--format', 'json', '--full-output'], { env, cwd: home }).catch(
    (error) => error,
  );
  expect(ran.code ?? 0, `${args.join(' ')}\n${ran.stdout}\n${ran.stderr}`).toBe(0);
  return JSON.parse(ran.stdout);
}

/** What an operation at the shop answers. */
async function at(agent: string, name: string, args: string[], input?: object): Promise<Json> {
  const header = `Authorization: Bearer ${harness.test.key}`;
  const body = input === undefined ? [] : ['--input', JSON.stringify(input)];
  const said = await ucp(agent, ...name.split(' '), ...args, '--business', business, '--header', header, ...body);
  const { data = said } = said;
  return { ...data.result, ucp: data.ucp };
}

describe.skipIf(!isThere)('the stock client of UCP', () => {
  const everything = [checkoutName, fulfillmentName, cartName, orderName, searchName, lookupName];
  const speak = async (spoken: string, profile: Json) => {
    const address = profiles.publish(profile);
    await ucp(spoken, 'profile', 'init', '--name', 'me', '--profile-url', address, '--version', spoken, '--activate');
    return JSON.stringify(await ucp(spoken, 'discover', business));
  };
  const lines = (quantity: number) => songs(quantity, { line_items: [{ id: 'line_1', item: { id: 'song' }, quantity }] });

  it('of 2026-08-25 finds the shop and a song, fills a cart, makes it a checkout, changes that, pays, and reads the order', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '50.00' });
    expect(await speak(current, currentProfile(everything))).toContain('create_cart');
    const { products } = await at(current, 'catalog search', [], { query: 'song' });
    expect(products.map(({ id }: Json) => id)).toEqual(['song']);
    const cart = await at(current, 'cart create', [], songs());
    expect((await at(current, 'cart update', [cart.id], lines(3))).line_items[0].quantity).toBe(3);
    const made = await at(current, 'checkout create', [], { cart_id: cart.id, line_items: [] });
    expect(made).toMatchObject({ ucp: { version: current }, status: 'ready_for_complete', cart_id: cart.id });
    expect(made.line_items[0].quantity).toBe(3);
    expect((await at(current, 'checkout update', [made.id], lines(2))).line_items[0].quantity).toBe(2);
    const paid = await at(current, 'checkout complete', [made.id], byWallet(wallet));
    expect(paid).toMatchObject({ id: made.id, status: 'completed' });
    const order = await at(current, 'order get', [paid.order.id]);
    expect(order).toMatchObject({ id: paid.order.id, checkout_id: made.id, line_items: [{ quantity: { original: 2 } }] });
  }, 120_000);

  it('of 2026-04-08 finds the shop, begins a checkout, changes it, reads it and pays', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '50.00' });
    const found = await speak(version, profileOf());
    expect(found).toContain('create_checkout');
    // That version has no carts here, no catalogue and no orders.
    for (const name of ['create_cart', 'search_catalog', 'get_order']) expect(found).not.toContain(name);
    const made = await at(version, 'checkout create', [], songs());
    expect(made).toMatchObject({ ucp: { version }, status: 'ready_for_complete' });
    expect((await at(version, 'checkout update', [made.id], lines(3))).line_items[0].quantity).toBe(3);
    expect(await at(version, 'checkout get', [made.id])).toMatchObject({ id: made.id, status: 'ready_for_complete' });
    expect(await at(version, 'checkout complete', [made.id], byWallet(wallet))).toMatchObject({ id: made.id, status: 'completed' });
  }, 120_000);
});
