// The process: settings, data, listeners, worker, and an orderly end. main.ts runs it.
import { type Config, loadConfig } from './config.js';
import { checkSecretsKey } from './contexts/identity/signing-key.js';
import { bootstrapTenant, type CreatedTenant, tenantWorkspace } from './contexts/identity/tenant.js';
import { inviteFirstOwner } from './contexts/people/invitation.js';
import { demoDetectors, setDetectors } from './contexts/spending/breaker/breaker.js';
import { checkPort } from './http/listening.js';
import { migrateOthers } from './platform/cell/every-cell.js';
import type { Platform } from './platform/ctx.js';
import { type DataHome, openDataHome } from './platform/data-home.js';
import { systemCtx } from './platform/due/step.js';
import { createLogger, type Logger } from './platform/log.js';
import { migrate } from './platform/postgres/migration.js';
import type { Line } from './platform/processes/line.js';
import { commandLine, isInstalled } from './platform/program.js';
import { type Addresses, type Assignment, lineToPrimary, onOrphaned, type RunningProcesses, startProcesses } from './primary.js';
import { closePlatform, openPlatform, type RunningServer, type ServerOptions, startServer } from './server.js';

/** The most that an orderly end may take, beside its draining. */
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
  await checkPorts(config);
  say(config.databaseUrl === null ? `Opening the database in ${config.dataDir}.` : 'Connecting to the database of DATABASE_URL.');
  const home = await openDataHome(config, say);
  const { server, keys, ownerLink } = await start(home, log).catch(async (error) => {
    await home.stop();
    throw await home.explain(error);
  });
  const end = async () => {
    await server.stop();
    await home.stop();
  };
  stopOnSignal(end, log, longestStopMs + config.drainSeconds * 1_000);
  greet(server, keys?.testKey ?? config.bootstrapTestKey);
  if (ownerLink !== null && !hasFixedPlace(config)) showOwnerLink(ownerLink, server);
  if ('lost' in server) {
    const error = await server.lost;
    await end();
    throw error;
  }
}

/** Says that a port is taken before anything is made. */
async function checkPorts({ role, host, port, sandboxPort, metricsPort }: Config): Promise<void> {
  const listeners =
    role === 'worker'
      ? []
      : [
          { setting: 'PORT', port },
          { setting: 'SANDBOX_PORT', port: sandboxPort },
        ];
  const probes = metricsPort === null ? [] : [{ setting: 'METRICS_PORT', port: metricsPort }];
  for (const place of [...listeners, ...probes]) if (place.port > 0) await checkPort({ ...place, host });
}

interface Started {
  server: RunningServer | RunningProcesses;
  /** Of the tenant that was made. */
  keys: CreatedTenant | null;
  /** Where its first owner joins, at the port of the settings. */
  ownerLink: string | null;
}

/** Brings the other cells up to date. One that is away, or fails, stops no other and not the start: its tenants wait until it is migrated. */
async function migrateCells(platform: Platform, log: Logger): Promise<void> {
  for (const { cell, failure } of await migrateOthers(platform, { kinds: 'expand' }))
    if (failure !== undefined) log.error({ cell, reason: failure }, 'a cell was not brought up to date: run migrate when it is back');
}

/**
 * What does not keep a process from serving: indexes that are made beside the traffic, and what only processes of before have used, once
 * none of them lives. The next start goes on with what this one leaves.
 */
async function finishMigrations({ config, log }: ServerOptions): Promise<void> {
  const onRetry = (reason: string) => log.warn({ reason }, 'a migration waits');
  try {
    const applied = await migrate(config.databaseUrl, { onRetry });
    if (applied.length > 0) log.info({ applied }, 'migrations were applied beside the traffic');
    const platform = await openPlatform({ config, log });
    for (const { cell, failure } of await migrateOthers(platform, { onRetry }))
      if (failure !== undefined) log.error({ cell, reason: failure }, 'migrations of a cell are left: run migrate');
    await closePlatform(platform);
  } catch (error) {
    log.error({ err: error }, 'migrations are left: run migrate');
  }
}

