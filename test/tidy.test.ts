// The house rules as tests (docs/architecture.md 2, 4, 10). Each rule is tried on the project, where it must find nothing, and on a
// planted offence, which it must find: a rule that scans nothing would pass otherwise.
import { describe, expect, it } from 'vitest';
import { databaseOfCell } from './cell-rule.js';
import { importRules, importsAllowed } from './import-rule.js';
import { schemaRules } from './schema-rule.js';
import { closing, codeOf, exists, functionsOf, importsOf, type Rule, readFiles, type SourceFile } from './source.js';

const files = [
  ...readFiles(
    ['src', 'test', 'scripts', 'bench', 'sdk/src', 'sdk/generate.mjs', 'sdk/python.mjs', 'examples'],
    ['.ts', '.tsx', '.mjs', '.graphql'],
  ),
  ...readFiles(['prisma'], ['.prisma', '.sql', '.toml']),
];
const inSrc = ({ path }: SourceFile) => /^src\/.*\.tsx?$/.test(path);
const inSdk = ({ path }: SourceFile) => path.startsWith('sdk/src/');
const isCode = ({ path }: SourceFile) => /\.(tsx?|mjs)$/.test(path);
const isOurs = ({ path }: SourceFile) => !path.startsWith('test/vectors/');

/** Lines of the code (no strings, no comments) of `where` that match, but for the files that may. */
function lines(pattern: RegExp, where: (file: SourceFile) => boolean, allowed: readonly string[] = []): Rule {
  return (all) =>
    all
      .filter((file) => where(file) && !allowed.includes(file.path))
      .flatMap(({ path, text }) =>
        codeOf(text)
          .split('\n')
          .flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1} ${line.trim()}`] : [])),
      );
}

const emptyWords = ['service', 'manager', 'helper', 'util', 'common', 'misc', 'base', 'index'].flatMap((word) => [word, `${word}s`]);
const fileName = /^[a-z0-9]+(-[a-z0-9]+)*(\.(schema|input|sql|door|test|conformance|fuzz))?\.(tsx?|mjs|graphql)$/;

/** Raw SQL outside the ledger and the platform: keys are read and written in batches, readiness and `doctor` ask the pool itself. */
const rawSql = ['src/cli/check.ts', 'src/http/idempotency.ts', 'src/server.ts'];
/** Who uses the door without walls: what is asked before the tenant is known, due claims, tenants, keys, the clocks, and `doctor`. */
const unscoped = [
  'src/cli/check.ts',
  'src/cli/shop.ts',
  'src/platform/postgres/database.ts',
  'src/platform/due/workspace-clock.ts',
  'src/contexts/agents/session.ts',
  'src/contexts/evidence/link.ts',
  'src/contexts/identity/directory.ts',
  'src/contexts/identity/place.ts',
  'src/contexts/identity/serializable.ts',
  'src/contexts/identity/signing-key.ts',
  'src/contexts/identity/tenant.ts',
  'src/contexts/people/lookup.ts',
  'src/contexts/people/member-place.ts',
  'src/contexts/people/slug-place.ts',
  'src/contexts/rails/operator.ts',
  'src/contexts/settlement/rail/callback.ts',
];

const names: Rule = (all) =>
  all
    .filter((file) => isOurs(file) && !file.path.startsWith('prisma/'))
    .flatMap(({ path }) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      const empty = name.split(/[.-]/).find((word) => emptyWords.includes(word));
      if (empty !== undefined) return [`${path} is called "${empty}": name it after the noun that it rules`];
      return fileName.test(name) ? [] : [`${path} is not a noun in kebab-case`];
    });

const longest = 300;
/** Printed from what the console asks. */
const printedAnswers = 'src/console/answers.ts';

const sizes: Rule = (all) =>
  all
    .filter((file) => isOurs(file) && !file.path.endsWith('.sql') && file.path !== printedAnswers)
    .flatMap(({ path, text }) => {
      const count = text.trimEnd().split('\n').length;
      return count > longest ? [`${path} has ${count} lines, at most ${longest} are allowed`] : [];
    });

/** Tests are left out: a describe() is a function as long as its cases. */
const functionSizes: Rule = (all) =>
  all
    .filter((file) => isCode(file) && !file.path.startsWith('test/'))
    .flatMap(({ path, text }) =>
      functionsOf(text)
        .filter((found) => found.lines > 70)
        .map((found) => `${path}:${found.line} is a function of ${found.lines} lines, at most 70 are allowed`),
    );

const operationTest = /^describe\('(GET|POST|PUT|PATCH|DELETE) \//m;

/** Scripts say there how they are called, which takes the lines that it takes; the test of an operation is named by its path. */
const openings: Rule = (all) =>
  all.filter(isCode).flatMap(({ path, text }) => {
    const opening = /^(#!.*\n)?(\/\/ .*\n)+/.exec(text)?.[0].trimEnd().split('\n').length ?? 0;
    if (opening === 0 && !operationTest.test(text)) return [`${path} does not open with a comment that says what it is for`];
    return opening > 3 && !/^(scripts|bench)\//.test(path) ? [`${path} opens with ${opening} lines of comment, at most 3 are allowed`] : [];
  });

const unfinishedWords = new RegExp(`\\b(${'TO'}DO|${'FIX'}ME)\\b`);
const unfinished: Rule = (all) =>
  all
    .filter((file) => isCode(file) && isOurs(file))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, i) => (unfinishedWords.test(line) ? [`${path}:${i + 1} ${line.trim()}`] : [])),
    );

/** The server's one client of others, and those of the server that its pages have. */
const mayFetch = ['src/platform/outbound/client.ts', 'src/console/api.ts', 'src/console/pack-source.ts'];
/** What could open a connection beside fetch(). */
const clients = ['node:https', 'node:http2', 'undici', 'axios', 'got', 'node-fetch'];
/** The egress guard sits inside the client, where a connection is made; it sends nothing. */
const parts = ['src/platform/outbound/guard.ts', 'src/platform/outbound/exchange.ts'];
const outgoing: Rule = (all) => {
  const elsewhere = all.filter((file) => inSrc(file) && !mayFetch.includes(file.path));
  const imports = elsewhere.flatMap((file) =>
    importsOf(file)
      .filter(({ from }) => clients.includes(from) && !(from === 'undici' && parts.includes(file.path)))
      .map(({ from }) => `${file.path} imports ${from}`),
  );
  return [...lines(/\bfetch\(/, () => true)(elsewhere), ...imports];
};

/** What a package exports stands in one file. */
const entry = 'sdk/src/sdk.ts';
const barrels: Rule = (all) =>
  all
    .filter((file) => isCode(file) && file.path !== entry)
    .flatMap((file) =>
      importsOf(file)
        .filter(({ passedOn }) => passedOn)
        .map(({ from }) => `${file.path} passes ${from} on: import it where it is`),
    );

/** Files whose `data` of a Prisma write, in its place (`data: {...}`) or made before (`const data = {...}`), matches. */
function insideData(pattern: RegExp, fault: string, where: (file: SourceFile) => boolean): Rule {
  return (all) =>
    all.filter(where).flatMap(({ path, text }) => {
      const code = codeOf(text);
      return [...code.matchAll(/\bdata(?:: [\w.<>]+ =|:| =)\s*(?=[[{(])/g)].flatMap(({ index, 0: found }) => {
        const open = index + found.length;
        return pattern.test(code.slice(open, closing(code, open))) ? [`${path}:${code.slice(0, open).split('\n').length} ${fault}`] : [];
      });
    });
}

/** The unscoped door has nobody else to say the workspace. */
const workspaceInData = insideData(
  /\bworkspaceId\b/,
  'writes a workspace by hand',
  (file) => file.path.startsWith('src/contexts/') && isCode(file) && !unscoped.includes(file.path),
);

const undocumented: Rule = (all) =>
  all
    .filter((file) => inSrc(file) || inSdk(file))
    .flatMap(({ path, text }) => {
      const split = text.split('\n');
      const overloads = new Set<string>();
      return split.flatMap((line, i) => {
        const name = /^export (?:async )?function\*? (\w+)/.exec(line)?.[1];
        if (name === undefined || overloads.has(name)) return [];
        overloads.add(name);
        return /\*\/\s*$/.test(split[i - 1] ?? '') ? [] : [`${path}:${i + 1} exports ${name}() without saying what it does`];
      });
    });

/** The SDK is a package of its own, for browsers too: it builds on nothing of the server, and of Node where webhooks are received alone. */
const sdkImports: Rule = (all) =>
  all.filter(inSdk).flatMap((file) =>
    importsOf(file)
      .filter(({ from }) => from.startsWith('src/') || (from.startsWith('node:') && file.path !== 'sdk/src/webhook.ts'))
      .map(({ from }) => `${file.path} imports ${from}`),
  );

/** Every face is part of the schema, every noun and declaration of events part of its context, every context part of the manifest, every operation file belongs to a context. */
const placement: Rule = (all) => {
  const importedBy = (manifest: string) =>
    new Set(all.filter(({ path }) => path === manifest).flatMap((file) => importsOf(file).map(({ from }) => from)));
  const [faces, contexts] = [importedBy('src/schema.ts'), importedBy('src/contexts.ts')];
  return all.flatMap(({ path }) => {
    if (path.endsWith('.schema.ts') && !faces.has(path)) return [`${path} is not imported by src/schema.ts`];
    const [folder, own] = /^(src\/contexts\/[a-z0-9-]+)\/(?:noun|context|[a-z-]*events)\.ts$/.exec(path) ?? [];
    if (own !== undefined && folder?.endsWith('/context.ts') && !contexts.has(path)) return [`${path} is not imported by src/contexts.ts`];
    if (own !== undefined && !folder?.endsWith('/context.ts') && !importedBy(`${own}/context.ts`).has(path))
      return [`${path} is not imported by ${own}/context.ts`];
    if (path.endsWith('.graphql') && !/^src\/contexts\/[a-z0-9-]+\/rest\.graphql$/.test(path))
      return [`${path} is not a context's rest.graphql`];
    return [];
  });
};

