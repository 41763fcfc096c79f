// `backup verify`: puts a backup into a scratch database and says whether the platform could go on from it.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, loadConfig } from '../config.js';
import { copyDatabase, restoreDump } from '../platform/backup/dump.js';
import { BackupBroken, CannotCheck } from '../platform/backup/failure.js';
import { type Scratch, scratchDatabase, scratchOfFiles, scratchServer } from '../platform/backup/scratch.js';
import { ownSecretsFile, readSecretsFile } from '../platform/data-home.js';
import { formatMinor } from '../platform/money.js';
import { printSubject } from '../platform/schema/id.js';
import { flag, say, text } from './argument.js';
import { type BackupCheck, type BackupConfig, type BackupReport, checkBackup } from './backup-check.js';

const options = { dump: text, url: text, 'data-dir': text, scratch: text, json: flag };

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

// Gap G-821: A backup that cannot be put back is a check that failed (1); 2 is for what the machine lacks.
/** A check failed. */
const exitFailed = 1;
/** Nothing was checked. */
const exitCannot = 2;

/** What a command has found out: its report, or why the backup could not be put back. */
type Outcome = BackupReport | { fault: string };

async function verifyBackup(args: string[]): Promise<void> {
  let isJson = args.includes('--json');
  try {
    const { values } = parseArgs({ args, options });
    isJson = values.json === true;
    const outcome = await verify(values);
    const isGood = !('fault' in outcome) && outcome.checks.every(({ status }) => status !== 'failed');
    say(isJson ? JSON.stringify(jsonOf(outcome, isGood)) : textOf(outcome, isGood));
    process.exitCode = isGood ? 0 : exitFailed;
  } catch (error) {
    const said = `The backup was not checked. ${(error as Error).message}`;
    if (isJson) say(JSON.stringify({ valid: null, error: said }));
    else process.stderr.write(`${said}\n`);
    process.exitCode = exitCannot;
  }
}

/** Puts the backup back, checks it, and removes what was made for that, also where the command is interrupted. */
async function verify(values: Values): Promise<Outcome> {
  const given = [values.dump, values.url, values['data-dir']].filter((one) => one !== undefined);
  if (given.length !== 1) throw new CannotCheck('Name one backup: --dump FILE, --url URL or --data-dir DIR; see --help.');
  const config = await configFor(loadConfig(), values['data-dir']);
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  process.once('SIGINT', leave).once('SIGTERM', leave);
  let scratch: Scratch | undefined;
  try {
    scratch = await openScratch(values, config);
    // What goes on in the database ends with it.
    leaving.signal.addEventListener('abort', () => void scratch?.remove().catch(() => {}));
    if (values.dump !== undefined) await restoreDump(values.dump, { ...scratch, signal: leaving.signal });
    if (values.url !== undefined) await copyDatabase(values.url, { ...scratch, signal: leaving.signal });
    return await checkBackup(scratch, config);
  } catch (error) {
    if (leaving.signal.aborted) throw new CannotCheck('It was stopped.');
    if (error instanceof BackupBroken) return { fault: error.message };
    throw error;
  } finally {
    process.removeListener('SIGINT', leave).removeListener('SIGTERM', leave);
    await scratch?.remove();
  }
}

// Gap G-820: Without --scratch and DATABASE_URL the scratch is an embedded PostgreSQL; `--url` is copied by pg_dump before it is checked.
/** A database on the server that is named, on that of DATABASE_URL, or an embedded one. Files are opened where they are copied to. */
function openScratch(values: Values, { databaseUrl }: Config): Promise<Scratch> {
  const folder = values['data-dir'];
  if (folder !== undefined) {
    if (values.scratch !== undefined) throw new CannotCheck('--scratch is for dumps: files are opened by the embedded PostgreSQL.');
    return scratchOfFiles(path.resolve(folder));
  }
  const server = values.scratch ?? databaseUrl;
  return server === null ? scratchServer() : scratchDatabase(server);
}

// Gap G-822: `backup verify --data-dir` checks a copy of DATA_DIR: pg_dump of another version refuses the embedded server.
/** The settings, with the master keys: of the environment, or of the file that an embedded database has beside it. */
async function configFor(config: Config, folder: string | undefined): Promise<BackupConfig> {
  if (config.secretsKey !== null) return { ...config, secretsKey: config.secretsKey };
  const file = folder === undefined ? ownSecretsFile(config) : path.join(path.resolve(folder), 'secrets-key');
  const isThere = file !== null && (await readFile(file).catch(() => null)) !== null;
  if (!isThere)
    throw new CannotCheck('SECRETS_KEY is required: the key that was kept beside the backup. Without it no sealed value opens.');
  const [secretsKey = '', ...secretsKeysOld] = await readSecretsFile(file);
  return { ...config, secretsKey, secretsKeysOld };
}

const words: Record<BackupCheck['status'], string> = { ok: 'ok', failed: 'FAILED', skipped: 'skipped' };

function textOf(outcome: Outcome, isGood: boolean): string {
  if ('fault' in outcome) return `FAILED   ${outcome.fault}`;
  const { checks, orders, newestEntry } = outcome;
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, status, text: said, found }) => [
    `${words[status].padEnd(8)} ${name.padEnd(width)}  ${said}`,
    ...found.map((fault) => `         ${fault}`),
  ]);
  const waiting = orders.map(
    ({ what, rail, amount, currency, ...order }) =>
      `         ${printSubject(what, order.id)} ${rail} ${formatMinor(BigInt(amount), currency)} ${currency}`,
  );
  return [
    ...lines,
    `newest entry of the ledger: ${newestEntry?.toISOString() ?? 'none'}. What came later is not in the backup.`,
    ...(waiting.length === 0
      ? []
      : ['Orders without a reference, to compare with the statements of their rails before a worker starts:', ...waiting]),
    isGood ? 'The backup is good.' : 'The backup is NOT good.',
  ].join('\n');
}

function jsonOf(outcome: Outcome, isGood: boolean): object {
  if ('fault' in outcome)
    return { valid: false, checks: [{ name: 'restored', status: 'failed', text: outcome.fault, found: [outcome.fault] }] };
  const { checks, orders, newestEntry } = outcome;
  return {
    valid: isGood,
    checks,
    orders: orders.map(({ what, id, workspaceId, rail, amount, currency }) => ({
      id: printSubject(what, id),
      workspace_id: workspaceId,
      rail,
      amount: formatMinor(BigInt(amount), currency),
      currency,
    })),
    newest_entry: newestEntry?.toISOString() ?? null,
  };
}

export const backupCommands = { 'backup verify': verifyBackup } satisfies Record<string, (args: string[]) => Promise<void>>;
