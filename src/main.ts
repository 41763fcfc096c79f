// The process: settings, data, listeners, worker, and an orderly end.
import { type Config, loadConfig } from './config.js';
import { bootstrapTenant, type CreatedTenant, tenantWorkspace } from './contexts/identity/tenant.js';
import { demoDetectors, setDetectors } from './contexts/spending/breaker/breaker.js';
import type { Platform } from './platform/ctx.js';
import { type DataHome, openDataHome } from './platform/data-home.js';
import { systemCtx } from './platform/due/step.js';
import { giveUp } from './platform/give-up.js';
import { createLogger, type Logger } from './platform/log.js';
import { migrate } from './platform/postgres/migration.js';
import type { Line } from './platform/processes/line.js';
import { type Addresses, type Assignment, lineToPrimary, onOrphaned, type RunningProcesses, startProcesses } from './primary.js';
import { type RunningServer, startServer } from './server.js';

/** The most that an orderly end may take. */
const longestStopMs = 9_000;
/** What was started by the first process ends before that, so that the first one ends in order too. */
const longestStopOfOneMs = 7_500;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Runs the platform until a signal stops it. */
export async function serve(): Promise<void> {
  const primary = lineToPrimary();
  if (primary !== undefined) return serveBeside(primary);
  const config = loadConfig();
  const log = createLogger(config.logLevel);
  const home = await openDataHome(config, say);
  const { server, keys } = await start(home, log).catch(async (error) => {
    await home.stop();
    throw error;
  });
  const end = async () => {
    await server.stop();
    await home.stop();
  };
  stopOnSignal(end, log, longestStopMs);
  greet(server, keys?.testKey ?? config.bootstrapTestKey);
  if ('lost' in server) {
    const error = await server.lost;
    await end();
    throw error;
  }
}

async function start({ config }: DataHome, log: Logger): Promise<{ server: RunningServer | RunningProcesses; keys: CreatedTenant | null }> {
  await migrate(config.databaseUrl);
  let keys: CreatedTenant | null = null;
  // Before anything listens, so that a key works as soon as /health answers.
  const prepare = async (platform: Platform) => {
    keys = await bootstrapTenant(platform, config);
    if (keys === null) return;
    showKeys(keys, config);
    await watchDemo(platform, keys);
  };
  const isAlone = config.processes === 1 || config.role === 'worker';
  return { server: await (isAlone ? startServer : startProcesses)({ config, log, prepare }), keys };
}

/** Serves as one of several processes, until the first one says that it is enough, or is gone. */
async function serveBeside(primary: Line): Promise<void> {
  try {
    const { number, config } = await primary.ask<Assignment>('assignment', undefined, longestStopMs);
    const log = createLogger(config.logLevel).child({ process: number });
    const server = await startServer({ config, log, primary });
    const stop = stopOnSignal(() => server.stop(), log, longestStopOfOneMs);
    onOrphaned(primary, () => void stop('the first process has ended'));
    const { urls, metricsUrl } = server;
    primary.tell('ready', { urls, ...(metricsUrl !== undefined && { metricsUrl }) });
  } catch (error) {
    // The first process says why: all others may have failed for the same reason.
    await primary.ask('failed', error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}

/** The runaway breaker watches both halves of the demo tenant. It stops nobody there. */
async function watchDemo(platform: Platform, { tenantId }: CreatedTenant): Promise<void> {
  for (const environment of ['live', 'test'] as const) {
    const workspace = await tenantWorkspace(platform, tenantId, environment);
    if (workspace !== null) await setDetectors(systemCtx(platform, workspace, { action: 'setBreakers' }), demoDetectors);
  }
}

/**
 * Ends the process in order at the first SIGTERM or SIGINT. Later ones are ignored: npm passes on what its child has received already, and
 * a second one must not interrupt the end and leave the embedded PostgreSQL running. Returns what ends the process for another reason.
 */
function stopOnSignal(end: () => Promise<void>, log: Logger, withinMs: number): (signal: string) => Promise<void> {
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    // Whatever hangs, the process ends.
    setTimeout(() => process.exit(1), withinMs).unref();
    await end();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return stop;
}

/**
 * At once: a start that fails after it has made the tenant must not lose them. Whichever process made the tenant shows them. What a container
 * prints is collected and kept, so its image asks for no live key. Gap G-418
 */
function showKeys({ tenantId, liveKey, testKey }: CreatedTenant, { printKeys, bootstrapLiveKey }: Config): void {
  const another =
    bootstrapLiveKey === null
      ? `Make one: node dist/cli.js key create --tenant ${tenantId} --environment live`
      : 'It is that of BOOTSTRAP_LIVE_KEY.';
  const live = printKeys ? liveKey : `not printed (PRINT_KEYS). ${another}`;
  say(`A demo tenant was made. Its keys are shown once; keep them:

  live  ${live}
  test  ${testKey}
`);
}

function greet({ urls: { live, test }, metricsUrl }: Addresses, testKey: string | null): void {
  if (live === undefined || test === undefined) {
    say(`Working. No listeners in this role${metricsUrl === undefined ? '.' : `, but ${metricsUrl}/metrics`}`);
    return;
  }
  say(`
Agent Payments is ready, ${(process.uptime()).toFixed(1)} s after the start.

  Production  ${live}
  Sandbox     ${test}
  Reference   ${test}/docs
  GraphiQL    ${test}/graphql
  Console     ${test}/console${metricsUrl === undefined ? '' : `\n  Metrics     ${metricsUrl}/metrics`}

First call:

  curl -s ${test}/v1/me -H 'Authorization: Bearer ${testKey ?? '<your test key>'}'

Next: npm run demo plays two agents that pay each other. npm run --silent cli -- --help lists what else there is.${
    testKey === null ? '\nNo key at hand? npm run --silent cli -- tenant create --name "My company" makes a tenant with two.' : ''
  }
`);
}

if (process.argv[1] !== undefined && /[\\/]main\.[jt]s$/.test(process.argv[1])) serve().catch(giveUp);
