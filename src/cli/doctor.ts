// `doctor`: what PostgreSQL is set to, what it should be set to, and what that was derived from.
import pg from 'pg';
import { loadConfig } from '../config.js';
import { openDataHome } from '../platform/data-home.js';
import { readMachine } from '../platform/postgres/machine.js';
import { adviceForOwn, profileOf, type Setting } from '../platform/postgres/server-profile.js';
import { say } from './argument.js';

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

/** Prints what PostgreSQL is set to beside what it should be. */
export async function doctor(): Promise<void> {
  const config = loadConfig();
  const isEmbedded = config.databaseUrl === null;
  const home = await openDataHome(config, (text) => process.stderr.write(`${text}\n`));
  try {
    const { version, folder, hasLz4, values } = await readServer(home.config.databaseUrl);
    const advice = isEmbedded && folder !== null ? profileOf(await readMachine(folder), hasLz4) : adviceForOwn(hasLz4);
    const { lines, differing } = reportOf(advice, values);
    say(`PostgreSQL ${version}, ${isEmbedded ? `embedded, in ${config.dataDir}` : 'your own'}\n${lines.join('\n')}`);
    if (differing.length === 0) return;
    const way = isEmbedded ? 'the next start of the embedded server sets it' : 'see docs/operations.md, "Settings of PostgreSQL"';
    say(`\nDiffers: ${differing.join(', ')} (${way})`);
  } finally {
    await home.stop();
  }
}
