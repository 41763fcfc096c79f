// `tenant move` in an installation of two cells: callers of the tenant go on at the same address, with the same credentials.
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { moveTenant, type TenantMoveOptions } from '../../../src/cli/tenant-move.js';
import { loadConfig } from '../../../src/config.js';
import { createTenant } from '../../../src/contexts/identity/tenant.js';
import { manifest } from '../../../src/contexts.js';
import { checkLedger } from '../../../src/ledger/trial-balance.js';
import { holdMove } from '../../../src/platform/cell/move/stored-move.js';
import { createLogger } from '../../../src/platform/log.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-server.js';
import { migrate } from '../../../src/platform/postgres/migration.js';
import { parseAnyId } from '../../../src/platform/schema/id.js';
import { type RunningServer, startServer } from '../../../src/server.js';
import { enrol, signIn } from '../../contexts/agents/identity.js';
import { connect } from '../../contexts/agents/stream.js';
import { admin, withDatabase } from '../../database.js';
import { ErrorLog } from '../../error-log.js';
import { Client, type Json, openWallet } from '../../harness.js';
import { isSlow } from '../../slow.js';

let dataDir: string;
let postgres: EmbeddedPostgres;
let server: RunningServer;
const said: string[] = [];
const errors = new ErrorLog();

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'payments-move-'));
  await chmod(dataDir, 0o711);
  const settings = { wal_level: 'logical', max_wal_senders: '10' };
  postgres = await startEmbeddedPostgres({ dataDir, durable: false, settings, notice: () => {} });
  await admin(postgres.url, 'CREATE DATABASE cell_main');
  await migrate(withDatabase(postgres.url, 'cell_main'));
  await admin(postgres.url, 'CREATE DATABASE cell_b TEMPLATE cell_main');
  const [databaseUrl, otherUrl] = ['cell_main', 'cell_b'].map((name) => withDatabase(postgres.url, name)) as [string, string];
  const secretsKey = randomBytes(32).toString('hex');
  const plenty = { RATE_LIMIT_SANDBOX: '1000000', RATE_LIMIT_GENERAL: '1000000', RATE_LIMIT_AUTH: '1000000', WEBHOOK_HOST_RATE: 'none' };
  const config = loadConfig({ DATABASE_URL: databaseUrl, SECRETS_KEY: secretsKey, PORT: '0', SANDBOX_PORT: '0', ...plenty });
  server = await startServer({ config: { ...config, databaseUrl, secretsKey }, log: createLogger('error', errors) });
  const { database, vault, cells } = server.platform;
  const insert = "INSERT INTO cell (name, sealed_url, created_at) VALUES ('b', $1, now())";
  await database.pool.query(insert, [vault.seal(otherUrl, 'cell b')]);
  await vi.waitUntil(() => cells.served.length === 2, { timeout: 20_000 });
}, 120_000);

