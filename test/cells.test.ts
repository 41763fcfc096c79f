// Two cells, each a database of its own: tenants live in one of them and are found there by what they show. What happens to one cell does
// not happen to the other.
import { availableParallelism, loadavg } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkDirectory } from '../src/cli/cell.js';
import { loadConfig } from '../src/config.js';
import { sweepPending } from '../src/contexts/identity/place.js';
import { createTenant } from '../src/contexts/identity/tenant.js';
import { manifest } from '../src/contexts.js';
import { migrateOthers } from '../src/platform/cell/every-cell.js';
import type { Platform } from '../src/platform/ctx.js';
import { createLogger } from '../src/platform/log.js';
import { startServer } from '../src/server.js';
import { work } from '../src/worker.js';
import { addCell } from './cells.js';
import { countQueries, enrol, signIn } from './contexts/agents/identity.js';
import { transferBody, twoWallets } from './factories/payment.js';
import { newEndpoint } from './factories/x402.js';
import { Client, type Json, useHarness } from './harness.js';
import type { NewDatabase } from './new-database.js';
import { TcpProxy } from './proxy.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let directoryProxy: TcpProxy;
let cellProxy: TcpProxy;
let database: NewDatabase;
let second: Platform;
let ofOneCell: number[];
/** A tenant of the second cell. */
let there: Client;
const h = useHarness({
  mostInFlight: 100,
  route: async (url) => {
    directoryProxy = await TcpProxy.open(url);
    return directoryProxy.url;
  },
});

/** Statements of a transfer and of a read, by a tenant that is known. */
async function statementsOf(platform: Platform, client: Client): Promise<number[]> {
  const { from, to } = await twoWallets(client, { funded: '10.00' });
  const transfer = async () => void (await client.make('/v1/transfers', transferBody(from, to, '1.00')));
  const read = async () => void (await client.get(`/v1/wallets/${from.id}`));
  for (const known of [transfer, read]) await known();
  return [await countQueries(platform, transfer), await countQueries(platform, read)];
}

beforeAll(async () => {
  ofOneCell = await statementsOf(h.platform, h.test);
  const added = await addCell(h.platform, 'second', async (url) => {
    cellProxy = await TcpProxy.open(url);
    return cellProxy.url;
  });
  ({ platform: second, database } = added);
  const { testKey } = await createTenant(second, { name: 'There' });
  there = new Client(h.test.url, testKey);
});
afterEach(async () => {
  cellProxy.heal();
  directoryProxy.heal();
  const ready = async () => (await Promise.all([h.test, there].map((client) => client.get('/v1/accounts')))).map(({ status }) => status);
  await expect.poll(ready, { interval: 50, timeout: 30_000 }).toEqual([200, 200]);
});
afterAll(async () => {
  await cellProxy.close();
  await directoryProxy.close();
});
// Registered after the harness, so it runs before the platform stops; the database is dropped by force.
afterAll(() => database.drop());

/** On a machine that has more to do than it can, the clock on the wall says little. */
const patienceMs = () => ((loadavg()[0] ?? 0) > availableParallelism() ? 10_000 : 2_000);

const accountsIn = ({ database: { unscoped } }: Platform, name: string) => unscoped.account.count({ where: { name } });

