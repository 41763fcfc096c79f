// The commands about rails of production: what their file says, whether they are in order, and their switch.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { configuredRails } from '../contexts/rails/configured-rails.js';
import { dayOf } from '../contexts/rails/connector-order.js';
import { examine, lookAt } from '../contexts/rails/doctor.js';
import { operatorWorkspace } from '../contexts/rails/operator.js';
import { operatorFault } from '../contexts/rails/operator.sql.js';
import { proveRail, type RailProof } from '../contexts/rails/proof.js';
import { type ConfiguredRail, type Finding, railKinds } from '../contexts/rails/rail-kind.js';
import { openOrdersOf, standingOf, usedOfDay } from '../contexts/rails/rail-state.sql.js';
import { readRailsFile } from '../contexts/rails/rails-file.js';
import { type SwitchInput, switchRail } from '../contexts/rails/switch.js';
import { manifest } from '../contexts.js';
import type { Platform } from '../platform/ctx.js';
import { systemCtx } from '../platform/due/step.js';
import { formatMinor } from '../platform/money.js';
import { flag, ofData, required, say, settingsOf, text } from './argument.js';
import { withPlatform } from './with-platform.js';

/** Reads a file of rails: what it names, or all that is wrong in it. It needs no database; with DATABASE_URL it looks whose rails they are. */
export async function checkRailsFile(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: { json: flag }, allowPositionals: true });
  const file = required(positionals[0], 'the file of rails');
  const { variable, databaseUrl } = settingsOf({});
  const { operator, rails } = await readRailsFile(file, manifest.extensions().of(railKinds), variable);
  const fault = databaseUrl === null ? null : await faultOfTenants(databaseUrl, operator);
  if (fault !== null) throw new Error(`${file}: ${fault}`);
  if (values.json) return say(JSON.stringify({ operator, rails: rails.map(described) }));
  say(rails.map((rail) => `${rail.name}  ${Object.values(described(rail).limits).join(' / ')} ${rail.currency}`).join('\n'));
  say('The file is right. Whether it fits the world outside: rails doctor');
}

/** What the tenants of a database find missing in a file. A database that does not answer says nothing of the file. */
async function faultOfTenants(connectionString: string, operator: string | null): Promise<string | null> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    return await operatorFault(client, operator);
  } catch (error) {
    process.stderr.write(`The tenants were not looked at: ${(error as Error).message}\n`);
    return null;
  } finally {
    await client.end();
  }
}

function described({ name, kind, currency, limits, workspaces, network }: ConfiguredRail) {
  const { perOrder, perDay, perDayCount } = limits;
  const shown = { per_order: formatMinor(perOrder, currency), per_day: formatMinor(perDay, currency), per_day_count: perDayCount };
  return { rail: name, kind, currency, network: network ?? null, workspaces, limits: shown };
}

/** The rails that a command is about: the one that it names, or all. */
export function railsNamed({ extensions, config }: Platform, name: string | undefined): ConfiguredRail[] {
  const { byName } = extensions.of(configuredRails);
  if (byName.size === 0)
    throw new Error(config.railsFile === null ? 'RAILS_FILE is not set: no rail is configured' : 'no rail is configured');
  if (name === undefined) return [...byName.values()];
  const rail = byName.get(name);
  if (rail === undefined) throw new Error(`${config.railsFile} names no rail ${name}: it has ${[...byName.keys()].join(', ')}`);
  return [rail];
}

function findingLine(rail: string, { check, ok, found, wanted, fix }: Finding): string {
  if (ok) return `ok     ${rail}  ${check}: ${found}`;
  return `WRONG  ${rail}  ${check}: ${found}; wanted ${wanted}${fix === null ? '' : `\n       ${fix}`}`;
}

async function statusOf(platform: Platform, rail: ConfiguredRail) {
  const { pool } = platform.database;
  const { status, reason, switchedAt, problems, healthAt, balances, passedAt, passedDigest } = await standingOf(pool, rail.name);
  const [used, open] = await Promise.all([usedOfDay(pool, rail.name, dayOf(platform.clock.now())), openOrdersOf(pool, rail.name)]);
  return {
    ...described(rail),
    status,
    reason,
    switched_at: switchedAt,
    examined_at: passedDigest === rail.digest ? passedAt : null,
    health: { at: healthAt, problems },
    balances,
    used_today: { amount: formatMinor(used.amount, rail.currency), count: used.orders },
    open: { count: open.count, amount: formatMinor(open.amount, rail.currency), oldest_at: open.oldestAt },
  };
}

function statusLine({ rail, currency, status, reason, used_today, limits, open, health }: Awaited<ReturnType<typeof statusOf>>): string {
  const used = `today ${used_today.amount} of ${limits.per_day} ${currency}, ${used_today.count} of ${limits.per_day_count} orders`;
  const wrong = health.problems.map(({ check, found }) => `\n       WRONG  ${check}: ${found}`).join('');
  return `${rail}  ${status}${reason === null ? '' : ` (${reason})`}  ${used}; open ${open.count}, ${open.amount} ${currency}${wrong}`;
}

const switchOptions = { ...ofData, reason: text, force: flag, yes: flag, json: flag } as const;

