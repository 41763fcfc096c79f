// A command of the command line that works on the database, in the process of the test: another process costs a second for each. That the
// program finds its commands and ends as they do is seen where real processes run them (runCli of process.ts).
import { administration } from '../src/cli/administration.js';
import type { Ended } from './process.js';

/** Runs a command as the program would, with these settings and no others of its own. */
export async function runHere(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Omit<Ended, 'signal'>> {
  const [noun = '', verb = '', ...rest] = args;
  const command = administration[`${noun} ${verb}` as keyof typeof administration];
  const { stdout: out, stderr: err } = process;
  const before = { env: process.env, write: out.write, complain: err.write, exitCode: process.exitCode };
  let stdout = '';
  let said = '';
  const ended = (code: number, stderr: string) => ({ code, stdout, stderr });
  try {
    // Vite puts a BASE_URL of its own into the environment.
    process.env = { PATH: before.env['PATH'], HOME: before.env['HOME'], ...env };
    out.write = (text: string | Uint8Array) => {
      stdout += text;
      return true;
    };
    err.write = (text: string | Uint8Array) => {
      said += text;
      return true;
    };
    await command(rest);
    return ended(Number(process.exitCode ?? 0), said);
  } catch (error) {
    return ended(1, `${said}${error instanceof Error ? error.message : error}\n`);
  } finally {
    out.write = before.write;
    err.write = before.complain;
    process.env = before.env;
    process.exitCode = before.exitCode;
  }
}
