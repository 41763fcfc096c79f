// What `doctor` looks at beside the settings of PostgreSQL: the server, and through its data the secrets, the clocks, the disk and the rails.
import { statfs } from 'node:fs/promises';
import { rails } from '../contexts/settlement/rail/rail.js';
import { knownRails } from '../contexts/transfers/rail.js';
import { systemClock } from '../platform/clock.js';
import type { Environment, Platform } from '../platform/ctx.js';
import type { DataHome } from '../platform/data-home.js';
import { createLogger } from '../platform/log.js';
import { sendJson } from '../platform/outbound/client.js';
import { pendingMigrations } from '../platform/postgres/migration-history.js';
import { closePlatform, openPlatform } from '../server.js';

/** One line of the report. */
export interface Check {
  name: string;
  text: string;
  isWrong?: boolean;
}

/** A check as it is printed. */
export const lineOf = ({ name, text, isWrong = false }: Check): string => `${name.padEnd(12)}${isWrong ? 'PROBLEM: ' : ''}${text}`;

/** Whether a server answers at an address, and what it says of itself. */
export async function checkServer(url: string): Promise<Check> {
  const name = 'Server';
  try {
    const { status, body } = await sendJson(`${url}/ready`, { method: 'GET', headers: {}, timeoutMs: 5_000 });
    const checks = Object.entries((body as { checks?: Record<string, { status: string }> }).checks ?? {});
    const states = checks.map(([part, { status }]) => `${part} ${status}`).join(', ');
    return { name, text: `${url} is ${status === 200 ? 'ready' : 'not ready'}${states && ` (${states})`}`, isWrong: status !== 200 };
  } catch (error) {
    return { name, text: `${(error as Error).message} (SANDBOX_PORT or --url names another address)`, isWrong: true };
  }
}

/** What the data shows. `folder` is that of an embedded database. */
export async function checkData(home: DataHome, folder: string | null): Promise<Check[]> {
  const platform = await openPlatform({ config: home.config, log: createLogger('warn') });
  try {
    const pending = await pendingMigrations(platform.database.pool);
    const migrations = { name: 'Migrations', text: pending.length === 0 ? 'all applied' : `pending: ${pending.join(', ')}` };
    const checks = [await checkClocks(platform), await checkDisk(folder), ...railsOf(platform)];
    return pending.length > 0
      ? [{ ...migrations, isWrong: true }, ...checks]
      : [migrations, await checkSecrets(platform, home.secretsFrom), ...checks];
  } finally {
    await closePlatform(platform);
  }
}

/** How many of the newest sealed values SECRETS_KEY opens. */
async function checkSecrets({ database, vault }: Platform, from: string): Promise<Check> {
  const newest = { take: 1_000, orderBy: { createdAt: 'desc' as const } };
  const keys = await database.unscoped.signingKey.findMany({ ...newest, select: { id: true, sealedKey: true } });
  const hooks = await database.unscoped.webhook.findMany({ ...newest, select: { id: true, sealedSecret: true } });
  const opened = (rows: readonly { id: string; sealed: Uint8Array }[]) =>
    rows.filter(({ id, sealed }) => {
      try {
        return vault.open(sealed, id) !== '';
      } catch {
        return false;
      }
    }).length;
  const [openKeys, openHooks] = [
    opened(keys.map(({ id, sealedKey }) => ({ id, sealed: sealedKey }))),
    opened(hooks.map(({ id, sealedSecret }) => ({ id, sealed: sealedSecret }))),
  ];
  return {
    name: 'Secrets',
    text: `SECRETS_KEY from ${from} opens ${openKeys} of ${keys.length} signing keys, ${openHooks} of ${hooks.length} webhook secrets`,
    isWrong: openKeys < keys.length || openHooks < hooks.length,
  };
}

const mostDriftMs = 2_000;

/** The clock of this machine beside that of PostgreSQL, and how many workspaces have moved theirs. */
async function checkClocks({ database }: Platform): Promise<Check> {
  const { rows } = await database.pool.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  const driftMs = Math.abs(systemClock.now().getTime() - (rows[0]?.at.getTime() ?? 0));
  const moved = await database.unscoped.workspace.count({ where: { clockOffsetMs: { gt: 0 } } });
  const clocks = `${moved} test clock${moved === 1 ? ' was' : 's were'} advanced`;
  return { name: 'Clock', text: `this machine and PostgreSQL differ by ${driftMs} ms; ${clocks}`, isWrong: driftMs > mostDriftMs };
}

const leastFreeBytes = 500_000_000;

async function checkDisk(folder: string | null): Promise<Check> {
  if (folder === null) return { name: 'Disk', text: 'that of your PostgreSQL is not seen from here' };
  const { bavail, blocks, bsize } = await statfs(folder);
  const gb = (count: number) => `${((count * bsize) / 1e9).toFixed(1)} GB`;
  return { name: 'Disk', text: `${gb(bavail)} of ${gb(blocks)} free at ${folder}`, isWrong: bavail * bsize < leastFreeBytes };
}

/** The rails that a provider serves in each environment. */
function railsOf(platform: Platform): Check[] {
  const connected = platform.extensions.of(rails);
  const served = (environment: Environment) =>
    Object.keys(knownRails({ platform })).filter((name) => connected.of({ environment }, name) !== undefined);
  const [test, live] = [served('test'), served('live')];
  const production = live.length === 0 ? 'none is connected: payouts are refused with rail_unavailable (docs/rails.md)' : live.join(', ');
  return [{ name: 'Rails', text: `sandbox: ${test.join(', ')}\n${' '.repeat(12)}production: ${production}` }];
}
