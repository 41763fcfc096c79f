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

/** The listener and the key that a command calls with; by default those of the sandbox. */
export function callerOf({ url, key }: { url?: string | undefined; key?: string | undefined }): { url: string; key: string } {
  const config = loadConfig();
  return {
    url: (url ?? config.sandboxUrl ?? `http://127.0.0.1:${config.sandboxPort}`).replace(/\/+$/, ''),
    key: required(key ?? config.bootstrapTestKey ?? undefined, 'key'),
  };
}

/** The JSON object that `--data` has. */
export function objectOf(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('--data must be a JSON object');
  return value as Record<string, unknown>;
}

/** Aborts when the command is told to end. */
export function leaving(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort()).once('SIGTERM', () => controller.abort());
  return controller.signal;
}
