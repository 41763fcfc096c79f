// What commands say, and how they read their arguments.
import path from 'node:path';
import { type Config, loadConfig } from '../config.js';

export const say = (text: string): void => void process.stdout.write(`${text}\n`);

export const text = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;

/** The value of an option that must be given. */
export function required(value: string | undefined, option: string): string {
  if (value === undefined || value === '') throw new Error(`--${option} is required; see --help`);
  return value;
}

/** The options that say which data a command works on. */
export const ofData = { 'data-dir': text } as const;

/** The settings of a command: `--data-dir` names the folder of the embedded database. */
export function settingsOf({ 'data-dir': folder }: { 'data-dir'?: string | undefined }): Config {
  const config = loadConfig();
  if (folder === undefined) return config;
  if (config.databaseUrl !== null)
    throw new Error('--data-dir names an embedded database, and DATABASE_URL another one: unset one of them.');
  return { ...config, dataDir: path.resolve(folder) };
}

/** A whole number above 0, as an option gives it. */
export function wholeNumber(value: string, option: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error(`--${option} must be a whole number above 0`);
  return Number(value);
}
