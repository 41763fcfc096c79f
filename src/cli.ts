// The command line, on the same code as the server. Works while the server runs, against the embedded database too.
import { parseArgs } from 'node:util';
import { listen } from './cli/listen.js';
import { progressBar } from './cli/progress.js';
import { trigger } from './cli/trigger.js';
import { rebuildReports } from './cli/usage.js';
import { loadConfig, settings } from './config.js';
import { createApiKey, revokeApiKey } from './contexts/identity/api-key.js';
import { createTenant, tenantWorkspace, workspacesOf } from './contexts/identity/tenant.js';
import { fillSandbox } from './contexts/sandbox/fill.js';
import { escrows } from './contexts.js';
import { playDemo } from './demo/demo.js';
import { checkLedger } from './ledger/trial-balance.js';
import { giveUp, serve } from './main.js';
import type { Environment, Platform } from './platform/ctx.js';
import { openDataHome } from './platform/data-home.js';
import { systemCtx } from './platform/due/step.js';
import { createLogger } from './platform/log.js';
import { migrate } from './platform/postgres/migration.js';
import { parseId } from './platform/schema/id.js';
import { openPlatform } from './server.js';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

interface Command {
  usage: string;
  about: string;
  run(args: string[]): Promise<void>;
}

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

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

function required(value: string | undefined, option: string): string {
  if (value === undefined || value === '') throw new Error(`--${option} is required; see --help`);
  return value;
}

function environmentOf(value: string | undefined): Environment {
  if (value !== 'test' && value !== 'live') throw new Error('--environment must be test or live');
  return value;
}

/** The listener and the key that a command calls with; by default those of the sandbox. */
function callerOf({ url, key }: { url?: string | undefined; key?: string | undefined }): { url: string; key: string } {
  const config = loadConfig();
  return {
    url: (url ?? config.sandboxUrl ?? `http://127.0.0.1:${config.sandboxPort}`).replace(/\/+$/, ''),
    key: required(key ?? config.bootstrapTestKey ?? undefined, 'key'),
  };
}

function wholeNumber(value: string, option: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error(`--${option} must be a whole number above 0`);
  return Number(value);
}

const bar = () => progressBar((part) => void process.stderr.write(part), process.stderr.isTTY);

function objectOf(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('--data must be a JSON object');
  return value as Record<string, unknown>;
}

