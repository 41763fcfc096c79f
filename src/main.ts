// The process: settings, data, listeners, worker, and an orderly end.
import { loadConfig } from './config.js';
import { bootstrapTenant, type CreatedTenant } from './contexts/identity/tenant.js';
import { type DataHome, openDataHome } from './platform/data-home.js';
import { createLogger, type Logger } from './platform/log.js';
import { migrate } from './platform/migrate.js';
import { type RunningServer, startServer } from './server.js';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Runs the platform until it is told to stop. */
export async function serve(): Promise<void> {
  const config = loadConfig();
  const log = createLogger(config.logLevel);
  const home = await openDataHome(config, say);
  const { server, keys } = await start(home, log).catch(async (error) => {
    await home.stop();
    throw error;
  });
  greet(server, keys, config.bootstrapTestKey);

  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    // Nothing may keep the process longer than this, whatever hangs.
    setTimeout(() => process.exit(1), 9_000).unref();
    await server.stop();
    await home.stop();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

async function start({ config }: DataHome, log: Logger): Promise<{ server: RunningServer; keys: CreatedTenant | null }> {
  await migrate(config.databaseUrl);
  const server = await startServer({ config, log });
  return { server, keys: await bootstrapTenant(server.platform, config) };
}

function greet({ urls }: RunningServer, keys: CreatedTenant | null, bootstrapTestKey: string | null): void {
  const { live, test } = urls;
  if (live === undefined || test === undefined) {
    say('Working. No listeners in this role.');
    return;
  }
  const testKey = keys?.testKey ?? bootstrapTestKey ?? '<your test key>';
  say(`
Agent Payments is ready, ${(process.uptime()).toFixed(1)} s after the start.

  Production  ${live}
  Sandbox     ${test}
  Reference   ${test}/docs
  GraphiQL    ${test}/graphql
`);
  if (keys !== null) {
    say(`A demo tenant was made. Its keys are shown once; keep them:

  live  ${keys.liveKey}
  test  ${keys.testKey}
`);
  }
  say(`First call:

  curl -s ${test}/v1/me -H 'Authorization: Bearer ${testKey}'

Next: npm run demo plays two agents that pay each other. npm run --silent cli -- --help lists what else there is.${
    keys === null && bootstrapTestKey === null
      ? '\nNo key at hand? npm run --silent cli -- tenant create --name "My company" makes a tenant with two.'
      : ''
  }
`);
}

/** Says why the start failed, in one message, and ends the process. */
export function giveUp(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

if (process.argv[1] !== undefined && /[\\/]main\.[jt]s$/.test(process.argv[1])) serve().catch(giveUp);
