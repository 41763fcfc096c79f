// The pages of docs/guide, and the other documents with commands, as programs: the blocks of each language, in their order, make one program; what a block prints is compared with the
// answer that the page shows. Ids, times and secrets are compared by their shape.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformWithOxc } from 'vite';
import type { Json } from './harness.js';

export const root = fileURLToPath(new URL('..', import.meta.url));
const others = ['README.md', 'docs/operations.md', 'docs/protocols.md', 'docs/test-clock.md'];

export type Language = 'sh' | 'ts' | 'python';
export interface Block {
  language: Language;
  code: string;
  /** Why it is not run; undefined: it is. */
  notRun: string | undefined;
  answer: { kind: string; text: string } | undefined;
}
export interface Guide {
  name: string;
  text: string;
  blocks: Block[];
}

const fences = /^```(\w+)(.*)\n([\s\S]*?)^```$/gm;

/** The pages, each with its blocks. */
export function readGuides(): Guide[] {
  const guides = readdirSync(path.join(root, 'docs/guide')).filter((name) => name.endsWith('.md'));
  return [...guides.sort().map((name) => `docs/guide/${name}`), ...others].map((name) => {
    const text = readFileSync(fileOf(name), 'utf8');
    return { name, text, blocks: blocksOf(name, text) };
  });
}

function blocksOf(name: string, text: string): Block[] {
  const blocks: Block[] = [];
  for (const [, kind = '', info = '', code = ''] of text.matchAll(fences)) {
    const last = blocks.at(-1);
    if (info.includes('answer')) {
      if (last === undefined || last.answer !== undefined) throw new Error(`${name} has an answer to nothing: ${code}`);
      last.answer = { kind, text: code.trim() };
    } else if (kind === 'sh' || kind === 'ts' || kind === 'python')
      blocks.push({ language: kind, code, notRun: /not-run="(.+?)"/.exec(info)?.[1], answer: undefined });
  }
  return blocks;
}

/** Stands between what two blocks print. */
const mark = '\u001e';
const programs: Record<Language, { begin: string; print: string; run: (file: string) => string[] }> = {
  sh: {
    begin: `npm() (
  here=$PWD
  cd ${JSON.stringify(root)}
  # The first command of a page is run by npm, which costs as much as the command: the others as npm runs them.
  if [ "$1 $3" != 'run cli' ] || mkdir "$here/npm-has-run" 2>/dev/null; then command npm "$@"; else exec node dist/cli.js "\${@:5}"; fi
)
set -euo pipefail
`,
    print: `printf '${mark}'`,
    run: (file) => ['bash', file],
  },
  ts: { begin: '', print: `process.stdout.write('${mark}');`, run: (file) => [process.execPath, file] },
  python: { begin: '', print: `print('${mark}', end='', flush=True)`, run: (file) => ['python3', file] },
};

export interface Run {
  code: number | null;
  /** What each block has printed. */
  printed: string[];
  stderr: string;
}

/** What pages name, and what it is in a run: the address of the sandbox, and the port of a receiver. */
export interface Place {
  host: string;
  port: number;
}

/** Runs the blocks of a language as one program, in the folder `cwd`. */
export async function runBlocks(
  blocks: readonly Block[],
  language: Language,
  { host, port }: Place,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Run> {
  const { begin, print, run } = programs[language];
  // Packages are found from where the program is, and so is the verifier.
  const file = path.join(cwd, `program.${{ sh: 'sh', ts: 'mjs', python: 'py' }[language]}`);
  for (const name of ['node_modules', 'verify']) await symlink(path.join(root, name), path.join(cwd, name));
  const program =
    begin + blocks.map(({ code }) => `${code.replaceAll('localhost:4001', host).replaceAll(/\b3000\b/g, `${port}`)}\n${print}\n`).join('');
  await writeFile(file, language === 'ts' ? (await transformWithOxc(program, 'program.mts')).code : program);
  const [command = '', ...args] = run(file);
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr, printed: stdout.replaceAll(host, 'localhost:4001').replaceAll(`:${port}/`, ':3000/').split(mark).slice(0, -1) };
}

/** What differs between two runs, as its kind. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\d{4}-\d\d-\d\d/g, '<date>'],
];
const normal = (text: string) => kinds.reduce((so, [pattern, kind]) => so.replace(pattern, kind), text);

/** JSON in which `…` stands for members that are left out. */
function parseShown(text: string): Json {
  return JSON.parse(text.replace(/…(?=\s*\})/g, '"…": 0').replace(/…(?=\s*\])/g, '"…"'));
}

function isLike(shown: Json, got: Json): boolean {
  if (typeof shown === 'string' && typeof got === 'string')
    return shown.endsWith('…') ? normal(got).startsWith(normal(shown.slice(0, -1)).slice(0, 6)) : normal(got) === normal(shown);
  if (Array.isArray(shown)) {
    if (!Array.isArray(got)) return false;
    const own = shown.filter((item) => item !== '…');
    return (
      (own.length < shown.length ? own.length <= got.length : own.length === got.length) && own.every((item, i) => isLike(item, got[i]))
    );
  }
  if (typeof shown !== 'object' || shown === null) return shown === got;
  if (typeof got !== 'object' || got === null) return false;
  const names = Object.keys(shown).filter((name) => name !== '…');
  return ('…' in shown || names.length === Object.keys(got).length) && names.every((name) => name in got && isLike(shown[name], got[name]));
}

/** True when a block has printed what its page shows. */
export function isAnswered({ kind, text }: NonNullable<Block['answer']>, printed: string): boolean {
  if (kind !== 'json') return normal(printed.trim()) === normal(text);
  try {
    return isLike(parseShown(text), JSON.parse(printed));
  } catch {
    return false;
  }
}

/** What has been printed, with the members that the page shows. */
function picked(shown: Json, got: Json): Json {
  if (typeof got === 'string') return typeof shown === 'string' && shown.endsWith('…') ? shown : got;
  if (Array.isArray(got) && Array.isArray(shown)) {
    const own = shown.filter((item) => item !== '…');
    return [...got.slice(0, own.length).map((item, i) => picked(own[i], item)), ...(own.length < shown.length ? ['…'] : [])];
  }
  if (typeof got !== 'object' || got === null || typeof shown !== 'object' || shown === null) return got;
  return Object.fromEntries(Object.keys(shown).map((name) => [name, name === '…' ? 0 : picked(shown[name], got[name])]));
}

/** JSON in lines of at most 96 characters. */
function print(value: Json, indent = ''): string {
  const flat = JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
  if (indent.length + flat.length <= 96 || typeof value !== 'object' || value === null) return flat;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const items = Object.entries(value).map(([name, item]) => `${inner}${isList ? '' : `${JSON.stringify(name)}: `}${print(item, inner)}`);
  return `${isList ? '[' : '{'}\n${items.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
}

/** The answer as a page would show it. */
export function answerOf({ kind, text }: NonNullable<Block['answer']>, printed: string): string {
  if (kind !== 'json') return printed.trim();
  return print(picked(parseShown(text), JSON.parse(printed)))
    .replaceAll('"…": 0', '…')
    .replace(/"…"(?=\s*\])/g, '…');
}

/** Where a page is. */
export const fileOf = (name: string): string => path.join(root, name);
