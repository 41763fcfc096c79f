// The project's own files as texts, and the little that the house rules need to see in them: the code without comments and
// strings, what it imports, and how long its functions are. Reads text alone, so that it also sees what does not compile.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface SourceFile {
  /** From the root of the project, with forward slashes. */
  path: string;
  text: string;
}

/** A house rule: what offends against it among the files, as `path:line what`. */
export type Rule = (files: readonly SourceFile[]) => string[];

/** The files below `folders` (or the files themselves) whose names end in one of `endings`. Generated code is not ours. */
export function readFiles(folders: readonly string[], endings: readonly string[]): SourceFile[] {
  const below = (from: string): string[] =>
    readdirSync(path.join(root, from), { withFileTypes: true }).flatMap((entry) => {
      const name = path.posix.join(from, entry.name);
      if (name.endsWith('src/generated') || entry.name === 'node_modules') return [];
      return entry.isDirectory() ? below(name) : [name];
    });
  return folders
    .filter((folder) => exists(folder))
    .flatMap((folder) => (statSync(path.join(root, folder)).isDirectory() ? below(folder) : [folder]))
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .sort()
    .map((name) => ({ path: name, text: readFileSync(path.join(root, name), 'utf8') }));
}

/** True when the project has such a file or folder. */
export function exists(name: string): boolean {
  return statSync(path.join(root, name), { throwIfNoEntry: false }) !== undefined;
}

const regexMayFollow = /(?:^|[=(,:;[!&|?{}+~]|\b(?:return|case|typeof|of|in)|=>)\s*$/;

/** How far a string, template, comment or regular expression that begins at `at` reaches, and what it is. */
function tokenAt(text: string, at: number): { end: number; kind: 'comment' | 'string' | 'template' } | undefined {
  const two = text.slice(at, at + 2);
  const upTo = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0].length ?? 1;
  };
  if (two === '//') return { end: at + upTo(/[^\n]*/y), kind: 'comment' };
  if (two === '/*') return { end: at + upTo(/\/\*[\s\S]*?\*\//y), kind: 'comment' };
  if (text[at] === "'" || text[at] === '"') return { end: at + upTo(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/y), kind: 'string' };
  if (text[at] === '`') return { end: templateEnd(text, at + 1), kind: 'template' };
  // `/>` ends an element.
  if (text[at] === '/' && text[at + 1] !== '>' && regexMayFollow.test(text.slice(Math.max(0, at - 40), at))) {
    return { end: at + upTo(/\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y), kind: 'string' };
  }
  return undefined;
}

/** The place after the backtick that ends a template; what stands in `${}` may hold templates of its own. */
function templateEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (depth === 0 && text[at] === '`') return at + 1;
    else if (depth === 0 && text.startsWith('${', at)) [depth, at] = [1, at + 1];
    else if (depth > 0 && text[at] === '{') depth += 1;
    else if (depth > 0 && text[at] === '}') depth -= 1;
    else if (depth > 0) at = Math.max(at, (tokenAt(text, at)?.end ?? at + 1) - 1);
  }
  return text.length;
}

/** `text` with its comments (and, unless `strings` are kept, its strings, templates and patterns) blanked; places stay. */
export function codeOf(text: string, { strings = false }: { strings?: boolean } = {}): string {
  const known = strings ? codeWithStrings : codeAlone;
  const code = known.get(text) ?? stripped(text, strings);
  known.set(text, code);
  return code;
}

/** Every rule looks at every file. */
const codeWithStrings = new Map<string, string>();
const codeAlone = new Map<string, string>();

function stripped(text: string, strings: boolean): string {
  let code = '';
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at);
    const piece = text.slice(at, token?.end ?? at + 1);
    code += token === undefined || (strings && token.kind !== 'comment') ? piece : piece.replace(/[^\n]/g, ' ');
    at += piece.length;
  }
  return code;
}

export interface Import {
  /** A file of ours as its path with `.ts` or `.tsx`, anything else as it is written. */
  from: string;
  typeOnly: boolean;
  /** `export ... from`. */
  passedOn: boolean;
}

const importPattern = /^\s*(import|export)\b(\s+type\b)?[^;'"]*?\bfrom\s+'([^']+)'|^\s*import\s+'([^']+)'|\bimport\(\s*'([^']+)'/gm;

/** The source of a module that is imported as `.js`. */
function sourceOf(name: string): string {
  const tsx = name.replace(/\.js$/, '.tsx');
  return exists(tsx) ? tsx : name.replace(/\.js$/, '.ts');
}

/** What a file imports. */
export function importsOf({ path: name, text }: SourceFile): Import[] {
  return [...codeOf(text, { strings: true }).matchAll(importPattern)].map(([, word, type, named, bare, lazy]) => {
    const from = named ?? bare ?? lazy ?? '';
    const ours = from.startsWith('.') ? sourceOf(path.posix.join(path.posix.dirname(name), from)) : from;
    return { from: ours, typeOnly: type !== undefined, passedOn: word === 'export' };
  });
}

/** The place of the bracket that closes the one at `open`. */
export function closing(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    if ('([{'.includes(code.charAt(at))) depth += 1;
    else if (')]}'.includes(code.charAt(at)) && --depth === 0) return at;
  }
  return code.length;
}

/** What stands before a `{`, back to the beginning of its statement. */
function headOf(code: string, brace: number): string {
  let depth = 0;
  for (let at = brace - 1; at >= 0; at -= 1) {
    const char = code.charAt(at);
    if (depth === 0 && (char === ';' || char === '{' || (char === '}' && !/^\}\s*\{/.test(code.slice(at)))))
      return code.slice(at + 1, brace);
    if (')]}'.includes(char)) depth += 1;
    else if ('([{'.includes(char) && --depth < 0) return code.slice(at + 1, brace);
  }
  return code.slice(0, brace);
}

export interface FunctionSize {
  line: number;
  lines: number;
}

const arrow = /=>\s*$/;
const signature = /\)\s*(?::[^=]*)?$/;
const noFunction = /\b(?:if|for|while|switch|catch|class)\b/;

/** Every function, method and arrow function with a body: where it begins and how many lines it has. */
export function functionsOf(text: string): FunctionSize[] {
  const code = codeOf(text);
  const lineOf = (at: number) => code.slice(0, at).split('\n').length;
  return [...code.matchAll(/\{/g)].flatMap(({ index }) => {
    const head = headOf(code, index);
    if (!arrow.test(head) && (noFunction.test(head) || !signature.test(head))) return [];
    const first = lineOf(index - head.length + (head.length - head.trimStart().length));
    return [{ line: first, lines: lineOf(closing(code, index)) - first + 1 }];
  });
}
