// Where a process keeps what it must not lose: the database it is given or an embedded one, and the key that seals secrets.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config.js';
import { embeddedDatabaseUrl, startEmbeddedPostgres } from './postgres/embedded-server.js';

export type ReadyConfig = Config & { databaseUrl: string; secretsKey: string };

export interface DataHome {
  config: ReadyConfig;
  /** Stops the embedded database, if this process started it. */
  stop(): Promise<void>;
}

/** Makes the data ready: starts the embedded PostgreSQL when no DATABASE_URL is set, and finds or makes the secrets key. */
export async function openDataHome(config: Config, notice: (text: string) => void): Promise<DataHome> {
  if (config.databaseUrl !== null) {
    if (config.secretsKey === null) throw new Error('SECRETS_KEY is required beside DATABASE_URL');
    return { config: { ...config, databaseUrl: config.databaseUrl, secretsKey: config.secretsKey }, stop: async () => {} };
  }
  const running = await embeddedDatabaseUrl(config.dataDir);
  const postgres =
    running === null
      ? await startEmbeddedPostgres({ dataDir: config.dataDir, notice, settings: roomFor(config) })
      : { url: running, stop: async () => {} };
  const secretsKey = config.secretsKey ?? (await storedSecretsKey(config.dataDir));
  return { config: { ...config, databaseUrl: postgres.url, secretsKey }, stop: () => postgres.stop() };
}

/** Beside its pool a process listens, and migrates; commands come on top. */
function roomFor({ processes, databasePool }: Config): Record<string, string> {
  const wanted = processes * (databasePool + 2) + 20;
  return wanted > 100 ? { max_connections: String(wanted) } : {};
}

/** The key in `secrets-key`, made on the first start. Losing it loses every secret that it seals. */
async function storedSecretsKey(dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'secrets-key');
  try {
    await writeFile(file, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return (await readFile(file, 'utf8')).trim();
}
