// Moving a tenant between two databases of one server, while it pays.
import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.js';
import { createTenant } from '../../../src/contexts/identity/tenant.js';
import { usageListener } from '../../../src/contexts/usage/rollup.sql.js';
import { manifest } from '../../../src/contexts.js';
import { Listening } from '../../../src/events/listener.js';
import { checkLedger } from '../../../src/ledger/trial-balance.js';
import type { MoveEnd } from '../../../src/platform/cell/move/end.js';
import { type MoveStep, TenantMove } from '../../../src/platform/cell/move/move.js';
import { MoveRefused } from '../../../src/platform/cell/move/refused.js';
import { sweepMoved } from '../../../src/platform/cell/move/sweep.js';
import { type MovingTenant, sizeOf } from '../../../src/platform/cell/move/tenant-table.js';
import { createLogger } from '../../../src/platform/log.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-server.js';
import { migrate } from '../../../src/platform/postgres/migration.js';
import { type RunningServer, startServer } from '../../../src/server.js';
import { admin, withDatabase } from '../../database.js';
import { ErrorLog } from '../../error-log.js';
import { type Answer, Client, type Json, openWallet } from '../../harness.js';
import { isSlow } from '../../slow.js';
import { TestRecord } from './test-record.js';

interface Cell {
  end: MoveEnd;
  server: RunningServer;
}

let dataDir: string;
let postgres: EmbeddedPostgres;
const cells: Record<string, Cell> = {};
const secretsKey = randomBytes(32).toString('hex');
const errors = new ErrorLog();
const late = { ...usageListener, name: 'late' };

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'payments-move-'));
  await chmod(dataDir, 0o711);
  const settings = { wal_level: 'logical', max_wal_senders: '10' };
  postgres = await startEmbeddedPostgres({ dataDir, durable: false, settings, notice: () => {} });
  await admin(postgres.url, 'CREATE DATABASE cell_a');
  await migrate(withDatabase(postgres.url, 'cell_a'));
  await admin(postgres.url, 'CREATE DATABASE cell_b TEMPLATE cell_a');
  for (const name of ['a', 'b']) cells[name] = await openCell(name, withDatabase(postgres.url, `cell_${name}`));
}, 120_000);

