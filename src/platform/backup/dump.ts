// A dump of PostgreSQL, put into a database by the programs of the machine.
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { BackupBroken, CannotCheck } from './failure.js';
import { addressFor, runPiped, runProgram } from './program.js';

/** What pg_dump writes: an archive, which pg_restore reads, or statements, which psql runs. */
type Format = 'archive' | 'plain';

/** Where a restore goes. */
export interface Target {
  url: string;
  /** For files of a moment. */
  folder: string;
  signal: AbortSignal;
}

// Owners and rights name users of the server that was dumped, which the scratch does not have.
const asOwn = ['--exit-on-error', '--no-owner', '--no-privileges'];

/** Puts a dump into an empty database. Throws BackupBroken for what is no dump, or not a whole one. */
export async function restoreDump(file: string, { url, folder, signal }: Target): Promise<void> {
  const format = await formatOf(file);
  const address = await addressFor(url, folder, 'scratch');
  const psql = ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', `--dbname=${address}`];
  const fault =
    format === 'archive'
      ? await runProgram('pg_restore', [...asOwn, `--dbname=${address}`, file], { signal })
      : await runProgram('psql', psql, { signal, input: Readable.from(statementsOf(file)) });
  if (fault !== null) throw failureOf(`The dump ${file} cannot be restored`, fault);
}

/** Copies a database that is served into an empty one: it is dumped and restored in one go. */
export async function copyDatabase(from: string, { url, folder, signal }: Target): Promise<void> {
  const dump = ['pg_dump', '--format=custom', '--compress=0', `--dbname=${await addressFor(from, folder, 'source')}`];
  const restore = ['pg_restore', ...asOwn, `--dbname=${await addressFor(url, folder, 'scratch')}`];
  const fault = await runPiped(dump, restore, signal);
  if (fault !== null) throw failureOf('The database of --url cannot be copied', fault);
}

/** A program that is too old says so, and one that reaches no server: then the backup is not at fault. */
function failureOf(what: string, fault: string): Error {
  if (/unsupported version|server version mismatch/.test(fault))
    return new CannotCheck(`${what}: ${fault}. Use the programs of the version of PostgreSQL that it was made with, or newer ones.`);
  if (/connection to server|could not connect/.test(fault)) return new CannotCheck(`${what}: ${fault}`);
  return new BackupBroken(`${what}: ${fault}`);
}

async function formatOf(file: string): Promise<Format> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new CannotCheck(error.code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${error.code}`);
  });
  if (found.isDirectory()) {
    if (await stat(path.join(file, 'toc.dat')).catch(() => null)) return 'archive';
    throw new BackupBroken(`${file} is no dump of PostgreSQL: the folder has no toc.dat.`);
  }
  const head = await firstBytes(file);
  if (head.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b]))) throw new CannotCheck(`${file} is compressed by gzip: unpack it first.`);
  const isArchive = head.subarray(0, 5).toString() === 'PGDMP' || head.subarray(257, 262).toString() === 'ustar';
  if (isArchive) return 'archive';
  if (head.toString('latin1').includes('-- PostgreSQL database dump')) return 'plain';
  throw new BackupBroken(`${file} is no dump of PostgreSQL${found.size === 0 ? ': it is empty' : ''}.`);
}

async function firstBytes(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Commands of psql that stand in each dump: they keep psql from running others. */
const ofDump = /^\\(un)?restrict\b/;
const endOfRows = '\\.';
const lastLine = '-- PostgreSQL database dump complete';

/**
 * The statements of a dump, without owners and rights. Throws for a command of psql, which could reach another database or the machine, and
 * for a dump without its last line.
 */
async function* statementsOf(file: string): AsyncGenerator<string> {
  let isInRows = false;
  let isWhole = false;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (isInRows) isInRows = line !== endOfRows;
    else {
      if (line.startsWith('\\') && !ofDump.test(line))
        throw new BackupBroken(`${file} has a command of psql, ${line.split(' ')[0]}: pg_dump of one database writes none.`);
      if (/^ALTER .* OWNER TO .*;$|^(GRANT|REVOKE) .*;$|^ALTER DEFAULT PRIVILEGES /.test(line)) continue;
      isInRows = /^COPY .* FROM stdin;$/.test(line);
      isWhole ||= line === lastLine;
    }
    yield `${line}\n`;
  }
  if (!isWhole) throw new BackupBroken(`The dump ${file} cannot be restored: its end is missing.`);
}
