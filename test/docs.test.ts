// The documents against the code: settings, lifecycles, gaps, decisions, and everything that one file says of another.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { settings } from '../src/config.js';
import { codeOf, exists, readFiles } from './source.js';

const documents = readFiles(
  ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'docs', 'src', 'sdk/README.md', 'sdk/python/README.md'],
  ['.md'],
);
const sources = readFiles(
  ['src', 'test', 'scripts', 'bench', 'prisma', 'sdk/src', 'examples'],
  ['.ts', '.tsx', '.mjs', '.graphql', '.prisma', '.sql'],
);
const textOf = (name: string) => documents.find((document) => document.path === name)?.text ?? '';
const readme = textOf('README.md');
const architecture = textOf('docs/architecture.md');

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => /\w/.test(word)).length;

/** True for a file in a folder below the document that names it by its last part. */
const isBelow = (source: string, document: string, file: string) =>
  source.startsWith(`${path.posix.dirname(document)}/`) && source.endsWith(`/${file}`);

const openapi = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));

/** An operation of openapi.json, with the components that it refers to. */
function resolvedOperation(id: string): unknown {
  const operations = Object.values<Record<string, { operationId?: string }>>(openapi.paths).flatMap((item) => Object.values(item));
  const found = operations.find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  const named = new Map<string, unknown>();
  const follow = (value: unknown): void => {
    for (const [, name = ''] of (JSON.stringify(value) ?? '').matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (named.has(name)) continue;
      named.set(name, openapi.components.schemas[name]);
      follow(openapi.components.schemas[name]);
    }
  };
  follow(found);
  return [found, ...named.values()];
}