const planted = (path: string, text: string): SourceFile => ({ path, text: `// Planted.\n${text}\n` });
const rules: Record<string, [Rule, SourceFile]> = {
  'files are nouns in kebab-case, and never empty words': [names, planted('src/platform/string-utils.ts', '')],
  'files have at most 300 lines': [sizes, planted('src/platform/long.ts', 'let a;\n'.repeat(300))],
  'functions have at most 70 lines': [
    functionSizes,
    planted('src/platform/long.ts', `export function a({ b }: { b: string }): { c: string } {\n${'  a();\n'.repeat(70)}}`),
  ],
  'a file opens with what it is for': [openings, { path: 'src/platform/dumb.ts', text: 'export const a = 1;\n' }],
  'nothing is left unfinished': [unfinished, planted('src/platform/later.ts', `// ${'TO'}${'DO'}: later`)],
  'nothing is passed on (no barrels)': [barrels, planted('src/ledger/all.ts', "export { post } from './posting.js';")],
  'the SDK stands alone, and in browsers': [sdkImports, planted('sdk/src/near.ts', "import { createHash } from 'node:crypto';")],
  'exported functions say what they do': [undocumented, planted('src/platform/mute.ts', 'export function mute(): void {}')],
  'faces are in the schema, operations in a context': [placement, planted('src/contexts/accounts/lost.schema.ts', '')],
  'settings are read in config.ts alone': [
    lines(/\bprocess\.env\b/, inSrc, ['src/config.ts']),
    planted('src/http/env.ts', 'const a = process.env;'),
  ],
  'the clock is read in clock.ts alone': [
    lines(/\bnew Date\(\)|\bDate\.now\(|\bDate\(\)/, inSrc, ['src/platform/clock.ts', 'src/console/clock.ts']),
    planted('src/ledger/now.ts', 'const at = new Date();'),
  ],
  'requests leave from outbound/client.ts alone': [outgoing, planted('src/contexts/agents/call.ts', "await fetch('https://example.com');")],
  'nobody prints': [lines(/\bconsole\./, inSrc), planted('src/http/noise.ts', "console.log('a');")],
  'nothing of a request lives in a module': [
    lines(/^(export )?(let|var) /, inSrc, ['src/platform/schema/id.ts']),
    planted('src/http/global.ts', 'let tenant: string | undefined;'),
  ],
  'relations lead no further than the actor sees (visible-relation.ts)': [
    lines(/\bt\.(relation|relatedConnection|relationCount|prismaConnection)\(/, inSrc),
    planted('src/contexts/accounts/open.schema.ts', "const field = t.relation('wallets');"),
  ],
  'there are no nested writes': [
    lines(/\b(connectOrCreate|disconnect|create|createMany|upsert|deleteMany|updateMany):/, inSrc, ['src/platform/postgres/database.ts']),
    planted('src/contexts/accounts/nested.ts', 'await tx.account.create({ data: { wallets: { create: [{}] } } });'),
  ],
  // Elsewhere `connect` is a word like others: an argument, an option of an HTTP client.
  'no write links by a nested connect': [
    insideData(/\bconnect:/, 'connects in a nested write', inSrc),
    planted('src/contexts/accounts/linked.ts', 'await tx.wallet.update({ where, data: { account: { connect: { id } } } });'),
  ],
  'raw SQL stays in the ledger, the platform and the .sql.ts files of a hot path': [
    lines(
      /\$(queryRaw|executeRaw)|\bpool\.(query|connect)\b/,
      (file) => inSrc(file) && !/^src\/(events|ledger|platform)\/|\.sql\.ts$/.test(file.path),
      rawSql,
    ),
    planted('src/contexts/accounts/raw.ts', 'await ctx.platform.database.pool.query(text);'),
  ],
  'the unscoped door is used by those who must': [
    lines(/\bunscoped\b/, inSrc, unscoped),
    planted('src/contexts/transfers/open.ts', 'database.unscoped.transfer.findMany();'),
  ],
  'the database of a platform is taken by those who know its cell': [
    databaseOfCell,
    planted('src/contexts/transfers/homely.ts', 'await platform.database.pool.query(text);'),
  ],
  'the workspace of a row is never written by hand': [
    workspaceInData,
    planted('src/contexts/accounts/stamp.ts', 'await tx.account.create({ data: { name, workspaceId } });'),
  ],
};

describe('house rules', () => {
  it('look at the whole project', () => {
    const count = (start: string, end: string) => files.filter(({ path }) => path.startsWith(start) && path.endsWith(end)).length;
    expect(count('src/', '.ts')).toBeGreaterThan(100);
    expect(count('test/', '.ts')).toBeGreaterThan(40);
    expect(count('sdk/src/', '.ts')).toBeGreaterThan(8);
    expect(count('src/contexts/', 'rest.graphql')).toBeGreaterThan(4);
    expect(count('prisma/schema/', '.prisma')).toBeGreaterThan(6);
    expect(count('prisma/migrations/', '.sql')).toBeGreaterThan(0);
    expect(files.filter(inSrc).flatMap((file) => functionsOf(file.text)).length).toBeGreaterThan(600);
    expect(files.filter(inSrc).flatMap(importsOf).length).toBeGreaterThan(500);
  });

  it('have exceptions that exist and are needed', () => {
    for (const path of [...rawSql, ...unscoped, entry]) expect(exists(path), path).toBe(true);
    const uses = (pattern: RegExp) => (path: string) => pattern.test(files.find((file) => file.path === path)?.text ?? '');
    expect(mayFetch.filter((path) => !uses(/\bfetch\(|from 'undici'/)(path))).toEqual([]);
    expect(unscoped.filter((path) => !uses(/\bunscoped\b/)(path))).toEqual([]);
    expect(rawSql.filter((path) => !uses(/\bpool\.query\b/)(path))).toEqual([]);
  });

  describe.each(Object.entries({ ...rules, ...importRules, ...schemaRules }))('%s', (_name, [rule, offence]) => {
    it('holds', () => expect(rule(files)).toEqual([]));
    it('would find an offence', () => expect(rule([...files, offence]).join('\n')).toContain(offence.path));
  });

  it('know every file that imports something', () => {
    expect(files.filter(inSrc).flatMap((file) => (importsAllowed(file) === undefined ? [file.path] : []))).toEqual([]);
  });
});
