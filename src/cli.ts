// The command line, on the same code as the server. Works while the server runs, against the embedded database too.
import { parseArgs } from 'node:util';
import type { administration } from './cli/administration.js';
import { required, say, text } from './cli/argument.js';
import { loadConfig, settings } from './config.js';
import { giveUp } from './platform/give-up.js';

type Administration = typeof administration;

interface Command {
  usage: string;
  about: string;
  run(args: string[]): Promise<void>;
}

/** A command that works on the database. What it needs is loaded when it is called: the others begin at once. */
const administer = (name: keyof Administration): Command['run'] => {
  return async (args) => (await import('./cli/administration.js')).administration[name](args);
};

/** The listener and the key that a command calls with; by default those of the sandbox. */
function callerOf({ url, key }: { url?: string | undefined; key?: string | undefined }): { url: string; key: string } {
  const config = loadConfig();
  return {
    url: (url ?? config.sandboxUrl ?? `http://127.0.0.1:${config.sandboxPort}`).replace(/\/+$/, ''),
    key: required(key ?? config.bootstrapTestKey ?? undefined, 'key'),
  };
}

function objectOf(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('--data must be a JSON object');
  return value as Record<string, unknown>;
}

const commands: Readonly<Record<string, Command>> = {
  serve: { usage: 'serve', about: 'run the platform (as npm start)', run: async () => (await import('./main.js')).serve() },
  migrate: {
    usage: 'migrate',
    about: 'apply the pending migrations',
    run: administer('migrate'),
  },
  doctor: {
    usage: 'doctor',
    about: 'show what PostgreSQL is set to, and what it should be set to on its machine',
    run: async () => (await import('./cli/doctor.js')).doctor(),
  },
  'tenant create': {
    usage: 'tenant create --name NAME [--json]',
    about: 'make a tenant with a live and a test key, shown once',
    run: administer('tenant create'),
  },
  'key create': {
    usage: 'key create --tenant ID --environment test|live [--name NAME] [--json]',
    about: 'make another API key, shown once',
    run: administer('key create'),
  },
  'key revoke': {
    usage: 'key revoke ID --tenant ID --environment test|live',
    about: 'revoke an API key at once',
    run: administer('key revoke'),
  },
  'ledger check': {
    usage: 'ledger check',
    about: 'prove the ledger: sums, chains, holds; exit 1 on a break',
    run: administer('ledger check'),
  },
  'usage rebuild': {
    usage: 'usage rebuild [--tenant ID]',
    about: 'make the rollups of reports again from the operations, while everything goes on',
    run: administer('usage rebuild'),
  },
  'sandbox fill': {
    usage: 'sandbox fill [--tenant ID] [--operations 100000] [--days 30]',
    about: 'fill a sandbox with a made-up past, to see reports of many operations; that of the first tenant by default',
    run: administer('sandbox fill'),
  },
  listen: {
    usage: 'listen --forward-to URL [--events a,b] [--url URL] [--key KEY]',
    about: 'forward the events of a workspace to a receiver, signed as webhooks are',
    run: async (args) => {
      const { values } = parseArgs({ args, options: { 'forward-to': text, events: text, url: text, key: text } });
      const types = values.events?.split(',').map((type) => type.trim()) ?? [];
      const leaving = new AbortController();
      process.once('SIGINT', () => leaving.abort()).once('SIGTERM', () => leaving.abort());
      const { listen } = await import('./cli/listen.js');
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
      const { trigger } = await import('./cli/trigger.js');
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
      const { playDemo } = await import('./demo/demo.js');
      if (key !== null && key !== undefined) return playDemo({ url, key, say });
      const { withNewTenant } = await import('./cli/administration.js');
      await withNewTenant('Demo story', (testKey) => playDemo({ url, key: testKey, say }));
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
