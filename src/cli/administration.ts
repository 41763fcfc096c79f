// The commands that work on the database, whether or not the server runs.
import { parseArgs } from 'node:util';
import { loadConfig } from '../config.js';
import { createApiKey, revokeApiKey } from '../contexts/identity/api-key.js';
import { createTenant, tenantWorkspace, workspacesOf } from '../contexts/identity/tenant.js';
import { fillSandbox } from '../contexts/sandbox/fill.js';
import { manifest } from '../contexts.js';
import { checkLedger } from '../ledger/trial-balance.js';
import type { Environment, Platform } from '../platform/ctx.js';
import { openDataHome } from '../platform/data-home.js';
import { systemCtx } from '../platform/due/step.js';
import { createLogger } from '../platform/log.js';
import { migrate } from '../platform/postgres/migration.js';
import { parseId } from '../platform/schema/id.js';
import { openPlatform } from '../server.js';
import { flag, required, say, text } from './argument.js';
import { progressBar } from './progress.js';
import { rebuildReports } from './usage.js';

/** Opens what a command needs and lets go of it afterwards. */
async function withPlatform(work: (platform: Platform) => Promise<void>): Promise<void> {
  const home = await openDataHome(loadConfig(), (text) => process.stderr.write(`${text}\n`));
  try {
    await migrate(home.config.databaseUrl);
    const platform = await openPlatform({ config: home.config, log: createLogger('warn') });
    try {
      await work(platform);
    } finally {
      await platform.outbound.close();
      await platform.cache.close();
      await platform.database.close();
    }
  } finally {
    await home.stop();
  }
}

function environmentOf(value: string | undefined): Environment {
  if (value !== 'test' && value !== 'live') throw new Error('--environment must be test or live');
  return value;
}

function wholeNumber(value: string, option: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error(`--${option} must be a whole number above 0`);
  return Number(value);
}

const bar = () => progressBar((part) => void process.stderr.write(part), process.stderr.isTTY);

/** What each of them does with its arguments. */
export const administration = {
  migrate: async () => {
    const home = await openDataHome(loadConfig(), say);
    const applied = await migrate(home.config.databaseUrl).finally(() => home.stop());
    say(applied.length === 0 ? 'Nothing to apply.' : applied.map((name) => `applied ${name}`).join('\n'));
  },
  'tenant create': async (args) => {
    const { values } = parseArgs({ args, options: { name: text, json: flag } });
    await withPlatform(async (platform) => {
      const { tenantId, liveKey, testKey } = await createTenant(platform, { name: required(values.name, 'name') });
      say(
        values.json
          ? JSON.stringify({ tenant_id: tenantId, live_key: liveKey, test_key: testKey })
          : `tenant    ${tenantId}\nlive key  ${liveKey}\ntest key  ${testKey}\n\nThe keys are not shown again.`,
      );
    });
  },
  'key create': async (args) => {
    const { values } = parseArgs({ args, options: { tenant: text, environment: text, name: text, json: flag } });
    const environment = environmentOf(values.environment);
    await withPlatform(async (platform) => {
      const workspace = await tenantWorkspace(platform, required(values.tenant, 'tenant'), environment);
      if (workspace === null) throw new Error('there is no such tenant');
      const key = await createApiKey(systemCtx(platform, workspace, { action: 'createApiKey', resourceType: 'api_key' }), {
        name: values.name ?? 'command line',
      });
      say(
        values.json
          ? JSON.stringify({ id: `key_${key.id}`, key: key.key })
          : `id   key_${key.id}\nkey  ${key.key}\n\nThe key is not shown again.`,
      );
    });
  },
  'key revoke': async (args) => {
    const { values, positionals } = parseArgs({ args, options: { tenant: text, environment: text }, allowPositionals: true });
    const environment = environmentOf(values.environment);
    const id = parseId('apiKey', positionals[0]);
    if (id === null) throw new Error('name the key to revoke: key_...');
    await withPlatform(async (platform) => {
      const workspace = await tenantWorkspace(platform, required(values.tenant, 'tenant'), environment);
      if (workspace === null) throw new Error('there is no such tenant');
      await revokeApiKey(systemCtx(platform, workspace, { action: 'revokeApiKey', resourceType: 'api_key' }), id);
      say(`revoked key_${id}`);
    });
  },
  'ledger check': () =>
    withPlatform(async (platform) => {
      const breaks = await checkLedger(platform.database, manifest.escrows);
      for (const found of breaks) say(`BREAK  ${found}`);
      if (breaks.length === 0)
        say('The ledger is right: balances and transactions sum to zero, every account chains, every hold is covered.');
      else process.exitCode = 1;
    }),
  'usage rebuild': async (args) => {
    const { values } = parseArgs({ args, options: { tenant: text } });
    await withPlatform(async (platform) => {
      const count = await rebuildReports(platform, values.tenant, bar());
      if (count === 0) throw new Error('there is no such tenant');
      say(`rebuilt ${count} workspaces`);
    });
  },
  'sandbox fill': async (args) => {
    const { values } = parseArgs({ args, options: { tenant: text, operations: text, days: text } });
    const [operations, days] = [wholeNumber(values.operations ?? '100000', 'operations'), wholeNumber(values.days ?? '30', 'days')];
    await withPlatform(async (platform) => {
      const workspace = (await workspacesOf(platform, values.tenant)).find(({ environment }) => environment === 'test');
      if (workspace === undefined) throw new Error('there is no such tenant');
      await fillSandbox(systemCtx(platform, workspace, { action: 'fillSandbox' }), { operations, days }, bar());
      say(`wrote ${operations} operations of the last ${days} days`);
    });
  },
} satisfies Record<string, (args: string[]) => Promise<void>>;

/** Runs `work` with the test key of a new tenant. */
export function withNewTenant(name: string, work: (testKey: string) => Promise<void>): Promise<void> {
  return withPlatform(async (platform) => work((await createTenant(platform, { name })).testKey));
}
