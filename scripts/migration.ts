// Migrations in development, without an engine to download. Works in a scratch database: of DATABASE_URL's server, or of an embedded
// PostgreSQL that lives as long as the command.
//   npm run migrate:new -- <name>   writes the migration that takes prisma/migrations to prisma/schema
//   npm run migrate:drift           exit 1 when they differ, or when the database of DATABASE_URL differs
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/platform/postgres/embedded-server.js';
import { migrate } from '../src/platform/postgres/migration.js';
import { sqlToSchema } from './schema-engine.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const migrationsDir = path.join(root, 'prisma', 'migrations');
const schemaDir = path.join(root, 'prisma', 'schema');

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Runs `use` with a server to make scratch databases on. */
async function withServer<T>(use: (url: string) => Promise<T>): Promise<T> {
  const given = process.env['DATABASE_URL'];
  if (given) return use(given);
  const folder = mkdtempSync(path.join(tmpdir(), 'migration-'));
  chmodSync(folder, 0o711); // as root, PostgreSQL runs as another user
  const server = await startEmbeddedPostgres({ dataDir: path.join(folder, 'data'), durable: false, notice: () => {} });
  try {
    return await use(server.url);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The SQL that is missing between the migrations, replayed in a scratch database, and the schema; null when nothing is. */
async function sqlAfterMigrations(serverUrl: string): Promise<string | null> {
  const name = `scratch_${randomUUID().slice(0, 8)}`;
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  try {
    await admin.query(`create database ${name}`);
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    await migrate(url.href);
    return await sqlToSchema(url.href, schemaDir);
  } finally {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  }
}

async function create(title: string): Promise<number> {
  mkdirSync(migrationsDir, { recursive: true });
  const sql = await withServer(sqlAfterMigrations);
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const name = `${stamp}_${title.toLowerCase().replace(/\W+/g, '_')}`;
  mkdirSync(path.join(migrationsDir, name));
  writeFileSync(path.join(migrationsDir, name, 'migration.sql'), sql ?? '-- The schema has not changed: SQL by hand.\n');
  writeFileSync(path.join(migrationsDir, 'migration_lock.toml'), 'provider = "postgresql"\n');
  say(`prisma/migrations/${name}/migration.sql${sql === null ? ' (the schema has not changed: write SQL by hand)' : ''}`);
  return 0;
}

async function drift(): Promise<number> {
  return withServer(async (url) => {
    const differences = [['prisma/migrations', await sqlAfterMigrations(url)]];
    if (process.env['DATABASE_URL']) differences.push(['the database of DATABASE_URL', await sqlToSchema(url, schemaDir)]);
    for (const [what, sql] of differences) {
      say(sql === null ? `${what} and prisma/schema agree` : `${what} and prisma/schema differ. This SQL is missing:\n\n${sql}`);
    }
    return differences.some(([, sql]) => sql !== null) ? 1 : 0;
  });
}

const [command, ...words] = process.argv.slice(2);
if (command === 'create' && words.length > 0) process.exitCode = await create(words.join(' '));
else if (command === 'drift' && words.length === 0) process.exitCode = await drift();
else {
  process.stderr.write('usage: npm run migrate:new -- <name>, or npm run migrate:drift\n');
  process.exitCode = 2;
}
