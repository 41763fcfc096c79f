// The command line, on the same code as the server. Commands that work on the database take that of a server which runs, or DATABASE_URL.
import { parseArgs } from 'node:util';
import type { administration } from './cli/administration.js';
import { callerOf, leaving, objectOf, ofData, required, say, settingsOf, text } from './cli/argument.js';
import { helpOf } from './cli/help.js';
import { giveUp } from './platform/give-up.js';
import { commandLine, isInstalled, startLine } from './platform/program.js';

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

/** A command about a file of settings. */
const configure = (name: 'export' | 'diff' | 'apply'): Command['run'] => {
  return async (args) => (await import('./cli/config-command.js')).configCommands[name](args);
};

const commands: Readonly<Record<string, Command>> = {
  serve: { usage: 'serve', about: `run the platform (as ${startLine})`, run: async () => (await import('./serve.js')).serve() },
  migrate: {
    usage: 'migrate [--plan] [--json] [--data-dir DIR]',
    about: 'apply the pending migrations; --plan lists them, of which kind they are and which locks they take, and changes nothing',
    run: administer('migrate'),
  },
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
  'tenant create': {
    usage: 'tenant create --name NAME [--cell NAME] [--json] [--data-dir DIR]',
    about: 'make a tenant with a live and a test key, shown once; in the emptiest cell by default',
    run: administer('tenant create'),
  },
  'tenant move': {
    usage: 'tenant move ID --to CELL [--dry-run] | tenant move ID --resume|--abort [--data-dir DIR]',
    about: 'take a tenant to another cell while it goes on; --resume goes on with a move, --abort gives it up',
    run: administer('tenant move'),
  },
  'cell add': {
    usage: 'cell add --name NAME --url URL [--data-dir DIR]',
    about: 'take another PostgreSQL in, after it has proved that it can hold tenants',
    run: administer('cell add'),
  },
  'cell set-url': {
    usage: 'cell set-url NAME --url URL [--data-dir DIR]',
    about: 'say where a cell is now, as after a failover; processes go there at once',
    run: administer('cell set-url'),
  },
  'cell list': {
    usage: 'cell list [--json] [--data-dir DIR]',
    about: 'show the cells with their tenants, bytes and transfers',
    run: administer('cell list'),
  },
  'cell drain': {
    usage: 'cell drain NAME [--undo] [--data-dir DIR]',
    about: 'let a cell take no new tenants',
    run: administer('cell drain'),
  },
  'cell remove': {
    usage: 'cell remove NAME [--data-dir DIR]',
    about: 'take a cell without tenants from the list',
    run: administer('cell remove'),
  },
  'directory check': {
    usage: 'directory check [--data-dir DIR]',
    about: 'compare the directory with what is in the cells',
    run: administer('directory check'),
  },
  'tenant limits': {
    usage: 'tenant limits --tenant ID [--actor N] [--workspace N] [--reset] [--environment test|live] [--json] [--data-dir DIR]',
    about: 'show or change the requests a minute of each actor of a tenant, and of all of them together; --reset: as for everybody',
    run: administer('tenant limits'),
  },
  'key create': {
    usage: 'key create --tenant ID --environment test|live [--name NAME] [--scopes A,B] [--ips CIDR,CIDR] [--json] [--data-dir DIR]',
    about: 'make another API key, shown once; --scopes says what it may do, --ips from where',
    run: administer('key create'),
  },
  'key revoke': {
    usage: 'key revoke ID --tenant ID --environment test|live [--data-dir DIR]',
    about: 'revoke an API key at once',
    run: administer('key revoke'),
  },
  'connection list': {
    usage: 'connection list --tenant ID --environment test|live [--json] [--data-dir DIR]',
    about: 'list the programs that were connected to agents, the newest first',
    run: administer('connection list'),
  },
  'connection revoke': {
    usage: 'connection revoke ID --tenant ID --environment test|live [--data-dir DIR]',
    about: 'revoke a connection at once',
    run: administer('connection revoke'),
  },
  'secrets status': {
    usage: 'secrets status [--json] [--data-dir DIR]',
    about: 'show the keys that seal secrets, what each has sealed, and which processes know which',
    run: administer('secrets status'),
  },
  'secrets rotate': {
    usage: 'secrets rotate [--data] [--json] [--data-dir DIR]',
    about: 'wrap the data keys under SECRETS_KEY too; --data: make a new data key, under which everything is sealed again',
    run: administer('secrets rotate'),
  },
  'secrets retire': {
    usage: 'secrets retire KEY [--force] [--json] [--data-dir DIR]',
    about: 'take a master key away, or a data key that seals nothing',
    run: administer('secrets retire'),
  },
  'backup verify': {
    usage: 'backup verify --dump FILE|--url URL|--data-dir DIR [--scratch URL] [--json]',
    about: 'put a backup into a scratch database and check it; exit 1 on a fault, 2 where it cannot be checked',
    run: administer('backup verify'),
  },
  'evidence status': {
    usage: 'evidence status --tenant ID [--environment test|live] [--json] [--data-dir DIR]',
    about: 'show the transparency log of a workspace: its state and its newest signed head',
    run: administer('evidence status'),
  },
  'evidence verify': {
    usage: 'evidence verify --tenant ID [--environment test|live] [--head FILE] [--data-dir DIR]',
    about: 'recompute the log from its first entry, and compare it with a head that was kept; exit 1 on a break',
    run: administer('evidence verify'),
  },
  'evidence resume': {
    usage: 'evidence resume --tenant ID [--environment test|live] --head FILE [--data-dir DIR]',
    about: 'open a halted log, where the newest head that was signed is a head of it: nothing was lost',
    run: administer('evidence resume'),
  },
  'evidence renew': {
    usage: 'evidence renew --tenant ID [--environment test|live] [--head FILE] [--data-dir DIR]',
    about: 'Ends a log that lost something, and begins another one over what is left.',
    run: administer('evidence renew'),
  },
  'evidence rotate-key': {
    usage: 'evidence rotate-key --tenant ID [--environment test|live] [--data-dir DIR]',
    about: 'Gives a log a new key; the one of before signs beside it for 30 days.',
    run: administer('evidence rotate-key'),
  },
  'memory adopt': {
    usage: 'memory adopt [--data-dir DIR]',
    about: 'make the folder of PLATFORM_MEMORY the memory of this database, where the one of before is lost',
    run: administer('memory adopt'),
  },
  'shop-host add': {
    usage: 'shop-host add HOST --merchant ID --tenant ID --environment test|live [--data-dir DIR]',
    about: 'give a merchant a host at which it alone is seen; who runs the platform vouches for the name',
    run: administer('shop-host add'),
  },
  'shop-host list': {
    usage: 'shop-host list --tenant ID --environment test|live [--json] [--data-dir DIR]',
    about: 'list the hosts of the merchants of a tenant',
    run: administer('shop-host list'),
  },
  'shop-host remove': {
    usage: 'shop-host remove HOST --merchant ID --tenant ID --environment test|live [--data-dir DIR]',
    about: 'take a host from its merchant at once',
    run: administer('shop-host remove'),
  },
  shop: {
    usage: 'shop --merchant ID --listen 127.0.0.1:8090 [--data-dir DIR]',
    about: 'open the origin of a merchant on this machine, to try clients of UCP and ACP with',
    run: administer('shop'),
  },
  'member list': {
    usage: 'member list --tenant ID [--json] [--data-dir DIR]',
    about: 'list the members of a tenant',
    run: administer('member list'),
  },
  'member invite': {
    usage: 'member invite --tenant ID --email EMAIL --role ROLE [--environment live|test] [--json] [--data-dir DIR]',
    about: 'make a link at which somebody joins a tenant; for the e-mail of a member, one that sets a new password',
    run: administer('member invite'),
  },
  'member suspend': {
    usage: 'member suspend ID --tenant ID [--data-dir DIR]',
    about: 'end the sessions of a member, who signs in no more until somebody changes that',
    run: administer('member suspend'),
  },
  'sign-in reset': {
    usage: 'sign-in reset --tenant ID [--data-dir DIR]',
    about: 'let people sign in to a tenant with passwords, passkeys and keys again, when its settings have locked everybody out',
    run: administer('sign-in reset'),
  },
  'ledger check': {
    usage: 'ledger check [--data-dir DIR]',
    about: 'prove the ledger: sums, chains, holds; exit 1 on a break',
    run: administer('ledger check'),
  },
  'usage rebuild': {
    usage: 'usage rebuild [--tenant ID] [--data-dir DIR]',
    about: 'make the rollups of reports again from the operations, while everything goes on',
    run: administer('usage rebuild'),
  },
  'sandbox fill': {
    usage: 'sandbox fill [--tenant ID] [--operations 100000] [--days 30] [--data-dir DIR]',
    about: 'fill a sandbox with a made-up past, to see reports of many operations; that of the first tenant by default',
    run: administer('sandbox fill'),
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
    usage: 'demo [--url URL] [--key KEY] [--data-dir DIR]',
    about: 'play two agents that pay each other against the running sandbox',
    run: async (args) => {
      const { values } = parseArgs({ args, options: { ...ofData, url: text, key: text } });
      const config = settingsOf(values);
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
