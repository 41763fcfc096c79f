// The commands about cells: which databases they take, and refuse.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { drainCell, listCells, platformForTenant, removeCell } from '../src/cli/cell.js';
import { createTenant } from '../src/contexts/identity/tenant.js';
import { manifest } from '../src/contexts.js';
import { addressFaults, changeAddress, faultsOf, serverFaults } from '../src/platform/cell/admission.js';
import type { Platform } from '../src/platform/ctx.js';
import { work } from '../src/worker.js';
import { addCell } from './cells.js';
import { transferBody, twoWallets } from './factories/payment.js';
import { Client, type Json, useHarness } from './harness.js';
import { type NewDatabase, newDatabase } from './new-database.js';
import { TcpProxy } from './proxy.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let cellProxy: TcpProxy;
let database: NewDatabase;
let second: Platform;
/** A tenant of the second cell. */
let there: Client;
// Registered before the harness, so it runs when the platform has stopped.
afterAll(async () => {
  await cellProxy.close();
  await database.drop();
});
const h = useHarness({ mostInFlight: 100 });

beforeAll(async () => {
  const route = async (url: string) => {
    cellProxy = await TcpProxy.open(url);
    return cellProxy.url;
  };
  ({ platform: second, database } = await addCell(h.platform, 'second', route));
  const { testKey } = await createTenant(second, { name: 'There' });
  there = new Client(h.test.url, testKey);
});

describe('a cell at another address', () => {
  it('is gone to at once, by whoever runs', async () => {
    const admitting = { database: h.platform.database, vault: h.platform.vault };
    const after = await TcpProxy.open(database.url);
    try {
      // The server of the tests keeps no logical WAL.
      const faults = async (name: string, url: string) =>
        (await addressFaults(admitting, { name, url })).filter((fault) => !/wal_level/.test(fault));
      expect(await faults('second', after.url)).toEqual([]);
      cellProxy.stall();
      await changeAddress(admitting, { name: 'second', url: after.url });
      await expect.poll(() => h.platform.cells.named('second') !== second, { timeout: 20_000 }).toBe(true);
      second = h.platform.cells.named('second');
      const { from, to } = await twoWallets(there, { funded: '10.00' });
      const headers = { 'Idempotency-Key': 'elsewhere' };
      expect((await there.post('/v1/transfers', transferBody(from, to, '4.00'), { headers })).status).toBe(201);
      await work(second, manifest);
      expect((await second.database.pool.query('SELECT FROM outbox')).rows).toEqual([]);

      const foreign = await newDatabase();
      expect(await faults('second', foreign.url)).toContain('it is no cell of any installation');
      expect(await faults('second', h.platform.database.url)).toContain('it is the cell main of this installation');
      expect(await faults('main', after.url)).toEqual(['main is where the directory is: DATABASE_URL says its address']);
      expect(await faults('third', after.url)).toEqual(['there is no cell third']);
      await foreign.drop();
    } finally {
      cellProxy.heal();
      await changeAddress(admitting, { name: 'second', url: cellProxy.url });
      await expect.poll(() => h.platform.cells.named('second') !== second, { timeout: 20_000 }).toBe(true);
      second = h.platform.cells.named('second');
      await after.close();
    }
  });
});

describe('cells at the command line', () => {
  it('are listed, drained, and removed when they are empty', async () => {
    const listed = JSON.parse(await listCells(h.platform, true)) as Json[];
    expect(listed.map(({ name, state }) => `${name} ${state}`)).toEqual(['main open', 'second open']);
    expect(listed[1].tenants).toBeGreaterThan(0);
    await drainCell(h.platform, 'second', 'drained');
    await h.platform.cells.reload();
    await expect(platformForTenant(h.platform, 'second')).rejects.toThrow('takes no new tenants');
    expect((await platformForTenant(h.platform, undefined)).cell).toBe('main');
    await drainCell(h.platform, 'second', 'open');
    await expect(removeCell(h.platform, 'second')).rejects.toThrow(/has \d+ tenants/);
    await expect(removeCell(h.platform, 'main')).rejects.toThrow('it stays');
    const third = await addCell(h.platform, 'third');
    await removeCell(h.platform, 'third');
    await h.platform.cells.reload();
    expect(h.platform.cells.served.map(({ cell }) => cell)).toEqual(['main', 'second']);
    await third.database.drop();
  });

  it('are refused with every reason', async () => {
    const { database: directory, vault } = h.platform;
    const faults = (name: string, url: string) => faultsOf({ database: directory, vault }, { name, url });
    expect(await faults('second', database.url)).toEqual(['there is a cell second already']);
    expect(await faults('third', database.url)).toContain('it is the cell second of this installation');
    const foreign = await newDatabase();
    const client = new (await import('pg')).default.Client({ connectionString: foreign.url });
    await client.connect();
    await client.query("INSERT INTO installation VALUES (gen_random_uuid(), 'main', now())");
    await client.query("INSERT INTO signing_key VALUES ('k', '{}', '\\x00', now())");
    await client.query(
      "INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('n', 'n', '29990101000000_later', now())",
    );
    const found = await faults('third', foreign.url);
    expect(found).toContain('it belongs to another installation');
    expect(found).toContain('its secrets were sealed with another SECRETS_KEY');
    expect(found).toContain('its schema is newer: this version does not know 29990101000000_later');
    await client.query("DELETE FROM _prisma_migrations WHERE migration_name > '20261204'");
    expect((await faults('third', foreign.url)).join()).toContain('its schema is older');
    // A clock that is two seconds ahead, for whoever asks this database.
    await client.query(
      "CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '2 s' $$",
    );
    await client.query(`ALTER DATABASE ${new URL(foreign.url).pathname.slice(1)} SET search_path = public, pg_catalog`);
    expect((await faults('third', foreign.url)).join()).toMatch(/its clock and that of the directory differ by (19|20)\d\d ms/);
    await client.end();
    await foreign.drop();
    await expect(faults('third', foreign.url)).rejects.toThrow('does not exist');
    expect(serverFaults({ version: 140_005, walLevel: 'replica', maySubscribe: false, mayCopy: true })).toHaveLength(3);
    expect(serverFaults({ version: 160_000, walLevel: 'logical', maySubscribe: true, mayCopy: true })).toEqual([]);
  });
});