/** Rows of a table as cells, heading left out. */
function rowsOf(text: string, heading: string): string[][] {
  const begin = text.indexOf(heading);
  if (begin < 0) throw new Error(`there is no table ${heading}`);
  const [table = ''] = text.slice(begin).split('\n\n');
  return table
    .trimEnd()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

describe('README.md', () => {
  it('begins with the two commands', () => {
    const commands = readme.match(/^(npm|npx|docker|curl|KEY=).*/gm) ?? [];
    expect(commands.slice(0, 2).map((command) => command.replace(/\s*#.*/, ''))).toEqual(['npm install && npm start', 'npm test']);
  });

  it('lists every setting as config.ts reads it', () => {
    const listed = rowsOf(readme, '| setting | default | meaning |');
    expect(listed).toEqual(
      settings.map(({ name, default: preset, meaning }) => [`\`${name}\``, preset === '' ? '' : `\`${preset}\``, meaning]),
    );
  });

  it('maps folders that exist', () => {
    const named = rowsOf(readme, '| where | what |').flatMap(([where = '']) => where.match(/(?<=`)[a-z./]+(?=`)/g) ?? []);
    expect(named.length).toBeGreaterThan(6);
    expect(named.filter((name) => !exists(name))).toEqual([]);
    const contexts = new Set(sources.flatMap((file) => /^src\/contexts\/([^/]+)\//.exec(file.path)?.[1] ?? []));
    for (const context of contexts) expect(readme, 'the map of the code').toContain(`\`${context}\``);
  });
});

describe('commands', () => {
  const { scripts, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    scripts: Record<string, string>;
    version: string;
  };
  const shell = documents.flatMap(({ path: name, text }) =>
    [...text.matchAll(/```sh.*\n([\s\S]*?)```/g)].map(([, commands = '']) => ({ name, commands })),
  );

  it('are scripts of package.json', () => {
    const called = shell.flatMap(({ commands }) =>
      [...commands.matchAll(/\bnpm run (?:--silent )?([\w:]+)|\bnpm (start|test)\b/g)].map(([, run, short]) => run ?? short ?? ''),
    );
    expect(called.length).toBeGreaterThan(5);
    expect(called.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('are commands of cli.ts', () => {
    const cli = sources.filter(({ path }) => path === 'src/cli.ts' || path === 'src/cli/database-command.ts');
    const known = [
      ...cli
        .map(({ text }) => text)
        .join('')
        .matchAll(/usage: '([a-z]+(?: [a-z]+)?)/g),
    ].map(([, usage = '']) => usage);
    expect(known).toContain('ledger check');
    const called = shell.flatMap(({ commands }) => [...commands.matchAll(/\bcli -- ([a-z]+(?: [a-z]+)?)/g)].map(([, name = '']) => name));
    expect(called.length).toBeGreaterThan(2);
    // The second word may be an argument: `trigger transfer.completed`.
    expect(called.filter((name) => !known.includes(name) && !known.includes(name.replace(/ .*/, '')))).toEqual([]);
    expect(known.filter((name) => !readme.includes(name))).toEqual([]);
  });

  it('belong to the version that the changelog begins with', () => {
    expect(/^## (\S+)/m.exec(textOf('CHANGELOG.md'))?.[1]).toBe(version);
  });
});

describe('docs/architecture.md', () => {
  it('has the sections that comments name', () => {
    const named = sources.flatMap(({ path: name, text }) => [
      ...[...text.matchAll(/ARCHITECTURE\.md (\d+)/g)].map(([, number]) => ({ name, heading: `## ${number}. ` })),
      ...[...text.matchAll(/docs\/architecture\.md "([^"]+)"/g)].map(([, title]) => ({ name, heading: title ?? '' })),
    ]);
    expect(named.length).toBeGreaterThan(10);
    const headings = architecture.split('\n').filter((line) => line.startsWith('## '));
    expect(named.filter(({ heading }) => !headings.some((line) => `${line} `.includes(heading)))).toEqual([]);
  });

  it('is read in fifteen minutes', () => {
    expect(wordsOf(architecture)).toBeLessThanOrEqual(2_500);
  });
});

describe('docs/glossary.md', () => {
  it('is in order', () => {
    const words = rowsOf(textOf('docs/glossary.md'), '| word | meaning |').map(([word = '']) => word);
    expect(words.length).toBeGreaterThan(20);
    expect(words).toEqual(words.toSorted((a, b) => a.localeCompare(b, 'en')));
  });
});

describe('README.md of a folder of src', () => {
  // That of src itself has the tables of who may import whom.
  const notes = documents.filter(({ path: name }) => name.startsWith('src/') && name !== 'src/README.md');

  it('is short', () => {
    expect(notes.length).toBeGreaterThan(15);
    expect(notes.filter(({ text }) => wordsOf(text) > 400).map(({ path: name }) => name)).toEqual([]);
  });

  it('names files that exist, from its folder, src, or a context', () => {
    const lost = notes.flatMap(({ path: name, text }) =>
      [...text.matchAll(/(?<![\w/*.-])((?:[a-z0-9-]+\/|\.\.\/)*[a-z0-9-]+(?:\.[a-z]+)*\.(?:ts|sql))\b/g)].flatMap(([, file = '']) => {
        const folders = [path.posix.dirname(name), '', 'src', 'src/contexts'];
        const found =
          folders.some((folder) => exists(path.posix.join(folder, file))) || sources.some((source) => isBelow(source.path, name, file));
        return found ? [] : [`${name} names ${file}`];
      }),
    );
    expect(lost).toEqual([]);
  });
});

// That it is what they say, `npm run schema:check` looks.
describe('docs/lifecycles.md', () => {
  const declared = sources.flatMap(({ path: name, text }) =>
    name.startsWith('src/contexts/') ? [...text.matchAll(/: Lifecycle<.*\n {2}noun: '(.*)',\n {2}path: '(.*)'/g)] : [],
  );

  it('has every lifecycle that the sources declare, and no other', () => {
    expect(declared.length).toBeGreaterThan(20);
    const printed = textOf('docs/lifecycles.md').match(/^`.*`, in messages ".*"\.$/gm) ?? [];
    expect(printed.toSorted()).toEqual(declared.map(([, noun, at]) => `\`${at}\`, in messages "${noun}".`).sort());
  });
});

// That it is what the comments say, `npm run schema:check` looks.
describe('gaps of the specification', () => {
  const lines = sources.flatMap(({ path: name, text }) => text.split('\n').map((line) => ({ name, line })));
  const mentions = lines.flatMap(({ name, line }) => (/\bGap G-\d+/.test(line) && name !== 'test/docs.test.ts' ? [{ name, line }] : []));
  const idOf = (line: string) => /\bGap (G-\d+)/.exec(line)?.[1] ?? '';

  it('say the choice in one line, each once', () => {
    expect(mentions.length).toBeGreaterThan(400);
    const whole = /^\s*(\/\/|--|\/\*\*|\*) Gap G-\d+: \S.*[.]( \*\/)?$/;
    expect(mentions.filter(({ line }) => !whole.test(line) || line.length > 140)).toEqual([]);
    const ids = mentions.map(({ line }) => idOf(line));
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
  });

  it('are all in the printed table', () => {
    const printed = [...textOf('docs/spec-gaps.md').matchAll(/^\| (G-\d+) \|/gm)].map(([, id = '']) => id);
    expect(printed.toSorted()).toEqual(mentions.map(({ line }) => idOf(line)).toSorted());
  });

  it('exist where others refer to them', () => {
    const known = new Set(mentions.map(({ line }) => idOf(line)));
    const named = [...lines, ...documents.map(({ path: name, text }) => ({ name, line: text }))].flatMap(({ name, line }) =>
      [...line.matchAll(/\b(?:see|Gap) (G-\d+)/g)].flatMap(([, id = '']) => (known.has(id) ? [] : [`${name} names ${id}`])),
    );
    expect(named).toEqual([]);
  });

  it('are named in comments alone', () => {
    const inCode = sources.filter(
      ({ path: name, text }) => name.startsWith('src/') && name.endsWith('.ts') && /Gap G-\d/.test(codeOf(text, { strings: true })),
    );
    expect(inCode.map(({ path: name }) => name)).toEqual([]);
  });
});

describe('docs/names.md', () => {
  it('says what operations take and print', () => {
    const rows = rowsOf(textOf('docs/names.md'), '| thing | name | where | why |');
    const textsOf = (id: string) => JSON.stringify(resolvedOperation(id));
    const named = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    const missing = rows.flatMap(([, names, where]) =>
      named(where).flatMap((id) => named(names).flatMap((name) => (textsOf(id).includes(`"${name}"`) ? [] : [`${id} has no ${name}`]))),
    );
    expect(rows.length).toBeGreaterThan(10);
    expect(missing).toEqual([]);
  });
});

describe('docs/decisions', () => {
  const records = documents.filter((document) => document.path.startsWith('docs/decisions/'));

  it('are numbered without a hole', () => {
    expect(records.length).toBeGreaterThan(12);
    expect(records.map((record) => /^docs\/decisions\/(\d{4})-[a-z0-9-]+\.md$/.exec(record.path)?.[1])).toEqual(
      records.map((_, i) => String(i + 1).padStart(4, '0')),
    );
  });

  it.each(records.map((record) => ({ name: record.path, text: record.text })))(
    '$name is short, whole and refers to what exists',
    ({ name, text }) => {
      expect(text.trimEnd().split('\n').length).toBeLessThan(60);
      expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
        'Context',
        'Decision',
        'Consequences',
        'Alternatives',
        'References',
      ]);
      expect(text).toMatch(new RegExp(`^# ${path.basename(name).slice(0, 4)}\\. `));
      const referred = [...(text.split('## References')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
      expect(referred.length).toBeGreaterThan(0);
      expect(referred.filter((file) => !exists(file))).toEqual([]);
    },
  );

  it('exist where code, tables and documents name them', () => {
    const named = [...sources, ...documents].flatMap(({ text }) =>
      [...text.matchAll(/(?:docs\/decisions\/|\bdecision )(\d{4})\b/g)].map(([, number = '']) => number),
    );
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((number) => Number(number) < 1 || Number(number) > records.length)).toEqual([]);
  });
});

describe('links', () => {
  it('lead to files and folders that exist', () => {
    const links = documents.flatMap(({ path: name, text }) =>
      [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)]
        .filter(([, to = '']) => !/^([a-z]+:|\/docs\/)/.test(to))
        .map(([, to = '']) => path.posix.join(path.posix.dirname(name), to)),
    );
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((to) => !exists(to))).toEqual([]);
  });
});
