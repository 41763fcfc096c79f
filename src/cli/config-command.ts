// The commands about configurations. They call the platform with an API key, so they work from anywhere.
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { sendJson } from '../platform/outbound/client.js';
import { callerOf, flag, say as print, required, text } from './argument.js';
import { type ConfigFile, readConfigFile, writeConfigFile } from './config-file.js';
import { type Refusal, refusalText } from './refusal.js';

export interface ConfigCaller {
  /** The listener of the platform: sandbox or production, as the key. */
  url: string;
  key: string;
  say: (text: string) => void;
}

interface Changed {
  op: 'create' | 'update' | 'delete';
  kind: string;
  name: string;
  fields: readonly { path: string; from: unknown; to: unknown }[];
}

interface Plan {
  plan: string;
  revision: string;
  changes: readonly Changed[];
  unresolved: readonly { path: string; ref: unknown; found: number }[];
  warnings: readonly { kind: string; name: string; message: string }[];
}

interface Applied {
  revision: string;
  made: readonly { kind: string; name: string; id: string; secret?: string }[];
}

const ofCaller = { url: text, key: text } as const;
const ofFile = { ...ofCaller, prune: flag } as const;

/** The commands with their arguments as the program gets them. */
export const configCommands = {
  async export(args: string[]): Promise<void> {
    const { values } = parseArgs({ args, options: { ...ofCaller, into: text } });
    await exportConfig({ ...callerOf(values), say: print }, values.into);
  },
  async diff(args: string[]): Promise<void> {
    const { values, positionals } = parseArgs({ args, options: { ...ofFile, json: flag }, allowPositionals: true });
    const options = { file: required(positionals[0], 'FILE'), prune: values.prune ?? false, isJson: values.json ?? false };
    if (await diffConfig({ ...callerOf(values), say: print }, options)) process.exitCode = 2;
  },
  async apply(args: string[]): Promise<void> {
    const { values, positionals } = parseArgs({ args, options: { ...ofFile, yes: flag, plan: text }, allowPositionals: true });
    const { prune = false, yes = false, plan } = values;
    await applyConfig({ ...callerOf(values), say: print }, { file: required(positionals[0], 'FILE'), prune, yes, plan });
  },
};

/** Prints what is set up as YAML, or writes it into a file, whose comments stay. */
export async function exportConfig(caller: ConfigCaller, into: string | undefined): Promise<void> {
  const { config } = await call<{ config: unknown }>(caller, 'GET', '/v1/config');
  if (into === undefined) {
    caller.say(writeConfigFile({ config }).trimEnd());
    return;
  }
  const before = await readFile(into, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const source = before === undefined ? undefined : readConfigFile(before).source;
  await writeFile(into, writeConfigFile({ config, source }, before));
  caller.say(`${into} has what is set up now.`);
}

export interface FileOptions {
  file: string;
  prune: boolean;
}

/** Shows what a file would change. True where it changes something. */
export async function diffConfig(caller: ConfigCaller, { isJson, ...options }: FileOptions & { isJson: boolean }): Promise<boolean> {
  const file = readConfigFile(await readFile(options.file, 'utf8'));
  const plan = await planOf(caller, file, options);
  caller.say(isJson ? JSON.stringify(plan) : planText(plan));
  return plan.changes.length > 0;
}

export interface ApplyOptions extends FileOptions {
  /** Apply without asking. */
  yes: boolean;
  /** The plan that somebody has seen. */
  plan: string | undefined;
}

/**
 * Applies a file, after showing what changes and asking. Without a terminal it asks nobody and needs `yes`; in production it needs the plan
 * that was seen as well.
 */
export async function applyConfig(caller: ConfigCaller, { yes, plan: seen, ...options }: ApplyOptions): Promise<void> {
  const { say, key } = caller;
  const isLive = key.startsWith('pk_live_');
  if (yes && isLive && seen === undefined)
    throw new Error('In production --yes goes with --plan: that of the diff which somebody has seen.');
  const file = readConfigFile(await readFile(options.file, 'utf8'));
  const plan = await planOf(caller, file, options);
  say(planText(plan));
  if (plan.unresolved.length > 0) throw new Error('Nothing was applied: some references do not name exactly one thing.');
  if (plan.changes.length === 0) return;
  if (!yes && !(await isAgreed(isLive))) throw new Error('Nothing was applied.');
  const body = { ...bodyOf(file, options), plan: seen ?? plan.plan };
  const { made, revision } = await call<Applied>(caller, 'PUT', '/v1/config', body, file);
  for (const one of made) {
    const secret = one.secret === undefined ? '' : `  secret, shown once: ${one.secret}`;
    say(`made ${one.kind} "${one.name}"  ${one.id}${secret}`);
  }
  say(`Applied. What is set up is revision ${revision}.`);
}

async function isAgreed(isLive: boolean): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error('Nothing was applied: there is no terminal to ask on. Say --yes, in production with --plan.');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(`Apply this${isLive ? ' in production' : ''}? Type yes: `)).trim() === 'yes';
  } finally {
    terminal.close();
  }
}

function bodyOf({ config, source }: ConfigFile, { prune }: FileOptions) {
  return { config, prune, ...(source !== undefined && { source }) };
}

function planOf(caller: ConfigCaller, file: ConfigFile, options: FileOptions): Promise<Plan> {
  return call<Plan>(caller, 'POST', '/v1/config/diff', bodyOf(file, options), file);
}

/** The longest that an apply of many things may take. */
const timeoutMs = 60_000;

async function call<Data>({ url, key }: ConfigCaller, method: string, path: string, body?: unknown, file?: ConfigFile): Promise<Data> {
  const headers = { Authorization: `Bearer ${key}` };
  const reply = await sendJson(`${url}${path}`, { method, headers, timeoutMs, ...(body !== undefined && { body }) });
  const answer = reply.body as { data: Data } & Partial<Refusal>;
  if (reply.status === 200) return answer.data;
  const refusal = { error: `answered ${reply.status}`, ...answer };
  throw new Error(refusalText(file === undefined ? refusal : withLines(refusal, file)));
}

/** The refusal with the line of each member in the file. */
function withLines(refusal: Refusal, file: ConfigFile): Refusal {
  const fields = refusal.details?.fields?.map(({ path, message }) => {
    const line = file.lineOf(path);
    return { path: line === undefined ? path : `line ${line}: ${path}`, message };
  });
  return fields === undefined ? refusal : { ...refusal, details: { ...refusal.details, fields } };
}

const marks = new Map<Changed['op'], string>([
  ['create', '+'],
  ['update', '~'],
  ['delete', '-'],
]);

/** What would be done, for people. */
function planText({ changes, unresolved, warnings, plan }: Plan): string {
  const lines = changes.flatMap(({ op, kind, name, fields }) => [
    `${marks.get(op)} ${kind} "${name}"`,
    ...(op === 'delete'
      ? []
      : fields.map(
          (field) => `    ${field.path}: ${op === 'create' ? '' : `${JSON.stringify(field.from)} -> `}${JSON.stringify(field.to)}`,
        )),
  ]);
  const missing = unresolved.map(
    ({ path, ref, found }) => `! ${path}: ${JSON.stringify(ref)} names ${found === 0 ? 'nothing' : `${found} things`}`,
  );
  const said = warnings.map(({ kind, name, message }) => `? ${kind} "${name}" ${message}`);
  const end = changes.length === 0 ? 'Nothing changes.' : `${changes.length} changes, plan ${plan}`;
  return [...lines, ...missing, ...said, end].join('\n');
}