const commands: Readonly<Record<string, Command>> = {
  serve: { usage: 'serve', about: 'run the platform (as npm start)', run: () => serve() },
  migrate: {
    usage: 'migrate',
    about: 'apply the pending migrations',
    run: async () => {
      const home = await openDataHome(loadConfig(), say);
      const applied = await migrate(home.config.databaseUrl).finally(() => home.stop());
      say(applied.length === 0 ? 'Nothing to apply.' : applied.map((name) => `applied ${name}`).join('\n'));
    },
  },
  'tenant create': {
    usage: 'tenant create --name NAME [--json]',
    about: 'make a tenant with a live and a test key, shown once',
    run: async (args) => {
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
  },
  'key create': {
    usage: 'key create --tenant ID --environment test|live [--name NAME] [--json]',
    about: 'make another API key, shown once',
    run: async (args) => {
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
  },
  'key revoke': {
    usage: 'key revoke ID --tenant ID --environment test|live',
    about: 'revoke an API key at once',
    run: async (args) => {
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
  },
  'ledger check': {
    usage: 'ledger check',
    about: 'prove the ledger: sums, chains, holds; exit 1 on a break',
    run: () =>
      withPlatform(async (platform) => {
        const breaks = await checkLedger(platform.database, escrows);
        for (const found of breaks) say(`BREAK  ${found}`);
        if (breaks.length === 0)
          say('The ledger is right: balances and transactions sum to zero, every account chains, every hold is covered.');
        else process.exitCode = 1;
      }),
  },
  'usage rebuild': {
    usage: 'usage rebuild [--tenant ID]',
    about: 'make the rollups of reports again from the operations, while everything goes on',
    run: async (args) => {
      const { values } = parseArgs({ args, options: { tenant: text } });
      await withPlatform(async (platform) => {
        const count = await rebuildReports(platform, values.tenant, bar());
        if (count === 0) throw new Error('there is no such tenant');
        say(`rebuilt ${count} workspaces`);
      });
    },
  },
  'sandbox fill': {
    usage: 'sandbox fill [--tenant ID] [--operations 100000] [--days 30]',
    about: 'fill a sandbox with a made-up past, to see reports of many operations; that of the first tenant by default',
    run: async (args) => {
      const { values } = parseArgs({ args, options: { tenant: text, operations: text, days: text } });
      const [operations, days] = [wholeNumber(values.operations ?? '100000', 'operations'), wholeNumber(values.days ?? '30', 'days')];
      await withPlatform(async (platform) => {
        const workspace = (await workspacesOf(platform, values.tenant)).find(({ environment }) => environment === 'test');
        if (workspace === undefined) throw new Error('there is no such tenant');
        await fillSandbox(systemCtx(platform, workspace, { action: 'fillSandbox' }), { operations, days }, bar());
        say(`wrote ${operations} operations of the last ${days} days`);
      });
    },
  },
  listen: {
    usage: 'listen --forward-to URL [--events a,b] [--url URL] [--key KEY]',
    about: 'forward the events of a workspace to a receiver, signed as webhooks are',
    run: async (args) => {
      const { values } = parseArgs({ args, options: { 'forward-to': text, events: text, url: text, key: text } });
      const types = values.events?.split(',').map((type) => type.trim()) ?? [];
      const leaving = new AbortController();
      process.once('SIGINT', () => leaving.abort()).once('SIGTERM', () => leaving.abort());
      await listen({ ...callerOf(values), forwardTo: required(values['forward-to'], 'forward-to'), types, say, signal: leaving.signal });
    },
  },
  trigger: {
    usage: 'trigger TYPE [--data JSON] [--object-id ID] [--url URL] [--key KEY]',
    about: 'emit a test event in the sandbox',
    run: async (args) => {
      const options = { data: text, 'object-id': text, url: text, key: text };
      const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
      const [type] = positionals;
      if (type === undefined) throw new Error('name the type to emit, such as transfer.completed');
      const data = values.data === undefined ? undefined : objectOf(values.data);
      const event = await trigger({ ...callerOf(values), type, data, objectId: values['object-id'] });
      say(`emitted ${event.type}  ${event.id}`);
    },
  },
  mcp: {
    usage: 'mcp [--url URL] [--key KEY]',
    about: 'speak MCP on standard input and output, for an agent (its token) or an operator (an API key)',
    run: async (args) => {
      const { values } = parseArgs({ args, options: { url: text, key: text } });
      const leaving = new AbortController();
      process.once('SIGINT', () => leaving.abort()).once('SIGTERM', () => leaving.abort());
      const { proxyMcp } = await import('./cli/mcp.js');
      await proxyMcp({ ...callerOf(values), warn: (said) => void process.stderr.write(`${said}\n`), signal: leaving.signal });
    },
  },
  demo: {
    usage: 'demo [--url URL] [--key KEY]',
    about: 'play two agents that pay each other against the running sandbox',
    run: async (args) => {
      const { values } = parseArgs({ args, options: { url: text, key: text } });
      const config = loadConfig();
      const url = values.url ?? config.sandboxUrl ?? `http://127.0.0.1:${config.sandboxPort}`;
      const key = values.key ?? config.bootstrapTestKey;
      if (key !== null && key !== undefined) return playDemo({ url, key, say });
      await withPlatform(async (platform) => playDemo({ url, key: (await createTenant(platform, { name: 'Demo story' })).testKey, say }));
    },
  },
};

function help(): string {
  const wide = (rows: readonly (readonly [string, string])[]) => {
    const width = Math.max(...rows.map(([left]) => left.length));
    return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
  };
  return `Usage: npm run --silent cli -- <command>

Commands
${wide(Object.values(commands).map(({ usage, about }) => [usage, about]))}

Settings (environment)
${wide(settings.map(({ name, meaning, default: preset }) => [name, preset === '' ? meaning : `${meaning} (${preset})`]))}`;
}

async function run(argv: readonly string[]): Promise<void> {
  const [first = '', second = ''] = argv;
  const name = [`${first} ${second}`, first].find((candidate) => Object.hasOwn(commands, candidate));
  const command = name === undefined ? undefined : commands[name];
  if (command === undefined || name === undefined) {
    if (first !== '' && first !== '--help' && first !== '-h' && first !== 'help')
      throw new Error(`There is no command "${argv.join(' ')}".\n\n${help()}`);
    return say(help());
  }
  if (argv.includes('--help') || argv.includes('-h')) return say(`Usage: npm run --silent cli -- ${command.usage}\n\n${command.about}`);
  await command.run(argv.slice(name.split(' ').length));
}

run(process.argv.slice(2)).catch(giveUp);