describe('a tenant of another cell', () => {
  it('is served there, by the same address', async () => {
    const account = await there.make('/v1/accounts', { type: 'business', name: 'Only there' });
    expect((await there.get(`/v1/accounts/${account.id}`)).body.data.name).toBe('Only there');
    expect(await accountsIn(second, 'Only there')).toBe(1);
    expect(await accountsIn(h.platform, 'Only there')).toBe(0);
    expect((await h.test.get(`/v1/accounts/${account.id}`)).status).toBe(404);
  });

  it('pays, and gets the same answer for the same key', async () => {
    const { from, to } = await twoWallets(there, { funded: '10.00' });
    const headers = { 'Idempotency-Key': 'once' };
    const first = await there.post('/v1/transfers', transferBody(from, to, '4.00'), { headers });
    expect(first.status).toBe(201);
    const again = await there.post('/v1/transfers', transferBody(from, to, '4.00'), { headers });
    expect(again.body).toEqual(first.body);
    await work(second, manifest);
    const { rows } = await second.database.pool.query('SELECT FROM publication');
    expect(rows.length).toBeGreaterThan(0);
    expect((await second.database.pool.query('SELECT FROM outbox')).rows).toEqual([]);
  });

  it('costs no query more once it is known', async () => {
    await there.get('/v1/accounts');
    expect(await countQueries(h.platform, async () => void (await there.get('/v1/accounts')))).toBe(0);
    expect(ofOneCell.every((count) => count > 0)).toBe(true);
    expect(await statementsOf(second, there)).toEqual(ofOneCell);
    expect(await statementsOf(h.platform, h.test)).toEqual(ofOneCell);
  });

  it('makes keys that work at once, everywhere', async () => {
    const { key } = (await there.post('/v1/api-keys', { name: 'Another' })).body.data as Json;
    expect((await there.get('/v1/accounts', { as: key })).status).toBe(200);
    const { token } = await there.make('/v1/auth/session', { api_key: key }, { as: null });
    expect((await there.get('/v1/accounts', { as: token })).status).toBe(200);
  });

  it('has agents that sign in without saying where they are', async () => {
    const agent = await enrol(there);
    const session = await signIn(there, agent);
    expect(session).toHaveLength('sess_'.length + 65);
    expect((await there.get('/v1/me', { as: session })).status).toBe(200);
    expect((await there.get('/v1/me', { as: agent.token })).status).toBe(200);
    const { rows } = await h.platform.database.pool.query("SELECT FROM credential WHERE kind = 'session'");
    expect(rows).toEqual([]);
  });
});

describe('who is nobody', () => {
  it('is answered as before', async () => {
    for (const as of ['pk_test_0123456789abcdef', `sess_${'A'.repeat(65)}`, `sess_${'A'.repeat(43)}`, 'agent_0123'])
      expect((await h.test.get('/v1/accounts', { as })).status).toBe(401);
    const unknown = await h.test.post('/v1/agents/agt_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d/challenge', undefined, { as: null });
    expect(unknown.status).toBe(200);
  });
});

describe('the directory', () => {
  it('confirms what its cell has, and forgets what it never got', async () => {
    const { pool } = h.platform.database;
    const pending = async () =>
      (await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM credential WHERE pending_since IS NOT NULL')).rows[0]?.n;
    const { testKey } = await createTenant(second, { name: 'Kept' });
    const write = vi.spyOn(second.database.unscoped, '$transaction').mockRejectedValueOnce(new Error('killed'));
    await expect(createTenant(second, { name: 'Lost' })).rejects.toThrow('killed');
    write.mockRestore();
    expect(await pending()).toBeGreaterThan(0);
    h.clock.advance(61);
    while ((await sweepPending(second)) > 0);
    expect(await pending()).toBe(0);
    expect(await h.platform.database.unscoped.tenantPlace.count({ where: { pendingSince: { not: null } } })).toBe(0);
    expect((await there.get('/v1/accounts', { as: testKey })).status).toBe(200);
    expect(await checkDirectory(h.platform)).toEqual([]);
  });

  it('names tenants that it does not know', async () => {
    const { tenantId } = await createTenant(second, { name: 'Forgotten' });
    await h.platform.database.unscoped.tenantPlace.delete({ where: { tenantId } });
    expect(await checkDirectory(h.platform)).toEqual([`tenant ${tenantId} is in the cell second, and the directory does not say so`]);
    await h.platform.database.unscoped.tenantPlace.create({ data: { tenantId, cellName: 'second' } });
  });

  it('stops nobody who is known while it is away, and refuses others with 503', async () => {
    const { key } = (await there.post('/v1/api-keys', { name: 'Not shown yet' })).body.data as Json;
    await there.get('/v1/accounts');
    directoryProxy.stall();
    expect((await there.get('/v1/accounts')).status).toBe(200);
    const unknown = await there.get('/v1/accounts', { as: key });
    expect([unknown.status, unknown.body.code]).toEqual([503, 'dependency_unavailable']);
    expect(unknown.headers.get('Retry-After')).toBe('1');
  });
});

describe('a cell that hangs', () => {
  it('is left out of what can be paid for, which names the doors of every cell', async () => {
    const sold = { discoverable: true };
    const [here, far] = [await newEndpoint(h.test, sold), await newEndpoint(there, sold)];
    const listed = async () => {
      for (const { cache } of [h.platform, second]) cache.clear();
      const { status, body } = await h.test.get('/openapi.json', { as: null });
      return [status, [here, far].map(({ id }) => body.paths[`/x402/${id}`] !== undefined)];
    };
    expect(await listed()).toEqual([200, [true, true]]);
    expect((await h.test.get(`/x402/${far.id}/openapi.json`, { as: null })).status).toBe(200);
    cellProxy.stall();
    expect(await listed()).toEqual([200, [true, false]]);
  });

  it('takes nothing from another, and is named by /ready', async () => {
    await Promise.all([h.test.get('/v1/accounts'), there.get('/v1/accounts')]);
    cellProxy.stall();
    const began = performance.now();
    const lost = there.get('/v1/accounts').finally(() => (took = performance.now() - began));
    let took = 0;
    const others = await Promise.all(Array.from({ length: 20 }, () => h.test.post('/v1/accounts', { type: 'business', name: 'Here' })));
    expect(others.every(({ status }) => status === 201)).toBe(true);
    const refused = await lost;
    expect([refused.status, refused.body.code, refused.headers.get('Retry-After')]).toEqual([503, 'dependency_unavailable', '1']);
    expect(took).toBeLessThan(patienceMs());
    expect((await h.test.get('/v1/accounts')).status).toBe(200);
    const ready = await fetch(`${h.test.url}/ready`);
    expect([ready.status, (await ready.json()).checks.database.cells]).toEqual([200, { main: 'ok', second: 'failed' }]);
    expect((await fetch(`${h.test.url}/ready?cell=main`)).status).toBe(200);
    expect((await fetch(`${h.test.url}/ready?cell=second`)).status).toBe(503);
    expect((await fetch(`${h.test.url}/ready?cell=third`)).status).toBe(404);
  });

  it('leaves room in the process for the others, and its own metrics', async () => {
    await Promise.all([h.test.get('/v1/accounts'), there.get('/v1/accounts')]);
    cellProxy.stall();
    const hung = Array.from({ length: 150 }, () => there.get('/v1/accounts'));
    const others = await Promise.all(Array.from({ length: 20 }, () => h.test.post('/v1/accounts', { type: 'business', name: 'Room' })));
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 201));
    const refused = await Promise.all(hung);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    expect(refused.filter(({ body }) => body.code === 'overloaded').length).toBeGreaterThanOrEqual(50);
    h.clock.advance(6);
    const text = await (await fetch(`${h.test.url}/metrics`)).text();
    expect(text).toContain('gauges_read{cell="main",group="outbox"} 1');
    expect(text).toContain('gauges_read{cell="second",group="outbox"} 0');
    expect(text).toMatch(/^outbox_lines\{cell="main"\} \d/m);
    expect(text).not.toMatch(/^outbox_lines\{cell="second"\}/m);
    expect(text).toMatch(/^database_connections\{cell="second",state="open"\} /m);
  });
});