afterAll(async () => {
  for (const { server, end } of Object.values(cells)) {
    await server.stop();
    await end.pool.end();
  }
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

afterEach(() => expect(errors.take()).toEqual([]));

async function openCell(name: string, url: string): Promise<Cell> {
  const plenty = { RATE_LIMIT_SANDBOX: '1000000', RATE_LIMIT_GENERAL: '1000000', WEBHOOK_HOST_RATE: 'none' };
  const config = loadConfig({ DATABASE_URL: url, SECRETS_KEY: secretsKey, PORT: '0', SANDBOX_PORT: '0', ...plenty });
  const server = await startServer({ config: { ...config, databaseUrl: url, secretsKey }, log: createLogger('error', errors) });
  const pool = new pg.Pool({ connectionString: url, options: '-c timezone=UTC' });
  // Connections that are idle when the server stops.
  pool.on('error', () => {});
  return { server, end: { name, url, pool, isHome: false } };
}

interface Tenant {
  moving: MovingTenant;
  key: string;
  payer: Json;
  payee: Json;
}

/** A tenant with money, in a cell. */
async function openTenant({ server, end }: Cell): Promise<Tenant> {
  const { tenantId, testKey } = await createTenant(server.platform, { name: 'Tenant' });
  const { rows } = await end.pool.query<{ id: string }>('SELECT id FROM workspace WHERE tenant_id = $1', [tenantId]);
  const client = new Client(server.urls.test ?? '', testKey);
  const [payer, payee] = [await openWallet(client, { funded: '1000.00' }), await openWallet(client)];
  return { moving: { id: tenantId, workspaceIds: rows.map(({ id }) => id) }, key: testKey, payer: payer.wallet, payee: payee.wallet };
}

/** A client of the tenant where it is. Its credentials follow it by hand: nothing here asks a directory. */
async function clientIn({ server, end }: Cell, { key, moving }: Tenant, from: Cell): Promise<Client> {
  const ids = [moving.workspaceIds];
  const { rows } = await from.end.pool.query('SELECT row_to_json(c) AS row FROM credential c WHERE workspace_id = ANY ($1)', ids);
  const insert = 'INSERT INTO credential SELECT * FROM json_populate_record(NULL::credential, $1) ON CONFLICT DO NOTHING';
  for (const { row } of rows) await end.pool.query(insert, [row]);
  return new Client(server.urls.test ?? '', key);
}

const pay = (client: Client, { payer, payee }: Tenant): Promise<Answer> => {
  const body = { type: 'internal', from_wallet_id: payer.id, to_wallet_id: payee.id, amount: '0.01', currency: 'USD' };
  return client.post('/v1/transfers', body);
};

async function balanceOf(client: Client, { payee }: Tenant): Promise<string> {
  return (await client.get(`/v1/wallets/${payee.id}`)).body.data.balance.available;
}

/** Nothing of a tenant's move is left in the server but what guards the rows that it has left; where it is, nothing guards. */
async function expectNoTrace({ end }: Cell, { moving: { id, workspaceIds } }: Tenant): Promise<void> {
  const { rows } = await end.pool.query('SELECT subname FROM pg_subscription UNION ALL SELECT slot_name FROM pg_replication_slots');
  expect(rows).toEqual([]);
  const guards = await end.pool.query('SELECT FROM pg_trigger WHERE starts_with(tgname, $1)', [`moved_${id.replaceAll('-', '')}`]);
  expect(guards.rowCount).toBe(0);
  expect((await end.pool.query('SELECT FROM moved_workspace WHERE workspace_id = ANY ($1)', [workspaceIds])).rowCount).toBe(0);
}

/** A change that no trigger sees. */
const inReplica = (sql: string) => `BEGIN; SET LOCAL session_replication_role = replica; ${sql}; COMMIT`;

/** All of them with SLOW=1, else the one that leaves most behind. */
const stepsOf = (...steps: MoveStep[]): MoveStep[] => (isSlow ? steps : ['switching']);

/** What differs in the target: before rows are compared, or once they are, when the tenant waits. */
const differences: [string, { at: MoveStep; sql: string; names: RegExp }][] = [
  [
    'money is missing',
    { at: 'following', sql: 'UPDATE ledger_account SET balance = balance + 1 WHERE OURS', names: /Balances in b add up to \d+ USD/ },
  ],
  [
    'a row was changed',
    { at: 'following', sql: "UPDATE account SET name = 'Other' WHERE OURS", names: /rows of account \([\w-]{36}, [\w-]{36}/ },
  ],
  [
    'a row is missing',
    { at: 'following', sql: "DELETE FROM transfer WHERE OURS AND type = 'internal'", names: /2 rows of transfer \([\w-]{36}, / },
  ],
  [
    'a row was changed after it was compared',
    { at: 'switching', sql: 'UPDATE ledger_account SET balance = balance + 1 WHERE OURS', names: /rows of ledger_account/ },
  ],
  [
    'a row went missing after it was compared',
    { at: 'switching', sql: 'DELETE FROM keyed_answer WHERE OURS', names: /a row of keyed_answer/ },
  ],
];

describe('a tenant that is moved', () => {
  it('loses nothing that was acknowledged, and nobody else waits', async () => {
    const { a, b } = cells as Record<'a' | 'b', Cell>;
    const [tenant, neighbour] = [await openTenant(a), await openTenant(a)];
    const [client, other] = [tenant, neighbour].map(({ key }) => new Client(a.server.urls.test ?? '', key)) as [Client, Client];
    let [acknowledged, refused, ofNeighbour] = [0, 0, 0];
    let isOver = false;
    const payUntilRefused = async () => {
      while (!isOver) {
        const { status, body } = await pay(client, tenant);
        if (status === 201) acknowledged += 1;
        else {
          expect(body).toMatchObject({ code: 'dependency_unavailable', details: { retry: { safe: true } } });
          refused += 1;
          await pause(20);
        }
      }
    };
    const payBeside = async () => {
      for (; !isOver; ofNeighbour += 1) expect((await pay(other, neighbour)).status).toBe(201);
    };
    const traffic = Promise.all([payUntilRefused(), payUntilRefused(), payUntilRefused(), payBeside()]);
    await expect.poll(() => acknowledged).toBeGreaterThan(20);
    const record = new TestRecord();
    const { copied } = await new TenantMove({ source: a.end, target: b.end, tenant: tenant.moving, record }).run();
    expect(copied?.rows).toBeGreaterThan(100);
    const before = ofNeighbour;
    await expect.poll(() => refused > 3 && ofNeighbour > before + 3).toBe(true);
    isOver = true;
    await traffic;

    const moved = await clientIn(b, tenant, a);
    expect(await balanceOf(moved, tenant)).toBe((acknowledged / 100).toFixed(2));
    expect((await pay(moved, tenant)).status).toBe(201);
    expect((await moved.get('/v1/audit-log/verify')).body.data).toMatchObject({ valid: true });
    for (const { server } of [a, b]) expect(await checkLedger(server.platform.database, manifest.escrows)).toEqual([]);
    await expectNoTrace(b, tenant);
    // A listener that comes late hears nothing, and has not failed.
    for (const id of tenant.moving.workspaceIds) expect(await new Listening(a.server.platform, late).drainWorkspace(id)).toBe(0);
  }, 120_000);

  it('comes back, over what it has left', async () => {
    const { a, b } = cells as Record<'a' | 'b', Cell>;
    const tenant = await openTenant(a);
    const { moving } = tenant;
    const client = new Client(a.server.urls.test ?? '', tenant.key);
    expect((await pay(client, tenant)).status).toBe(201);
    await new TenantMove({ source: a.end, target: b.end, tenant: moving, record: new TestRecord() }).run();
    const away = await clientIn(b, tenant, a);
    expect((await pay(away, tenant)).status).toBe(201);
    await new TenantMove({ source: b.end, target: a.end, tenant: moving, record: new TestRecord() }).run();
    expect(await balanceOf(client, tenant)).toBe('0.02');
    expect((await pay(client, tenant)).status).toBe(201);
    expect((await pay(away, tenant)).status).toBe(503);
    for (const { server } of [a, b]) expect(await checkLedger(server.platform.database, manifest.escrows)).toEqual([]);
  }, 120_000);

  it.each(stepsOf('following', 'switching', 'switched'))(
    'goes on after a crash at %s',
    async (step) => {
      const { a, b } = cells as Record<'a' | 'b', Cell>;
      const tenant = await openTenant(a);
      const record = new TestRecord();
      record.fails = step;
      const parts = { source: a.end, target: b.end, tenant: tenant.moving, record };
      await expect(new TenantMove(parts).run()).rejects.toThrow('killed');
      record.fails = undefined;
      await new TenantMove(parts).run();
      expect(record.step).toBe('switched');
      expect((await pay(await clientIn(b, tenant, a), tenant)).status).toBe(201);
      await expectNoTrace(b, tenant);
    },
    120_000,
  );

  it.each(stepsOf('copying', 'following', 'switching', 'switched'))(
    'stays when the move is given up after a crash at %s',
    async (step) => {
      const { a, b } = cells as Record<'a' | 'b', Cell>;
      const tenant = await openTenant(a);
      const record = new TestRecord();
      record.fails = step;
      const parts = { source: a.end, target: b.end, tenant: tenant.moving, record };
      await expect(new TenantMove(parts).run()).rejects.toThrow('killed');
      await new TenantMove(parts).abort();
      expect((await pay(new Client(a.server.urls.test ?? '', tenant.key), tenant)).status).toBe(201);
      const { rowCount } = await b.end.pool.query('SELECT FROM ledger_account WHERE workspace_id = ANY ($1)', [tenant.moving.workspaceIds]);
      expect(rowCount).toBe(0);
      await expectNoTrace(b, tenant);
    },
    120_000,
  );

  it('leaves nothing in the cell a day later, and what was queued there kept nobody waiting', async () => {
    const { a, b } = cells as Record<'a' | 'b', Cell>;
    const [tenant, neighbour] = [await openTenant(a), await openTenant(a)];
    const { workspaceIds: ids } = tenant.moving;
    await new TenantMove({ source: a.end, target: b.end, tenant: tenant.moving, record: new TestRecord() }).run();
    // More lines than a step of the publisher takes, as a tenant leaves them whose events were behind.
    await a.end.pool.query(
      `BEGIN; SET LOCAL session_replication_role = replica;
       INSERT INTO outbox (workspace_id, id, event_ids) SELECT '${ids[0]}', last_value + n, ARRAY[gen_random_uuid()] FROM outbox_id_seq, generate_series(1, 1200) n;
       SELECT setval('outbox_id_seq', (SELECT max(id) FROM outbox)); COMMIT`,
    );
    const client = new Client(a.server.urls.test ?? '', neighbour.key);
    expect((await pay(client, neighbour)).status).toBe(201);
    const waits = 'SELECT count(*)::int AS n FROM outbox WHERE workspace_id = ANY ($1)';
    const waiting = async ({ moving }: Tenant) => (await a.end.pool.query(waits, [moving.workspaceIds])).rows[0].n;
    await expect.poll(() => waiting(neighbour), { timeout: 10_000 }).toBe(0);
    expect(await waiting(tenant)).toBe(1200);

    await a.end.pool.query("UPDATE moved_workspace SET moved_at = moved_at - interval '25 hours' WHERE workspace_id = ANY ($1)", [ids]);
    while ((await sweepMoved(a.server.platform, 1_000)) > 0);
    expect((await sizeOf(a.end.pool, tenant.moving)).rows).toBe(0);
    await expectNoTrace(a, tenant);
    expect((await pay(client, neighbour)).status).toBe(201);
  }, 120_000);

  it.each(differences)(
    'stays where %s, and says which',
    async (_what, { at, sql, names }) => {
      const { a, b } = cells as Record<'a' | 'b', Cell>;
      const tenant = await openTenant(a);
      const client = new Client(a.server.urls.test ?? '', tenant.key);
      expect((await pay(client, tenant)).status).toBe(201);
      const keyed = { headers: { 'Idempotency-Key': randomUUID() } };
      await client.make('/v1/accounts', { type: 'business', name: 'Keyed' }, keyed);
      const ids = tenant.moving.workspaceIds.map((id) => `'${id}'`).join(', ');
      const change = async () => void (await b.end.pool.query(inReplica(sql.replaceAll('OURS', `workspace_id IN (${ids})`))));
      const parts = { source: a.end, target: b.end, tenant: tenant.moving, record: new TestRecord() };
      if (at !== 'switching') {
        parts.record.fails = at;
        await expect(new TenantMove(parts).run()).rejects.toThrow('killed');
        parts.record.fails = undefined;
        await change();
      } else parts.record.whenNoted = async (step) => (step === 'switching' ? change() : undefined);
      const refusal = await new TenantMove(parts).run().catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(MoveRefused);
      expect(String(refusal)).toMatch(names);
      expect((await pay(client, tenant)).status).toBe(201);
      await new TenantMove(parts).abort();
    },
    120_000,
  );
});
