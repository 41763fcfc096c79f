// The package as it is published: what is in it, what browsers load of it, and types that know every operation and no `any`.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { afterAll, describe, expect, it } from 'vitest';
import type * as TypeScript from '../../sdk/node_modules/typescript/lib/typescript.js';
import { document } from '../openapi.js';

const sdk = new URL('../../sdk/', import.meta.url);
const dist = fileURLToPath(new URL('dist/', sdk));
const inTree = (name: string) => readFileSync(dist + name, 'utf8');

/** What a bundler makes of an entry for browsers. */
async function bundled(entry: string): Promise<string> {
  const output = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      target: 'es2022',
      rollupOptions: { input: dist + entry, preserveEntrySignatures: 'strict', output: { format: 'es' } },
    },
  });
  const [{ output: chunks }] = [output].flat() as unknown as [{ output: { code?: string }[] }];
  return chunks.map(({ code = '' }) => code).join('');
}

describe('the bundle for browsers', () => {
  it('needs nothing of Node, and has at most 15 KB', async ({ annotate }) => {
    const code = await bundled('sdk.js');
    const size = gzipSync(code).length;
    await annotate(`${size} bytes gzipped`);
    expect(code).toContain('Idempotency-Key');
    expect(code).not.toMatch(/node:|\brequire\(|__vite-browser-external|\bBuffer\b/);
    expect(size).toBeLessThan(15_000);
    const check = await bundled('receipt-check.js');
    expect(check).not.toMatch(/node:|\brequire\(|__vite-browser-external|\bBuffer\b/);
    expect(gzipSync(check).length, 'with the curves').toBeLessThan(40_000);
    expect(await bundled('webhook.js'), 'webhooks are verified in Node').toMatch(/createHmac|browser-external/);
  }, 60_000);
});

describe('the types', () => {
  // The compiler of the SDK: the project's own has no such interface.
  const ts = createRequire(sdk)('typescript') as typeof TypeScript;
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'));
  const sources = files.map((name) => ts.createSourceFile(name, inTree(name), ts.ScriptTarget.ES2022));

  it('say `any` nowhere', () => {
    const found: string[] = [];
    const walk = (node: TypeScript.Node, source: TypeScript.SourceFile): void => {
      if (node.kind === ts.SyntaxKind.AnyKeyword) found.push(`${source.fileName}: ${node.parent?.getText(source)}`);
      ts.forEachChild(node, (child) => walk(child, source));
    };
    for (const source of sources) walk(source, source);
    expect(files.length).toBeGreaterThan(10);
    expect(found).toEqual([]);
  });

  it('have every operation of openapi.json', () => {
    const api = sources.find(({ fileName }) => fileName === 'generated/api.d.ts') as TypeScript.SourceFile;
    const paths = api.statements.find(
      (node) => ts.isInterfaceDeclaration(node) && node.name.text === 'paths',
    ) as TypeScript.InterfaceDeclaration;
    const typed = paths.members.flatMap((path) => {
      const { members } = (path as TypeScript.PropertySignature).type as TypeScript.TypeLiteralNode;
      return members
        .filter((method) => method.questionToken === undefined && ts.isPropertySignature(method))
        .map((method) => `${(method.name as TypeScript.Identifier).text} ${(path.name as TypeScript.StringLiteral).text}`)
        .filter((name) => !name.startsWith('parameters '));
    });
    const declared = Object.entries<object>(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(declared.length).toBeGreaterThan(300);
    expect(typed.sort()).toEqual(declared.sort());
  });
});

describe('a CommonJS program', () => {
  // It has to stand where the package is found.
  const folder = fileURLToPath(new URL(`../../node_modules/.commonjs-${process.pid}/`, import.meta.url));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, code: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(folder + name, code);
    return folder + name;
  };

  it('requires the package and its webhooks, without modules of the other kind', () => {
    const code = `
      const { createClient, ApiError, payingFetch } = require('@agent-payments/sdk');
      const { verifyWebhook } = require('@agent-payments/sdk/webhooks');
      const { ReceiptCheck } = require('@agent-payments/sdk/evidence');
      const client = createClient({ baseUrl: 'http://127.0.0.1:1', retryForMs: 0 });
      client.GET('/v1/me').catch((error) => console.log(error.name, typeof ApiError, typeof payingFetch, typeof verifyWebhook, typeof ReceiptCheck));`;
    const printed = execFileSync(process.execPath, ['--no-experimental-require-module', write('program.cjs', code)], { encoding: 'utf8' });
    expect(printed).toBe('NetworkError function function function function\n');
  });

  it('has types where modules are resolved as Node 16 does', () => {
    const program = write(
      'program.cts',
      `import { ApiError, createClient } from '@agent-payments/sdk';
      import { verifyWebhook } from '@agent-payments/sdk/webhooks';
      import { ReceiptCheck } from '@agent-payments/sdk/evidence';
      const client = createClient({ baseUrl: 'http://localhost' });
      export const size = async (): Promise<bigint> => (await new ReceiptCheck(client).check('1')).head.size;
      export const run = async (): Promise<string> => {
        const { data } = await client.GET('/v1/transfers/{id}', { params: { path: { id: '1' } } });
        // @ts-expect-error there is no such member
        const missing: unknown = data.amuont;
        return data.amount + verifyWebhook('', '', '').id + ApiError.name + missing;
      };`,
    );
    const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
    const options = ['--module', 'node16', '--target', 'es2022', '--strict', '--noEmit', '--skipLibCheck', '--ignoreConfig'];
    const { stdout, status } = spawnSync(process.execPath, [tsc, ...options, program], { cwd: folder, encoding: 'utf8' });
    expect([stdout, status]).toEqual(['', 0]);
  });
});

describe('npm pack', () => {
  it('lists code, types, README and license, and no sources', () => {
    const printed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: sdk,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const names: string[] = JSON.parse(printed)[0].files.map(({ path }: { path: string }) => path);
    expect(names).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'package.json',
        'dist/sdk.js',
        'dist/sdk.d.ts',
        'dist/webhook.js',
        'dist/generated/api.d.ts',
        'dist/cjs/package.json',
        'dist/cjs/sdk.js',
        'dist/cjs/sdk.d.ts',
      ]),
    );
    expect(names.filter((name) => !/^(LICENSE|README\.md|(dist\/cjs\/)?package\.json|dist\/[\w/-]+\.(js|d\.ts))$/.test(name))).toEqual([]);
  });
});
