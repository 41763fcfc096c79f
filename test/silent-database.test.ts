// A database that hangs: it takes connections and statements and never answers. Requests fail within seconds, new ones at once, and all
// goes on when it answers again. A process with more work than it can hold refuses the rest before it has begun (ARCHITECTURE.md 12).
import { randomUUID } from 'node:crypto';
import { availableParallelism, loadavg } from 'node:os';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { release } from '../src/platform/postgres/migration-file.js';
import { admin } from './database.js';
import { type Answer, Client, openWallet, useHarness } from './harness.js';
import { eachOf } from './hostile.js';
import { TcpProxy } from './proxy.js';

vi.setConfig({ testTimeout: 60_000 });
const mostInFlight = 40;
let databaseUrl: string;
let proxy: TcpProxy;
const h = useHarness({
  mostInFlight,
  route: async (url) => {
    databaseUrl = url;
    proxy = await TcpProxy.open(url);
    return proxy.url;
  },
});
let wallets: { from: string; to: string };

beforeAll(async () => {
  const { account, wallet } = await openWallet(h.test, { funded: '100000.00' });
  const to = await h.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
  wallets = { from: wallet.id, to: to.id };
});
afterEach(async () => {
  proxy.heal();
  await expect.poll(async () => (await h.test.get('/v1/accounts')).status, { interval: 50, timeout: 15_000 }).toBe(200);
});
afterAll(() => proxy.close());

const pay = (marker: string) =>
  h.test.post('/v1/transfers', {
    type: 'internal',
    from_wallet_id: wallets.from,
    to_wallet_id: wallets.to,
    amount: '1.00',
    currency: 'USD',
    metadata: { marker },
  });
const open = (name: string) => h.test.post('/v1/accounts', { type: 'business', name });
const transfersWith = (marker: string) =>
  h.platform.database.unscoped.transfer.count({ where: { metadata: { path: ['marker'], equals: marker } } });
const accountsNamed = (name: string) => h.platform.database.unscoped.account.count({ where: { name } });
const retryOf = ({ body }: Answer) => (body.errors?.[0]?.extensions ?? body).details.retry;
const codeOf = ({ body }: Answer) => (body.errors?.[0]?.extensions ?? body).code;
const times = (count: number) => Array.from({ length: count }, (_, n) => n);

/** How many connections the pool has opened. */
/** The connections of the process's pools. */
const ofPools = `agent-payments ${release}`;
const connected = () => proxy.accepted.filter((application) => application === ofPools).length;
/** How many probes have been sent. */
const probed = () => proxy.accepted.filter((application) => application === 'probe').length;

/** On a machine that has more to do than it can, the clock on the wall says little. */
const patienceMs = () => ((loadavg()[0] ?? 0) > availableParallelism() ? 15_000 : 5_000);

describe('a database that hangs', () => {
  it('answers 503 within 5 s, says what is known, and is refused at once from then on', async ({ annotate }) => {
    const markers = times(6).map(() => randomUUID());
    proxy.stall();
    const began = performance.now();
    const answers = await Promise.all([
      ...markers.slice(0, 3).map(pay),
      ...markers.slice(3).map(open),
      h.test.get('/v1/wallets'),
      h.test.graphql('{ wallets { nodes { id } } }'),
    ]);
    const took = performance.now() - began;
    await annotate(`answered after ${Math.round(took)} ms`);
    expect(took).toBeLessThan(patienceMs());
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
    expect(answers.map(codeOf)).toEqual(answers.map(() => 'dependency_unavailable'));
    for (const { headers } of answers) expect(headers.get('retry-after')).toBe('1');
    for (const read of answers.slice(-2)) expect(retryOf(read).safe).toBe(true);

    const before = connected();
    const refused = await Promise.all([...times(20).map(() => open('refused')), h.test.get('/v1/wallets')]);
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 503));
    expect(refused.map((answer) => retryOf(answer).safe)).toEqual(refused.map(() => true));
    // None of them tried the database.
    expect(connected()).toBe(before);
    expect((await fetch(`${h.test.url}/health`)).status).toBe(200);
    expect((await fetch(`${h.test.url}/ready`)).status).toBe(503);

    proxy.heal();
    await expect.poll(async () => (await h.test.get('/v1/wallets')).status, { interval: 50, timeout: 15_000 }).toBe(200);
    expect(await accountsNamed('refused')).toBe(0);
    for (const [n, marker] of markers.entries()) {
      const made = (await transfersWith(marker)) + (await accountsNamed(marker));
      expect(made, JSON.stringify(answers[n]?.body)).toBeLessThanOrEqual(retryOf(answers[n] as Answer).safe ? 0 : 1);
    }
    expect((await pay(randomUUID())).status).toBe(201);
  });

  it('that hangs while nothing is connected: no request waits for more than a connection', async () => {
    // The pool is emptied by cutting its connections.
    proxy.onSent = ({ application }) => (application === ofPools ? 'before' : undefined);
    await eachOf(times(20), async () => void (await h.test.get('/v1/accounts')), 12);
    proxy.onSent = () => undefined;
    proxy.stall();
    const began = performance.now();
    const answers = await Promise.all([open('unconnected'), h.test.get('/v1/wallets')]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    expect(answers.map((answer) => retryOf(answer).safe)).toEqual([true, true]);
    expect(performance.now() - began).toBeLessThan(patienceMs());
    proxy.heal();
    await expect.poll(async () => (await h.test.get('/v1/wallets')).status, { interval: 50, timeout: 15_000 }).toBe(200);
    expect(await accountsNamed('unconnected')).toBe(0);
  });

  it('is told from a statement that is slow: that one goes on', async () => {
    const { account } = await openWallet(h.test);
    const holder = new pg.Client({ connectionString: databaseUrl });
    await holder.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [account.id]);
      const probes = probed();
      const blocked = h.test.patch(`/v1/accounts/${account.id}`, { name: 'Locked' });
      // Nothing else is asked meanwhile, so the database says nothing to anybody but the probes.
      await expect.poll(probed, { interval: 50, timeout: 20_000 }).toBeGreaterThan(probes + 1);
      await holder.query('COMMIT');
      expect((await blocked).status).toBe(200);
    } finally {
      await holder.end();
    }
  });

  it('is told from connections that have died without a word: a statement on one fails within 5 s', async () => {
    const marker = randomUUID();
    proxy.freeze(ofPools);
    const began = performance.now();
    const answer = await pay(marker);
    expect(performance.now() - began).toBeLessThan(patienceMs());
    expect([answer.status, codeOf(answer)]).toEqual([503, 'dependency_unavailable']);
    await expect.poll(async () => (await h.test.get('/v1/wallets')).status, { interval: 50, timeout: 30_000 }).toBe(200);
    expect(await transfersWith(marker)).toBe(0);
  });
});