describe('a start', () => {
  it('brings every cell up to date, and says which is away', async () => {
    await second.database.pool.query("DELETE FROM _prisma_migrations WHERE migration_name = '20261206000000_artifacts_and_emails'");
    await second.database.pool.query(
      'DROP TABLE member_place; ALTER TABLE oauth_artifact ADD CONSTRAINT oauth_artifact_workspace_id_connection_id_fkey CHECK (true)',
    );
    const [done] = await migrateOthers(h.platform);
    expect([done?.cell, done?.result?.[0]?.startsWith('20261206')]).toEqual(['second', true]);
    expect(await migrateOthers(h.platform)).toEqual([{ cell: 'second', result: [] }]);
    cellProxy.stall();
    expect((await migrateOthers(h.platform)).map(({ cell, failure }) => [cell, typeof failure])).toEqual([['second', 'string']]);
  });
});

describe('a process of other cells', () => {
  it('says which cell a tenant is in', async () => {
    const { config } = h.platform;
    const env = { SECRETS_KEY: config.secretsKey ?? '', DATABASE_URL: directoryProxy.url, PORT: '0', SANDBOX_PORT: '0', CELLS: 'main' };
    const limited = { ...loadConfig(env), databaseUrl: env.DATABASE_URL, secretsKey: env.SECRETS_KEY };
    const server = await startServer({ config: limited, log: createLogger('fatal'), clock: h.clock, pollMs: 0 });
    try {
      const elsewhere = new Client(server.urls.test ?? '', there.key);
      const answer = await elsewhere.get('/v1/accounts');
      expect([answer.status, answer.body.code, answer.headers.get('X-Cell')]).toEqual([503, 'dependency_unavailable', 'second']);
      expect(answer.body.details.reason).toBe('other_cell');
      expect((await elsewhere.get('/v1/accounts', { as: h.test.key })).status).toBe(200);
    } finally {
      await server.stop();
    }
  });
});