async function start(home: DataHome, log: Logger): Promise<Started> {
  const { config, secretsFrom } = home;
  say('Bringing its tables up to date.');
  await migrate(config.databaseUrl, { kinds: 'start', onRetry: say });
  say('Starting the server.');
  let keys: CreatedTenant | null = null;
  let ownerLink: string | null = null;
  // Before anything listens, so that a key works as soon as /health answers.
  const prepare = async (platform: Platform) => {
    await migrateCells(platform, log);
    await checkSecretsKey(platform, secretsFrom);
    keys = await bootstrapTenant(platform, config);
    if (keys === null) return;
    if (config.printKeys) ownerLink = await firstOwnerLink(platform, keys);
    showKeys(keys, config, ownerLink);
    await watchDemo(platform, keys);
  };
  const isAlone = config.processes === 1 || config.role === 'worker';
  const server = await (isAlone ? startServer : startProcesses)({ config, log, prepare });
  void finishMigrations({ config, log });
  return { server, keys, ownerLink };
}

/** Serves as one of several processes, until the first one says that it is enough, or is gone. */
async function serveBeside(primary: Line): Promise<void> {
  try {
    const { number, config } = await primary.ask<Assignment>('assignment', undefined, longestStopMs);
    const log = createLogger(config.logLevel).child({ process: number });
    const server = await startServer({ config, log, primary });
    const stop = stopOnSignal(() => server.stop(), log, longestStopOfOneMs + config.drainSeconds * 1_000);
    onOrphaned(primary, () => void stop('the first process has ended'));
    const { urls, metricsUrl } = server;
    primary.tell('ready', { urls, ...(metricsUrl !== undefined && { metricsUrl }) });
  } catch (error) {
    // The first process says why: all others may have failed for the same reason.
    await primary.ask('failed', error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}

/** The link at which somebody becomes the first owner of the demo tenant. */
async function firstOwnerLink(platform: Platform, { tenantId }: CreatedTenant): Promise<string | null> {
  const workspace = await tenantWorkspace(platform, tenantId, 'test');
  if (workspace === null) return null;
  return inviteFirstOwner(systemCtx(platform, workspace, { action: 'createInvitation', resourceType: 'invitation' }));
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

// Gap G-418: `PRINT_KEYS` says whether the live key is printed; the Dockerfile sets it to `false`.
/**
 * At once: a start that fails after it has made the tenant must not lose them. Whichever process made the tenant shows them. What a
 * container prints is collected and kept, so its image asks for no live key.
 */
function showKeys({ tenantId, liveKey, testKey }: CreatedTenant, config: Config, link: string | null): void {
  const { printKeys, bootstrapLiveKey } = config;
  const another =
    bootstrapLiveKey === null
      ? `Make one: ${inPlace('key create')} --tenant ${tenantId} --environment live`
      : 'It is that of BOOTSTRAP_LIVE_KEY.';
  const live = printKeys ? liveKey : `not printed (PRINT_KEYS). ${another}`;
  const printed = link === null || hasFixedPlace(config) ? link : 'The link follows when the server listens: SANDBOX_PORT is 0.';
  const owner =
    printed ?? `not printed (PRINT_KEYS). Make a link: ${inPlace('member invite')} --tenant ${tenantId} --email YOU --role owner`;
  say(`A demo tenant was made. Its keys are shown once; keep them:

  live  ${live}
  test  ${testKey}

Its first owner joins in a browser, within a day:

  ${owner}
`);
}

/** A command as it is typed where the platform runs; a container has no npm. */
const inPlace = (command: string): string => (isInstalled ? commandLine(command) : `node dist/cli.js ${command}`);

/** True where the address of the sandbox is known before anything listens. */
function hasFixedPlace({ role, sandboxUrl, sandboxPort }: Config): boolean {
  return role === 'worker' || sandboxUrl !== null || sandboxPort > 0;
}

/** The link of the first owner, at the port that was picked. */
function showOwnerLink(link: string, { urls }: Addresses): void {
  say(`The first owner joins in a browser, within a day:\n\n  ${urls.test ?? ''}${link.slice(new URL(link).origin.length)}\n`);
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
  Docs        ${test}/docs
  GraphiQL    ${test}/graphql
  Console     ${test}/console${metricsUrl === undefined ? '' : `\n  Metrics     ${metricsUrl}/metrics`}

First call:

  curl -s ${test}/v1/me -H 'Authorization: Bearer ${testKey ?? '<your test key>'}'

Next: ${isInstalled ? commandLine('demo') : 'npm run demo'} plays two agents that pay each other. ${commandLine('--help')} lists what else there is.${
    testKey === null ? `\nNo key at hand? ${commandLine('tenant create --name "My company"')} makes a tenant with two.` : ''
  }
`);
}