afterAll(async () => {
  await server.stop();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

afterEach(() => expect(errors.take()).toEqual([]));

function move(tenantId: string, options: Partial<TenantMoveOptions>): Promise<void> {
  const flags = { isDryRun: false, isResumed: false, isAborted: false };
  return moveTenant(server.platform, { tenantId, ...flags, say: (text) => void said.push(text), bar: () => {}, ...options });
}

interface Tenant {
  id: string;
  client: Client;
}

async function openTenant(): Promise<Tenant> {
  const { tenantId, testKey } = await createTenant(server.platform, { name: 'Tenant' });
  return { id: tenantId, client: new Client(server.urls.test ?? '', testKey) };
}

describe('tenant move', () => {
  it('takes a tenant to another cell while it pays, reads and listens: its callers see nothing but a short wait', async () => {
    const { id, client } = await openTenant();
    const [payer, payee] = [await openWallet(client, { funded: '1000.00' }), await openWallet(client)];
    const agent = await enrol(client, { parent_account_id: payee.account.id });
    const session = await signIn(client, agent);
    const body = { type: 'internal', from_wallet_id: payer.wallet.id, to_wallet_id: payee.wallet.id, amount: '0.01', currency: 'USD' };
    const made = new Map<string, Json>();
    let isOver = false;
    let reads = 0;
    const pay = async (worker: number) => {
      for (let n = 0; !isOver; n += 1) {
        const key = `${worker}-${n}`;
        const send = () => client.post('/v1/transfers', body, { headers: { 'Idempotency-Key': key } });
        let answer = await send();
        // Whoever came in the moment of the switch is told to send it again.
        for (; answer.status === 503 && answer.body.details.retry.safe; answer = await send()) await pause(100);
        expect(answer.status, JSON.stringify(answer.body)).toBe(201);
        made.set(key, answer.body.data);
      }
    };
    const read = async () => {
      for (; !isOver; reads += 1) expect((await client.get('/v1/me', { as: session })).status).toBe(200);
    };
    const traffic = Promise.all([pay(1), pay(2), read()]);
    const reader = await connect(client, agent.id, session);
    for (const to of isSlow ? ['b', 'main', 'b'] : ['b']) {
      await move(id, { to });
      const before = made.size;
      await expect.poll(() => made.size, { timeout: 30_000 }).toBeGreaterThan(before + 5);
    }
    isOver = true;
    await traffic;
    expect(said.at(-1)).toContain(`${id} is in b now.`);
    expect(reads).toBeGreaterThan(10);
    void reader;

    // Nothing was paid twice or lost, and a key answers in the other cell as it did in the first.
    const { balance } = (await client.get(`/v1/wallets/${payee.wallet.id}`)).body.data;
    expect(balance.available).toBe((made.size / 100).toFixed(2));
    for (const [key, transfer] of [...made].slice(0, 5)) {
      const again = await client.post('/v1/transfers', body, { headers: { 'Idempotency-Key': key } });
      expect(again.body.data.id).toBe(transfer.id);
    }
    expect((await client.get('/v1/audit-log/verify')).body.data).toMatchObject({ valid: true });
    for (const { database } of server.platform.cells.served) expect(await checkLedger(database, manifest.escrows)).toEqual([]);
    expect(await signIn(client, agent)).toMatch(/^sess_/);
  }, 240_000);

  it('tells a change that was under way to come again, and not that it found nothing', async () => {
    const { id, client } = await openTenant();
    const { wallet } = await openWallet(client);
    const { pool, url } = server.platform.database;
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    const freeze = () => client.post(`/v1/wallets/${wallet.id}/freeze`, {});
    const moving = move(id, { to: 'b' });
    // It compares: neither a table nor a slot waits for a transaction any more.
    const slot = `SELECT FROM pg_replication_slots WHERE slot_name = 'move_${id.replaceAll('-', '')}_target' AND confirmed_flush_lsn IS NOT NULL`;
    await expect.poll(async () => (await pool.query(slot)).rowCount, { interval: 5, timeout: 60_000 }).toBe(1);
    await holder.query('BEGIN');
    await holder.query('SELECT FROM wallet WHERE id = $1 FOR UPDATE', [parseAnyId(wallet.id)]);
    const underWay = freeze();
    const hasLeft = async () => (await pool.query('SELECT FROM moved_workspace WHERE tenant_id = $1', [id])).rowCount;
    await expect.poll(hasLeft, { interval: 5 }).toBe(2);
    await holder.query('COMMIT');
    await holder.end();
    expect(await underWay).toMatchObject({ status: 503, body: { code: 'dependency_unavailable', details: { retry: { safe: true } } } });
    await moving;
    expect((await freeze()).body.data.status).toBe('frozen');
  }, 60_000);

  it('says what it would do, and refuses what makes no sense', async () => {
    const { id } = await openTenant();
    await move(id, { to: 'b', isDryRun: true });
    expect(said.at(-1)).toMatch(/is in main: \d+ rows of \d+ tables would be copied to b\./);
    await expect(move(id, { to: 'main' })).rejects.toThrow('is in main already');
    await expect(move(id, { to: 'c' })).rejects.toThrow('there is no cell c');
    await expect(move('00000000-0000-7000-8000-000000000000', { to: 'b' })).rejects.toThrow('no such tenant');
    await expect(move(id, { isResumed: true })).rejects.toThrow('No move of this tenant is under way');
    const { pool } = server.platform.database;
    await pool.query("INSERT INTO tenant_move VALUES ($1, 'main', 'b', 'copying', now(), now())", [id]);
    await expect(move(id, { to: 'b' })).rejects.toThrow('is moving already');
    await move(id, { isAborted: true });
    expect(said.at(-1)).toBe(`${id} stays in main.`);
    const letGo = await holdMove(server.platform.database, id);
    for (const flags of [{ to: 'b' }, { isResumed: true }])
      await expect(move(id, flags)).rejects.toThrow('Another command moves this tenant');
    await letGo();
    await pool.query("UPDATE cell SET state = 'drained' WHERE name = 'b'");
    await expect.poll(() => server.platform.cells.listed.find(({ name }) => name === 'b')?.state).toBe('drained');
    await expect(move(id, { to: 'b' })).rejects.toThrow('takes no tenants');
    await pool.query("UPDATE cell SET state = 'open' WHERE name = 'b'");
  }, 120_000);
});
