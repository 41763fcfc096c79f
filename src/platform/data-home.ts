// Where a process keeps what it must not lose: the database it is given or an embedded one, and the key that seals secrets.
import { randomBytes } from 'node:crypto';
import { lstat, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config.js';
import { embeddedDatabaseUrl, startEmbeddedPostgres } from './postgres/embedded-server.js';
import { explained } from './postgres/start-failure.js';
import { startLine } from './program.js';

export type ReadyConfig = Config & { databaseUrl: string; secretsKey: string };

export interface DataHome {
  config: ReadyConfig;
  /** Where SECRETS_KEY was read, for people. */
  secretsFrom: string;
  /** What a failure means that comes while the data is opened: a full disk and damaged files in plain words, others as they are. */
  explain(error: unknown): Promise<unknown>;
  /** Stops the embedded database, if this process started it. */
  stop(): Promise<void>;
}

/** Makes the data ready: starts the embedded PostgreSQL when no DATABASE_URL is set, and finds or makes the secrets key. */
export async function openDataHome(config: Config, notice: (text: string) => void): Promise<DataHome> {
  const own = ownDatabase(config);
  if (own !== null) return own;
  const running = await embeddedDatabaseUrl(config.dataDir);
  const postgres =
    running === null
      ? await startEmbeddedPostgres({ dataDir: config.dataDir, notice, settings: roomFor(config) })
      : { url: running, stop: async () => {} };
  return withSecrets(config, postgres.url, () => postgres.stop());
}

/** The data of a server that runs, for commands: they start no database, and make none. */
export async function openRunningData(config: Config): Promise<DataHome> {
  const own = ownDatabase(config);
  if (own !== null) return own;
  const url = await embeddedDatabaseUrl(config.dataDir);
  if (url === null) throw new Error(await whyNoDatabase(config.dataDir));
  return withSecrets(config, url, async () => {});
}

function ownDatabase({ databaseUrl, secretsKey, ...config }: Config): DataHome | null {
  if (databaseUrl === null) return null;
  if (secretsKey === null) throw new Error('SECRETS_KEY is required beside DATABASE_URL');
  return {
    config: { ...config, databaseUrl, secretsKey },
    secretsFrom: 'the environment',
    explain: async (error) => error,
    stop: async () => {},
  };
}

async function whyNoDatabase(dataDir: string): Promise<string> {
  const isThere = await lstat(path.join(dataDir, 'postgres')).then(
    () => true,
    () => false,
  );
  return (
    `${isThere ? `The database in ${dataDir} is not running` : `There is no database in ${dataDir}`}, and DATABASE_URL is not set. ` +
    'This command works on the data of a server that runs.\n' +
    `Start one (${startLine}), name the folder of the one that runs with --data-dir or DATA_DIR, or set DATABASE_URL and SECRETS_KEY.`
  );
}

async function withSecrets(config: Config, databaseUrl: string, stop: () => Promise<void>): Promise<DataHome> {
  const file = ownSecretsFile(config);
  const keys = file === null ? null : await storedSecretsKeys(file);
  const at = { place: path.join(config.dataDir, 'postgres'), log: path.join(config.dataDir, 'postgres.log') };
  return {
    config: {
      ...config,
      databaseUrl,
      secretsKey: keys?.[0] ?? config.secretsKey ?? '',
      secretsKeysOld: keys?.slice(1) ?? config.secretsKeysOld,
    },
    secretsFrom: file ?? 'the environment',
    explain: (error) => explained(error, at),
    stop,
  };
}

/** Beside its pool a process listens, and migrates; commands come on top. */
function roomFor({ processes, databasePool }: Config): Record<string, string> {
  const wanted = processes * (databasePool + 2) + 20;
  return wanted > 100 ? { max_connections: String(wanted) } : {};
}

/** Where the master keys of an embedded database stand; null where the environment has them. */
export function ownSecretsFile({ databaseUrl, secretsKey, dataDir }: Config): string | null {
  return databaseUrl === null && secretsKey === null ? path.join(dataDir, 'secrets-key') : null;
}

/** The keys in `secrets-key`, a line each, the one that wraps first. The first start makes it. Losing them loses every secret. */
async function storedSecretsKeys(file: string): Promise<string[]> {
  try {
    await writeFile(file, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readSecretsFile(file);
}

/** The master keys of a file. */
export async function readSecretsFile(file: string): Promise<string[]> {
  const keys = (await readFile(file, 'utf8')).trim().toLowerCase().split(/\s+/);
  if (!keys.every((key) => /^[0-9a-f]{64}$/.test(key)))
    throw new Error(`${file} does not hold a key of 64 hexadecimal characters: put the key of before there, from your backup.`);
  return keys;
}

/** Writes the master keys of a file, whole or not at all. */
export async function writeSecretsFile(file: string, keys: readonly string[]): Promise<void> {
  await writeFile(`${file}.new`, `${keys.join('\n')}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}
