// The initial migration and the ones that it replaces: a database of before goes on as it is, and has what a new one has.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { migrate } from '../../../src/platform/postgres/migration.js';
import { prismaDir, readMigrations } from '../../../src/platform/postgres/migration-file.js';
import { pendingMigrations } from '../../../src/platform/postgres/migration-history.js';
import { ask } from '../../load.js';
import { type NewDatabase, newDatabase } from '../../new-database.js';
import { buildOnce, type ServerProcess, startServerProcess } from '../../process.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const init = '20261124000000_init';
/** What pg_dump said of a sandbox that the last release of the older migrations had worked on. These are its key and its secret. */
const dump = gunzipSync(readFileSync(new URL('./before-init.sql.gz', import.meta.url))).toString();
const [key, secrets] = ['pk_test_00000000-0000-4000-8000-000000000001', '5'.repeat(64)];

let database: NewDatabase;
let db: pg.Client;

beforeEach(async () => {
  database = await newDatabase({ empty: true });
  const loading = new pg.Client({ connectionString: database.url });
  await loading.connect();
  await loading.query(dump);
  // Its keys lived for a day.
  await loading.query(`UPDATE public.claim SET expires_at = date_trunc('hour', now()) + interval '2 hours' WHERE kind = 'idempotency_key'`);
  await loading.query(`UPDATE public.keyed_answer SET expires_at = date_trunc('hour', now()) + interval '2 hours'`);
  await loading.end();
  db = new pg.Client({ connectionString: database.url });
  await db.connect();
});

afterEach(async () => {
  await db.end();
  await database.drop();
});

/** True for the line of an enum: its name and its values. Options of tables have a `=`. */
const isEnum = (line: string) => /^\w+ \{[^=]+\}$/.test(line);

/**
 * Everything that makes the tables of a database what they are, a line for each. Partitions come and go by the hour,
 * and functions that are retired wait for the next release. */
async function shapeOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(`
    SELECT format('%s.%s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)) AS line
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'c') AND NOT c.relispartition
    UNION ALL SELECT format('%s %s', relname, (SELECT array_agg(o ORDER BY o) FROM unnest(reloptions) o)) FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class c ON c.oid = indrelid
      WHERE relnamespace = 'public'::regnamespace AND NOT relispartition
    UNION ALL SELECT format('%s %s %s', conrelid::regclass, conname, replace(replace(replace(pg_get_constraintdef(pg_constraint.oid), ' NOT VALID', ''), '(', ''), ')', ''))
      FROM pg_constraint JOIN pg_class c ON c.oid = conrelid WHERE connamespace = 'public'::regnamespace AND contype <> 'n' AND NOT relispartition
    UNION ALL SELECT format('%s %s', t.typname, array_agg(e.enumlabel ORDER BY e.enumsortorder))
      FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid GROUP BY t.typname
    UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      AND obj_description(oid, 'pg_proc') NOT LIKE '%retired'
    ORDER BY 1`);
  return rows.map(({ line }) => line);
}

/** Those that later migrations have replaced; events have partitions, and nothing refers to them. */
const replaced =
  /webhook_delivery_workspace_id_event_id_(idx|fkey)|merchant_workspace_id_account_id_id_idx|INDEX event_\w+ ON|^event \{autovacuum|x402_payment_reference/;
/** Wider than it was: a card that was erased has no digits, and a chain takes back what it has settled. */
const widened = /vaulted_card_last_four|x402_payment_settled/;

describe('a database of before the initial migration', () => {
  it('gets the row of its history, once, and is otherwise not touched', async () => {
    const pending = await pendingMigrations(db);
    expect(pending[0]).toBe(init);
    const before = await shapeOf(db);
    const history = async () => (await db.query('SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1')).rows;
    const older = await history();
    expect(older.length).toBeGreaterThan(50);
    await migrate(database.url);
    const all = (await readMigrations(prismaDir)).map(({ name }) => ({ name }));
    expect(await history()).toEqual([...older, ...all]);
    expect(await pendingMigrations(db)).toEqual([]);
    // Later migrations add to it, also to its enums, and functions and their triggers are written anew.
    const isKept = (line: string) =>
      !/^CREATE (OR REPLACE FUNCTION|TRIGGER)/.test(line) && !isEnum(line) && !replaced.test(line) && !widened.test(line);
    const kept = before.filter(isKept);
    const after = new Set(await shapeOf(db));
    expect(kept.filter((line) => !after.has(line))).toEqual([]);
    expect(await migrate(database.url)).toEqual([]);
  });

  it('has the tables, indexes, constraints, functions and triggers of a new one', async () => {
    await migrate(database.url);
    const fresh = await newDatabase();
    const other = new pg.Client({ connectionString: fresh.url });
    await other.connect();
    try {
      const [ours, theirs] = [await shapeOf(db), await shapeOf(other)];
      expect(ours.length).toBeGreaterThan(1_000);
      expect(ours).toEqual(theirs);
    } finally {
      await other.end();
      await fresh.drop();
    }
  });

  it('is refused where one of its migrations is another', async () => {
    await db.query(`UPDATE _prisma_migrations SET checksum = repeat('0', 64) WHERE migration_name = '20261121000100_ledger'`);
    await expect(migrate(database.url)).rejects.toThrow(
      `The tables of this database are not those of ${init}: migration 20261121000100_ledger was applied in another form.`,
    );
  });
});

describe('a platform on a database of before', () => {
  let server: ServerProcess | undefined;
  afterEach(() => server?.kill('SIGKILL'));

  it('knows its keys, its money and the answers of its keys', async () => {
    await buildOnce();
    const ports = { PORT: '0', SANDBOX_PORT: '0' };
    server = await startServerProcess({ ...ports, DATABASE_URL: database.url, SECRETS_KEY: secrets, LOG_LEVEL: 'error' });
    const sandbox = { url: server.test, key };
    const wallets = (await ask(sandbox, 'GET', '/v1/wallets?currency=USD')).body.data;
    const transfers = (await ask(sandbox, 'GET', '/v1/transfers?type=internal')).body;
    expect(transfers.pagination.total).toBe(16);
    const balances: string[] = wallets.map(({ balance }: { balance: { available: string } }) => balance.available);
    expect(balances.sort()).toEqual(['100.00', '100.00', '95.00']);
    expect((await ask(sandbox, 'GET', '/v1/audit-log/verify')).body.data.valid).toBe(true);
    const [from, to] = [...wallets].sort((one, two) => one.id.localeCompare(two.id)).map(({ id }: { id: string }) => id);
    const body = { type: 'internal', from_wallet_id: from, to_wallet_id: to, amount: '1.00', currency: 'USD' };
    const headers = { 'Idempotency-Key': 'before-0' };
    const replayed = await ask(sandbox, 'POST', '/v1/transfers', body, headers);
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect((await ask(sandbox, 'GET', '/v1/transfers?type=internal')).body.pagination.total).toBe(16);
    expect(
      (await ask(sandbox, 'GET', '/v1/ledger/trial-balance')).body.data.every(
        ({ difference }: { difference: string }) => Number(difference) === 0,
      ),
    ).toBe(true);
  });
});