/** A command that switches a rail. */
const switchTo = (to: SwitchInput['to']) => async (args: string[]) => {
  const { values, positionals } = parseArgs({ args, options: switchOptions, allowPositionals: true });
  const name = required(positionals[0], 'the name of the rail');
  await withPlatform(settingsOf(values), async (platform) => {
    const [rail] = railsNamed(platform, name) as [ConfiguredRail];
    const workspace = await operatorWorkspace(platform);
    if (workspace === null) throw new Error('say in RAILS_FILE which tenant runs the platform: operator: <id of the tenant>');
    if (to !== 'off' && values.yes !== true) await refuseUnseen(platform, rail);
    const ctx = systemCtx(platform, workspace, { action: 'switchRail', resourceType: 'rail_switch' });
    const input = { rail: name, to, reason: values.reason ?? 'command line' };
    const { from, inFlight } = await switchRail(ctx, input, { force: values.force === true, hasSeen: true });
    if (values.json) return say(JSON.stringify({ rail: name, from, to, in_flight: inFlight }));
    say(inFlight.length === 0 ? `${name} is ${to}; it was ${from}.` : `${name} is ${to}. Still being sent: ${inFlight.join(', ')}`);
    if (inFlight.length > 0) process.exitCode = 1;
  });
};

/** After a restore a person sees first what was waiting. */
async function refuseUnseen(platform: Platform, rail: ConfiguredRail): Promise<void> {
  const { restoredAt } = await standingOf(platform.database.pool, rail.name);
  if (restoredAt === null) return;
  const { count, amount, oldestAt } = await openOrdersOf(platform.database.pool, rail.name);
  const since = oldestAt === null ? '' : `, the oldest since ${oldestAt.toISOString()}`;
  throw new Error(
    `The database was put back, so ${rail.name} went off. ${count} orders of ${formatMinor(amount, rail.currency)} ${rail.currency} ` +
      `are open${since}. Compare them with what has left (rails prove), and say --yes.`,
  );
}

/** A command ends so where what it looks at differs, and where it could not look. */
const [exitDiffers, exitCannot] = [1, 2];

function proofOf({ rail, currency, at, outside, ledger, inFlight, explained, difference }: RailProof) {
  const shown = (amount: bigint) => formatMinor(amount, currency);
  return {
    rail,
    currency,
    at,
    outside: outside.map(({ where, amount }) => ({ where, amount: shown(amount) })),
    ledger: shown(ledger),
    in_flight: shown(inFlight),
    difference: shown(difference),
    explained: explained.map((part) => ({ ...part, amount: shown(part.amount) })),
  };
}

function proofLines({ rail, currency, at, outside, ledger, in_flight, difference, explained }: ReturnType<typeof proofOf>): string {
  const lines = [
    ...outside.map(({ where, amount }) => [where, amount]),
    ['less the ledger: in, less out', ledger],
    ['less what is in flight', in_flight],
    ...explained.map(({ reason, amount, count }) => [`less ${reason.replace('_', ' ')} (${count})`, amount]),
    ['difference', difference],
  ];
  const head = `${rail}  ${currency} at block ${at.block}, ${at.time.toISOString()}`;
  return [head, ...lines.map(([what = '', amount = '']) => `  ${what.padEnd(60)}${amount.padStart(24)}`)].join('\n');
}

/** Proves the rails that a command names. Never throws: what could not be found out has an exit code of its own. */
async function prove(args: string[]): Promise<void> {
  const cannot = (rail: string, error: unknown) => {
    process.stderr.write(`${rail}could not be proven: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = exitCannot;
  };
  try {
    const { values, positionals } = parseArgs({ args, options: { ...ofData, json: flag }, allowPositionals: true });
    await withPlatform(settingsOf(values), async (platform) => {
      for (const rail of railsNamed(platform, positionals[0])) {
        try {
          const proof = await proveRail(platform, rail);
          if (proof === null) throw new Error(`a rail of kind ${rail.kind} has no proof`);
          const shown = proofOf(proof);
          say(values.json ? JSON.stringify(shown) : proofLines(shown));
          if (proof.difference !== 0n) process.exitCode ??= exitDiffers;
        } catch (error) {
          cannot(`${rail.name} `, error);
        }
      }
    });
  } catch (error) {
    cannot('', error);
  }
}

export const railsCommands = {
  'rails prove': prove,
  'rails doctor': async (args: string[]) => {
    const { values, positionals } = parseArgs({ args, options: { ...ofData, json: flag }, allowPositionals: true });
    await withPlatform(settingsOf(values), async (platform) => {
      for (const rail of railsNamed(platform, positionals[0])) {
        const findings = await examine(platform, rail);
        await lookAt(platform, rail);
        for (const finding of findings)
          say(values.json ? JSON.stringify({ rail: rail.name, ...finding }) : findingLine(rail.name, finding));
        if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
      }
    });
  },
  'rails status': async (args: string[]) => {
    const { values, positionals } = parseArgs({ args, options: { ...ofData, json: flag }, allowPositionals: true });
    await withPlatform(settingsOf(values), async (platform) => {
      for (const rail of railsNamed(platform, positionals[0])) {
        const status = await statusOf(platform, rail);
        say(values.json ? JSON.stringify(status) : statusLine(status));
      }
    });
  },
  'rails on': switchTo('on'),
  'rails drain': switchTo('draining'),
  'rails off': switchTo('off'),
} satisfies Record<string, (args: string[]) => Promise<void>>;
