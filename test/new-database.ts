// Databases on the server of the run (database.ts).
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import { admin, newDatabaseName, withDatabase } from './database.js';

export interface NewDatabase {
  url: string;
  /** A folder for the memory of its platform, which is made when something is put there. */
  memory: string;
  drop(): Promise<void>;
}

/** A database of its own: migrated, or `empty`. */
export async function newDatabase({ empty = false } = {}): Promise<NewDatabase> {
  const [server, template] = [inject('databaseUrl'), inject('template')];
  const name = newDatabaseName(template);
  await admin(server, `CREATE DATABASE ${name} ${empty ? '' : `TEMPLATE ${template}`}`);
  const memory = path.join(tmpdir(), `memory-of-${name}`);
  return {
    url: withDatabase(server, name),
    memory,
    drop: async () => {
      await admin(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await rm(memory, { recursive: true, force: true });
    },
  };
}
