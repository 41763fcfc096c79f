// The command line, on the same code as the server. Commands that work on the database take that of a server which runs, or DATABASE_URL.
import { parseArgs } from 'node:util';
import { callerOf, flag, leaving, objectOf, ofData, required, say, settingsOf, text } from './cli/argument.js';
import { type CommandHelp, databaseCommands } from './cli/database-command.js';
import { helpOf } from './cli/help.js';
import { giveUp } from './platform/give-up.js';
import { commandLine, isInstalled, startLine } from './platform/program.js';

interface Command extends CommandHelp {
  run(args: string[]): Promise<void>;
}

/** The commands that work on the database. What they need is loaded when one is called: the others begin at once. */
function withoutServer(): Record<string, Command> {
  const names = Object.keys(databaseCommands) as (keyof typeof databaseCommands)[];
  return Object.fromEntries(
    names.map((name) => {
      const run = async (args: string[]) => (await import('./cli/administration.js')).administration[name](args);
      return [name, { ...databaseCommands[name], run }];
    }),
  );
}

/** A command about a file of settings. */
const configure = (name: 'export' | 'diff' | 'apply'): Command['run'] => {
  return async (args) => (await import('./cli/config-command.js')).configCommands[name](args);
};

/** A command about a keystore. */
const keystore = (name: 'new' | 'address'): Command['run'] => {
  return async (args) => (await import('./cli/keystore-command.js')).keystoreCommands[`keystore ${name}`](args);
};

const commands: Readonly<Record<string, Command>> = {
  serve: { usage: 'serve', about: `run the platform (as ${startLine})`, run: async () => (await import('./serve.js')).serve() },
  ...withoutServer(),
  doctor: {
    usage: 'doctor [--data-dir DIR] [--url URL]',
    about: 'check the server, its database, versions, secrets, clock, disk and rails, and the settings of PostgreSQL; exit 1 on a problem',
    run: async (args) => (await import('./cli/doctor.js')).doctor(args),
  },
  health: {
    usage: 'health',
    about: 'ask the process of these settings, on this machine, whether it is ready; exit 1 where it is not',
    run: async () => (await import('./cli/health.js')).askHealth(settingsOf({})),
  },
  'rails check': {
    usage: 'rails check FILE [--json]',
    about: 'read a file of rails without a database: what it names, or all that is wrong in it',
    run: async (args) => (await import('./cli/rails-command.js')).checkRailsFile(args),
  },
  listen: {
    usage: 'listen --forward-to URL [--events a,b] [--url URL] [--key KEY]',
    about: 'forward the events of a workspace to a receiver, signed as webhooks are',
    run: async (args) => {
      const { values } = parseArgs({ args, options: { 'forward-to': text, events: text, url: text, key: text } });
      const types = values.events?.split(',').map((type) => type.trim()) ?? [];
      const { listen } = await import('./cli/listen.js');
      await listen({ ...callerOf(values), forwardTo: required(values['forward-to'], 'forward-to'), types, say, signal: leaving() });
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
  'config export': {
    usage: 'config export [--into FILE] [--url URL] [--key KEY]',
    about: 'print what a workspace is set up to do as YAML; --into writes over a file, whose comments stay',
    run: configure('export'),
  },
  'config diff': {
    usage: 'config diff FILE [--prune] [--json] [--url URL] [--key KEY]',
    about: 'show what applying a file would change; exit 2 where it would change something',
    run: configure('diff'),
  },
  'config apply': {
    usage: 'config apply FILE [--prune] [--yes] [--plan PLAN] [--url URL] [--key KEY]',
    about: 'show what a file changes, ask, and apply all of it or nothing; --prune deletes what the file does not name any more',
    run: configure('apply'),
  },
  'keystore new': {
    usage: 'keystore new --out FILE [--deposits] [--password-env NAME|--password-file FILE] [--json]',
    about: 'make a key for a chain, or with --deposits the seed of deposit addresses, under a password of the terminal or standard input',
    run: keystore('new'),
  },
  'keystore address': {
    usage: 'keystore address FILE [--deposits] [--password-env NAME|--password-file FILE] [--json]',
    about: 'show the address of a keystore, or with --deposits the extended public key (xpub) of its seed',
    run: keystore('address'),
  },
  mcp: {
    usage: 'mcp [--url URL] [--key KEY]',
    about: 'speak MCP on standard input and output, for an agent (its token) or an operator (an API key)',
    run: async (args) => {
      const { values } = parseArgs({ args, options: { url: text, key: text } });
      const { proxyMcp } = await import('./cli/mcp.js');
      await proxyMcp({ ...callerOf(values), warn: (said) => void process.stderr.write(`${said}\n`), signal: leaving() });
    },
  },
  demo: {
    usage: 'demo [--url URL] [--key KEY] [--data-dir DIR] | demo --chain',
    about: 'play two agents that pay each other against the running sandbox; --chain: real money, over a chain on this machine',
    run: async (args) => {
      const { values } = parseArgs({ args, options: { ...ofData, url: text, key: text, chain: flag } });
      const config = settingsOf(values);
      if (values.chain) return (await import('./demo/chain.js')).playChain({ say, variable: config.variable });
      const url = values.url ?? config.sandboxUrl ?? `http://127.0.0.1:${config.sandboxPort}`;
      const key = values.key ?? config.bootstrapTestKey;
      const { playDemo } = await import('./demo/demo.js');
      if (key !== null && key !== undefined) return playDemo({ url, key, say });
      const { withNewTenant } = await import('./cli/administration.js');
      await withNewTenant(config, 'Demo story', ({ testKey, invite }) => playDemo({ url, key: testKey, invite, say }));
    },
  },
};

async function run(argv: readonly string[]): Promise<void> {
  const [first = '', second = ''] = argv;
  const name = [`${first} ${second}`, first].find((candidate) => Object.hasOwn(commands, candidate));
  const command = name === undefined ? undefined : commands[name];
  if (command === undefined || name === undefined) {
    if (first !== '' && first !== '--help' && first !== '-h' && first !== 'help')
      throw new Error(`There is no command "${argv.join(' ')}".\n\n${helpOf(commands)}`);
    return say(helpOf(commands));
  }
  if (argv.includes('--help') || argv.includes('-h')) return say(`Usage: ${commandLine(command.usage)}\n\n${command.about}`);
  await command.run(argv.slice(name.split(' ').length));
}

run(isInstalled && process.argv.length === 2 ? ['serve'] : process.argv.slice(2)).catch(giveUp);
