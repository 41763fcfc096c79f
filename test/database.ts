// One PostgreSQL for the whole run, with one migrated template that every file clones. Embedded unless TEST_DATABASE_URL names one.
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../src/platform/postgres/embedded-server.js';
import { migrate } from '../src/platform/postgres/migration.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server's own database, and the name of the template. */
    databaseUrl: string;
    template: string;
  }
}

/** The server of the run, and how many projects use it. Each project of vitest.config.ts loads this file again, in one process. */
const run = globalThis as { testServer?: Promise<Server>; testServerUsers?: number };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  run.testServerUsers = (run.testServerUsers ?? 0) + 1;
  run.testServer ??= prepareServer();
  const { url, template, stop } = await run.testServer;
  project.provide('databaseUrl', url);
  project.provide('template', template);
  return async () => {
    run.testServerUsers = (run.testServerUsers ?? 1) - 1;
    if (run.testServerUsers === 0) await stop();
  };
}

interface Server {
  url: string;
  template: string;
  stop(): Promise<void>;
}

async function prepareServer(): Promise<Server> {
  const { url, stop } = await openServer();
  const template = `template_${process.pid}_${randomBytes(4).toString('hex')}`;
  await admin(url, `CREATE DATABASE ${template}`);
  await migrate(withDatabase(url, template));
  return {
    url,
    template,
    stop: async () => {
      // Databases of platforms that were kept to the end of their processes are left, beside the template.
      for (const name of await databasesLike(url, ownName(template))) await admin(url, `DROP DATABASE ${name} WITH (FORCE)`);
      await admin(url, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
      await stop();
    },
  };
}

/** How the names of the databases begin that are made from a template. */
function ownName(template: string): string {
  return template.replace('template', 't');
}

/** A name for a database that is made from a template: the end of the run drops it if nobody else does. */
export function newDatabaseName(template: string): string {
  return `${ownName(template)}_${randomBytes(4).toString('hex')}`;
}

/** The databases whose names begin so. */
async function databasesLike(url: string, start: string): Promise<string[]> {
  const rows = await admin(url, `SELECT datname FROM pg_database WHERE starts_with(datname, '${start}')`);
  return rows.map(({ datname }) => datname);
}

async function openServer(): Promise<Omit<Server, 'template'>> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return { url: given, stop: async () => {} };
  const dataDir = await mkdtemp(path.join(tmpdir(), 'payments-test-'));
  // As root PostgreSQL runs as another user, who must be able to enter.
  await chmod(dataDir, 0o711);
  const server = await startEmbeddedPostgres({ dataDir, durable: false, notice: () => {} });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** `url` with another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/** Runs one statement on the server's own database. */
export async function admin(url: string, sql: string): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