describe('a process with too much to do', () => {
  it('refuses what comes beyond what it holds, before it has begun', async () => {
    proxy.stall();
    const held = times(mostInFlight).map(() => open('held'));
    // A request that is refused shows that the others have arrived.
    await expect.poll(async () => codeOf(await open('refused')), { interval: 5, timeout: 20_000 }).toBe('overloaded');
    const refused = await Promise.all([open('refused'), pay('refused'), h.test.graphql('{ wallets { nodes { id } } }')]);
    for (const answer of refused) {
      expect([answer.status, codeOf(answer)]).toEqual([503, 'overloaded']);
      expect(retryOf(answer)).toEqual({ safe: true, same_key: true, after_s: 1 });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect((await fetch(`${h.test.url}/health`)).status).toBe(200);
    proxy.heal();
    const answers = await Promise.all(held);
    await expect.poll(async () => (await h.test.get('/v1/accounts')).status, { interval: 50, timeout: 15_000 }).toBe(200);
    expect(await accountsNamed('refused')).toBe(0);
    expect(await transfersWith('refused')).toBe(0);
    expect(await accountsNamed('held')).toBe(answers.filter(({ status }) => status === 201).length);
  });

  it('serves a crowd as far as it can: each answer is true', async ({ annotate }) => {
    const markers = times(200).map(() => randomUUID());
    const answers = await Promise.all(markers.map(pay));
    const paid = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status === 503);
    await annotate(`${paid.length} paid, ${refused.length} refused`);
    expect(paid.length + refused.length).toBe(markers.length);
    expect(paid.length).toBeGreaterThanOrEqual(mostInFlight);
    expect(refused.map((answer) => retryOf(answer).safe)).toEqual(refused.map(() => true));
    const { rows } = await h.platform.database.pool.query(
      `SELECT metadata->>'marker' AS marker FROM transfer WHERE metadata->>'marker' = ANY ($1)`,
      [markers],
    );
    const made = rows.map(({ marker }: { marker: string }) => marker).sort();
    expect(made).toEqual(markers.filter((_, n) => answers[n]?.status === 201).sort());
  });
});

describe('a listener that falls silent', () => {
  it('a credential that is revoked meanwhile is refused within seconds', async ({ annotate }) => {
    const { id, key } = await h.test.make('/v1/api-keys', { name: 'Short-lived' });
    const client = new Client(h.test.url, key);
    expect((await client.get('/v1/me')).status).toBe(200);
    proxy.stall((application) => application === 'cache');
    await admin(databaseUrl, `UPDATE api_key SET revoked_at = '${h.clock.now().toISOString()}' WHERE id = '${id.replace('key_', '')}'`);
    const began = performance.now();
    await expect.poll(async () => (await client.get('/v1/me')).status, { interval: 20, timeout: 15_000 }).toBe(401);
    await annotate(`refused after ${Math.round(performance.now() - began)} ms`);
    expect((await h.test.get('/v1/me')).status).toBe(200);
  });
});
