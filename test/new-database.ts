// Databases on the server of the run (database.ts).
import { inject } from 'vitest';
import { admin, newDatabaseName, withDatabase } from './database.js';

export interface NewDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A database of its own: migrated, or `empty`. */
export async function newDatabase({ empty = false } = {}): Promise<NewDatabase> {
  const [server, template] = [inject('databaseUrl'), inject('template')];
  const name = newDatabaseName(template);
  await admin(server, `CREATE DATABASE ${name} ${empty ? '' : `TEMPLATE ${template}`}`);
  return {
    url: withDatabase(server, name),
    drop: async () => void (await admin(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}
