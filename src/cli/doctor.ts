// `doctor`: what runs here and whether it is well, and what PostgreSQL is set to beside what it should be set to.
import { stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openRunningData } from '../platform/data-home.js';
import { readMachine } from '../platform/postgres/machine.js';
import { release } from '../platform/postgres/migration-file.js';
import { adviceForOwn, profileOf, type Setting } from '../platform/postgres/server-profile.js';
import { ofData, say, settingsOf, text } from './argument.js';
import { type Check, checkData, checkServer, lineOf } from './check.js';

interface Shown {
  version: string;
  folder: string | null;
  hasLz4: boolean;
  values: Record<string, string>;
}

/** What a server says of itself. Where the data is, only its superuser is told. */
async function readServer(url: string): Promise<Shown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; value: string; choices: string[] | null }>(
      `SELECT name, current_setting(name, true) AS value, enumvals AS choices FROM pg_settings
       WHERE name IN ('server_version', 'data_directory', 'shared_buffers', 'max_wal_size', 'wal_level', 'checkpoint_timeout',
         'wal_compression', 'random_page_cost', 'jit')`,
    );
    const values = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
    const choices = rows.find(({ name }) => name === 'wal_compression')?.choices ?? [];
    return { version: values['server_version'] ?? '', folder: values['data_directory'] ?? null, hasLz4: choices.includes('lz4'), values };
  } finally {
    await client.end();
  }
}

/** Whether a value is what is advised: `on` is the name of pglz that all versions know. */
function isAsAdvised({ name, value, accepts }: Setting, now: string): boolean {
  if (accepts !== undefined) return accepts(now);
  return now === value || (name === 'wal_compression' && now === 'on' && value === 'pglz');
}

/** A line for each setting, and what differs. */
export function reportOf(advice: readonly Setting[], values: Readonly<Record<string, string>>): { lines: string[]; differing: string[] } {
  const rows = advice.map((setting) => {
    const now = values[setting.name] ?? 'unknown';
    const isRight = isAsAdvised(setting, now);
    return { name: setting.name, isRight, cells: [setting.name, isRight ? now : `${now}, advised: ${setting.value}`, setting.because] };
  });
  const widths = [0, 1].map((column) => Math.max(...rows.map(({ cells }) => cells[column]?.length ?? 0)));
  const lines = rows.map(({ cells }) => `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`);
  return { lines, differing: rows.filter(({ isRight }) => !isRight).map(({ name }) => name) };
}

/** Where the memory of what was signed lies. On the disk of the database both may be put back together, and nothing tells then. */
async function checkMemory(memoryDir: string, databaseFolder: string | null): Promise<Check> {
  const devices = await Promise.all(
    [memoryDir, databaseFolder ?? ''].map((folder) =>
      stat(folder).then(
        ({ dev }) => dev,
        () => null,
      ),
    ),
  );
  const [memory, database] = devices;
  const where = memory === null ? `${memoryDir}, which is not there yet` : memoryDir;
  const isBeside = memory !== null && memory === database;
  const advice = isBeside
    ? ', on the disk of the database: put PLATFORM_MEMORY on another, or a database that was put back is not noticed'
    : '';
  return { name: 'Memory', text: `${where}${advice}` };
}

/** Prints what there is: the server, its data, and what PostgreSQL is set to beside what it should be. */
export async function doctor(args: string[]): Promise<void> {
  const { values: options } = parseArgs({ args, options: { ...ofData, url: text } });
  const config = settingsOf(options);
  const server = await checkServer(options.url ?? config.sandboxUrl ?? `http://127.0.0.1:${config.sandboxPort}`);
  say(lineOf(server));
  const home = await openRunningData(config);
  const isEmbedded = config.databaseUrl === null;
  const { version, folder, hasLz4, values } = await readServer(home.config.databaseUrl);
  const { host, port, pathname } = new URL(home.config.databaseUrl);
  say(lineOf({ name: 'Database', text: `${host}${pathname}, ${isEmbedded ? `embedded, in ${config.dataDir}` : 'of DATABASE_URL'}` }));
  say(lineOf({ name: 'Versions', text: `Agent Payments ${release}, Node ${process.versions.node}, PostgreSQL ${version}` }));
  const checks = await checkData(home, isEmbedded ? config.dataDir : null);
  for (const check of checks) say(lineOf(check));
  say(lineOf(await checkMemory(home.config.memoryDir, folder)));
  const advice = isEmbedded && folder !== null ? profileOf(await readMachine(folder), hasLz4) : adviceForOwn(hasLz4);
  const { lines, differing } = reportOf(advice, values);
  say(`\nSettings of PostgreSQL ${version}, port ${port || '5432'}\n${lines.join('\n')}`);
  if (differing.length > 0) {
    const way = isEmbedded ? 'the next start of the embedded server sets it' : 'see docs/operations.md, "Settings of PostgreSQL"';
    say(`\nDiffers: ${differing.join(', ')} (${way})`);
  }
  if ([server, ...checks].some(({ isWrong }) => isWrong)) process.exitCode = 1;
}
