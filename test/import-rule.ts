// Who may import whom. The two tables of src/README.md are the rule; this reads and applies them.
import { importsOf, type Rule, readFiles, type SourceFile } from './source.js';

const [readme] = readFiles(['src/README.md'], ['.md']);
const text = readme?.text ?? '';

/** Rows of the table under a heading row: first cell -> the words of the second. */
function tableOf(heading: string): Map<string, string[]> {
  const begin = text.indexOf(`| ${heading} |`);
  const rows = text.slice(begin).split('\n\n')[0]?.split('\n').slice(2) ?? [];
  if (begin < 0 || rows.length === 0) throw new Error(`src/README.md has no table "${heading}"`);
  return new Map(
    rows.map((row) => {
      const [, first = '', second = ''] = row.split('|').map((cell) => cell.trim());
      return [first, second === 'nothing' ? [] : second.split(', ')];
    }),
  );
}

const kinds = tableOf('who | may import');
/** In the order of the document: a context builds on those above it alone, so there is no cycle. */
const contexts = tableOf('context | builds on');

const folders = ['cli', 'console', 'demo', 'platform', 'http', 'rest', 'mcp', 'manifest', 'ledger', 'events', 'generated'];

/** What a file of src is: the first column of the table. */
function kindOf(path: string): string {
  const [, first = ''] = path.split('/');
  if (folders.includes(first)) return first;
  if (first === 'contexts') return path.endsWith('.schema.ts') ? 'face' : path.endsWith('.input.ts') ? 'input' : 'rule';
  return first.replace(/\.ts$/, '');
}

function contextOf(path: string): string | undefined {
  return /^src\/contexts\/([^/]+)\//.exec(path)?.[1];
}

/** What the table says of a file; undefined when it does not know its kind. */
export function importsAllowed({ path }: SourceFile): readonly string[] | undefined {
  return kinds.get(kindOf(path));
}

function byKind(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => /^src\/.*\.tsx?$/.test(path))
    .flatMap((file) => {
      const kind = kindOf(file.path);
      const allowed = importsAllowed(file) ?? [];
      return importsOf(file)
        .filter(({ from }) => from.startsWith('src/'))
        .filter(({ from, typeOnly }) => {
          const other = kindOf(from);
          const own = other === kind && folders.includes(kind);
          return !own && !allowed.includes(other) && !(typeOnly && allowed.includes(`${other} (types)`));
        })
        .map(({ from }) => `${file.path} (${kind}) may not import ${from} (${kindOf(from)})`);
    });
}

function byContext(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const own = contextOf(file.path);
    if (own === undefined) return [];
    const below = contexts.get(own);
    if (below === undefined) return [`${file.path} belongs to a context that src/README.md does not know`];
    return importsOf(file)
      .filter(({ from }) => {
        const other = contextOf(from);
        return other !== undefined && other !== own && !below.includes(other);
      })
      .map(({ from }) => `${file.path} may not import ${from}: ${own} does not build on ${contextOf(from)}`);
  });
}

/** The table itself: every context names those above it. */
function upwards(files: readonly SourceFile[]): string[] {
  const order = [...contexts.keys()];
  const circular = order.flatMap((name, i) =>
    (contexts.get(name) ?? [])
      .filter((other) => !order.slice(0, i).includes(other))
      .map((other) => `${name} builds on ${other}, which does not stand above it`),
  );
  const found = new Set(files.flatMap(({ path }) => contextOf(path) ?? []));
  return [
    ...circular,
    ...[...found].filter((name) => !contexts.has(name)).map((name) => `src/contexts/${name}/lonely.ts is in no row`),
    ...order.filter((name) => !found.has(name)).map((name) => `${name} has a row and no folder`),
  ];
}

/** Files that import each other in a circle, types too: none of them can be read, or moved, without the others. */
function circles(files: readonly SourceFile[]): string[] {
  const ours = files.filter(({ path }) => !path.startsWith('test/'));
  const imports = new Map(ours.map((file) => [file.path, importsOf(file).map(({ from }) => from)]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const begin = trail.indexOf(path);
    if (begin >= 0) found.push([...trail.slice(begin), path].join(' imports '));
    if (begin >= 0 || done.has(path)) return;
    for (const from of imports.get(path) ?? []) if (imports.has(from)) visit(from, [...trail, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return found;
}

const planted = (path: string, line: string): SourceFile => ({ path, text: `// Planted.\n${line}\n` });

export const importRules: Record<string, [Rule, SourceFile]> = {
  'imports follow the table': [byKind, planted('src/ledger/back-edge.ts', "import { account } from '../contexts/accounts/account.js';")],
  'rules import no face': [byKind, planted('src/contexts/accounts/inverted.ts', "import { Wallet } from './wallet.schema.js';")],
  'where types are allowed, values are not': [byKind, planted('src/platform/eager.ts', "import { loadConfig } from '../config.js';")],
  'contexts build on those below them': [
    byContext,
    planted('src/contexts/accounts/back-edge.ts', "import { agent } from '../agents/agent.js';"),
  ],
  'no files import each other in a circle': [circles, planted('src/platform/clock.ts', "import type { Ctx } from './ctx.js';")],
  'every context has its row, and no row points up': [upwards, planted('src/contexts/lonely/lonely.ts', '')],
};
