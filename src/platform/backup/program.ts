// The programs of PostgreSQL that the machine has: pg_dump, pg_restore and psql. What they say is told by its first line, because the others
// quote rows.
import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CannotCheck } from './failure.js';

/** A program under way. */
interface Running {
  output: Readable;
  input: NodeJS.WritableStream;
  /** The first line of what was wrong; null when it ended well. Rejects where the program is not there. */
  ended: Promise<string | null>;
}

/** What is kept of the words of a program, in characters. */
const longestSaid = 8_000;

/** Starts a program of PostgreSQL. `signal` ends it. */
function start(name: string, args: readonly string[], signal: AbortSignal): Running {
  const child = spawn(name, args, { stdio: ['pipe', 'pipe', 'pipe'], signal });
  let said = '';
  child.stderr.on('data', (part: Buffer) => {
    said = (said + part.toString()).slice(0, longestSaid);
  });
  // A program that ends early leaves what was still to be written to it.
  child.stdin.on('error', () => {});
  const ended = new Promise<string | null>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ENOENT' ? missing(name) : error));
    child.once('close', (code) => resolve(code === 0 ? null : firstFault(said) || `${name} ended with ${code}`));
  });
  ended.catch(() => {});
  return { output: child.stdout, input: child.stdin, ended };
}

const missing = (name: string): CannotCheck =>
  new CannotCheck(`${name} is not in the PATH: install the client programs of PostgreSQL (Debian: apt-get install postgresql-client).`);

/** The line that says what went wrong. Lines after it quote statements and rows. */
function firstFault(said: string): string {
  const lines = said.split('\n').map((line) => line.trim());
  const fault = lines.find((line) => /error:|ERROR:|FATAL:/.test(line)) ?? lines.find((line) => line !== '') ?? '';
  return fault.slice(0, 300);
}

/** Runs a program to its end. Answers what was wrong, or null. `input` is what it reads. */
export async function runProgram(
  name: string,
  args: readonly string[],
  { signal, input }: { signal: AbortSignal; input?: Readable },
): Promise<string | null> {
  const program = start(name, args, signal);
  program.output.resume();
  if (input === undefined) program.input.end();
  else await pipeline(input, program.input).catch((error: unknown) => passEnd(error));
  return program.ended;
}

/** Runs a program whose output another one reads. Answers what was wrong with either: of the first one, where both failed. */
export async function runPiped(from: readonly string[], to: readonly string[], signal: AbortSignal): Promise<string | null> {
  const [writer, reader] = [from, to].map(([name = '', ...args]) => start(name, args, signal)) as [Running, Running];
  writer.input.end();
  reader.output.resume();
  const passed = pipeline(writer.output, reader.input).catch((error: unknown) => passEnd(error));
  const [wrote, read] = await Promise.all([writer.ended, reader.ended, passed]);
  return wrote ?? read;
}

/** A program that ended says itself why. What was wrong with the other side is told. */
function passEnd(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EPIPE' && code !== 'ERR_STREAM_PREMATURE_CLOSE' && code !== 'ECONNRESET') throw error;
}

/**
 * An address for the programs, without its password: that stands in a file, because everybody on the machine sees the arguments of a
 * program. `remove` deletes the file.
 */
export async function addressFor(url: string, folder: string, name: string): Promise<string> {
  const address = new URL(url);
  const password = decodeURIComponent(address.password) || (address.searchParams.get('password') ?? '');
  address.password = '';
  address.searchParams.delete('password');
  if (password === '') return address.href;
  const file = path.join(folder, `password-${name}`);
  await rm(file, { force: true });
  await writeFile(file, `*:*:*:*:${password.replace(/[\\:]/g, '\\$&')}\n`, { mode: 0o600, flag: 'wx' });
  address.searchParams.set('passfile', file);
  return address.href;
}
