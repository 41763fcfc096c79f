// One installation with a cell, and one with two, each cell on a PostgreSQL server of its own.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/platform/postgres/embedded-server.js';
import { postmasterOf } from './cpu.js';
import { type Sandbox, say, testKey } from './platform.js';

/** A PostgreSQL of a cell, with fsync on. */
export interface CellDatabase {
  pool: pg.Pool;
  url: string;
  /** The parent of its processes. */
  postmaster: number;
  stop(): Promise<void>;
}

export async function openCellDatabase(): Promise<CellDatabase> {
  const folder = await mkdtemp(path.join(tmpdir(), 'payments-bench-'));
  await chmod(folder, 0o711);
  const settings = { wal_level: 'logical', max_wal_senders: '10' };
  const { url, stop } = await startEmbeddedPostgres({ dataDir: path.join(folder, 'data'), settings, notice: say });
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => {});
  return {
    url,
    pool,
    postmaster: await postmasterOf(pool),
    async stop() {
      await pool.end();
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a command of the command line; what it prints. */
export async function command(databaseUrl: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, SECRETS_KEY: '00'.repeat(32) };
  const { stdout } = await promisify(execFile)(process.execPath, ['dist/cli.js', ...args], { env, maxBuffer: 1e8 });
  return stdout;
}

/** A tenant: its sandbox, as `makeWallets` takes it. */
export interface Tenant {
  id: string;
  key: string;
  make<T>(target: string, body: object): Promise<T>;
}

export async function newTenant({ url }: Sandbox, databaseUrl: string, cell: string): Promise<Tenant> {
  const printed = JSON.parse(await command(databaseUrl, 'tenant', 'create', '--name', cell, '--cell', cell, '--json'));
  const { tenant_id: id, test_key: key } = printed as { tenant_id: string; test_key: string };
  return {
    id,
    key,
    async make<T>(target: string, body: object): Promise<T> {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
      const response = await fetch(new URL(target, url), { method: 'POST', headers, body: JSON.stringify(body) });
      const answer = await response.json();
      if (!response.ok) throw new Error(JSON.stringify(answer));
      return answer as T;
    },
  };
}

/** What a maker of requests with the key of the bench makes for a tenant. */
export const asTenant =
  ({ key }: Tenant, next: () => string): (() => string) =>
  () =>
    next().replace(testKey, key);
