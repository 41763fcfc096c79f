// Secrets that the file of rails refers to: a variable of the environment, or a file that its owner alone may read. None stands in it.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

/** Where a secret stands. */
export type SecretRef = { env: string } | { file: string };

/** What references are read with. */
export interface SecretPlace {
  /** The folder of the file that has the reference, from which paths begin. */
  folder: string;
  /** The environment of the process. */
  variable(name: string): string | undefined;
}

const form = 'must be {env: NAME} or {file: PATH}';

/** A reference to a secret. A secret itself is refused, and not repeated. */
export const secretRef: z.ZodType<SecretRef> = z.unknown().transform((value, ctx): SecretRef => {
  const refuse = (message: string): never => {
    ctx.issues.push({ code: 'custom', message, input: undefined });
    return z.NEVER;
  };
  if (value === undefined) return refuse('is required');
  if (typeof value === 'string' || typeof value === 'number') return refuse(`is a secret, which does not stand in this file: it ${form}`);
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const [[name, at] = ['', undefined], another] = entries;
  if (another !== undefined || typeof at !== 'string' || at === '') return refuse(form);
  if (name === 'env') return /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(at) ? { env: at } : refuse('must name a variable of the environment');
  return name === 'file' ? { file: at } : refuse(form);
});

/** The text of a secret, without the line feed at its end. Throws one sentence for a reference that leads to none; the secret is in no message. */
export async function readSecret(ref: SecretRef, { folder, variable }: SecretPlace): Promise<string> {
  const text = 'env' in ref ? variable(ref.env) : await readPrivateFile(path.resolve(folder, ref.file));
  const secret = text?.replace(/\r?\n$/, '') ?? '';
  if (secret !== '') return secret;
  throw new Error('env' in ref ? `the variable ${ref.env} is not set` : `${ref.file} is empty`);
}

/** A file that its owner alone may read: at most 64 KiB. Throws one sentence for another. */
export async function readPrivateFile(file: string): Promise<string> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? `there is no file ${file}` : `${file} cannot be read: ${error.code}`);
  });
  if (!found.isFile()) throw new Error(`${file} is no file`);
  if ((found.mode & 0o077) !== 0) throw new Error(`${file} may be read by others than its owner: chmod 600 it`);
  if (found.size > 65_536) throw new Error(`${file} is longer than 64 KiB`);
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file} cannot be read: ${error.code}`);
  });
}
