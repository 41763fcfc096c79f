// Holds new migrations and the SQL functions to the rules of upgrades (decision 0093): squawk, and our own (migration-rule.ts).
//   npm run migrate:lint                 exit 1 and a line for each fault
//   npm run migrate:lint -- --released   after a release: remembers the signatures of its functions in prisma/released.json
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Migration, mustSayKind, prismaDir, readMigrations, release } from '../src/platform/postgres/migration-file.js';
import { readFunctions } from '../src/platform/postgres/sql-file.js';
import { functionFaults, migrationFaults, type Signature, signaturesOf } from './migration-rule.js';

/** The signatures that the newest release has. */
const releasedFile = path.join(prismaDir, 'released.json');

/** The runner sets the timeouts and can repeat what failed; the schema is written by Prisma; what is taken away our own rules know by kind. */
const notAsked = [
  'require-lock-timeout',
  'require-statement-timeout',
  'prefer-robust-stmts',
  'prefer-text-field',
  'prefer-bigint-over-int',
  'prefer-identity',
  'prefer-timestamp-tz',
  'require-enum-value-ordering',
];
const ofContract = ['ban-drop-column', 'ban-drop-table', 'renaming-column', 'renaming-table', 'changing-column-type', 'ban-drop-not-null'];

/** What squawk says of a migration. */
export function squawkFaults({ name, kind, sql }: Pick<Migration, 'name' | 'kind' | 'sql'>): string[] {
  const bin = path.join(path.dirname(createRequire(import.meta.url).resolve('squawk-cli/package.json')), 'js', 'bin', 'squawk');
  const transaction = kind === 'background' ? [] : ['--assume-in-transaction'];
  const excluded = [
    ...notAsked,
    ...(kind === 'contract' ? ofContract : []),
    ...(kind === 'background' ? ['adding-not-nullable-field'] : []),
  ];
  const args = [
    bin,
    ...transaction,
    '--pg-version=15',
    '--reporter=json',
    `--exclude=${excluded.join(',')}`,
    '--stdin-filepath=migration.sql',
  ];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { input: sql, encoding: 'utf8' });
  if (stdout === '') throw new Error(`squawk ended with ${status}: ${stderr}`);
  const found = JSON.parse(stdout) as { line: number; rule_name: string; message: string }[];
  return found.map(({ line, rule_name: rule, message }) => `${name} line ${line + 1}: ${message} (squawk: ${rule})`);
}

/** Every fault below a folder of migrations and functions. A wrong first line of one hides no other. */
export async function lint(dir: string, released: readonly Signature[]): Promise<string[]> {
  const migrations = await readMigrations(dir);
  const fresh = migrations.filter(({ name }) => mustSayKind(name));
  const functions = await readFunctions(path.join(dir, 'functions'));
  return [
    ...(await Promise.all(migrations.map(migrationFaults))).flat(),
    ...fresh.flatMap(squawkFaults),
    ...(await Promise.all(functions.map((file) => functionFaults(file, released)))).flat(),
  ];
}

async function remember(): Promise<void> {
  const functions = await readFunctions(path.join(prismaDir, 'functions'));
  const signatures = (await Promise.all(functions.map(({ sql }) => signaturesOf(sql)))).flat();
  signatures.sort((a, b) => a.signature.localeCompare(b.signature));
  writeFileSync(releasedFile, `${JSON.stringify({ release, signatures }, null, 1)}\n`);
}

async function main(): Promise<void> {
  if (process.argv.includes('--released')) return remember();
  const { signatures } = JSON.parse(readFileSync(releasedFile, 'utf8')) as { signatures: Signature[] };
  const faults = await lint(prismaDir, signatures).catch((error: Error) => [error.message]);
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
