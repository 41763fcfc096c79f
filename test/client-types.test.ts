// Types for clients: what code generators and gql.tada make of the schema that is served, with graphql/scalars.ts.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { minifyIntrospection, outputIntrospectionFile } from 'gql.tada/internal';
import { buildSchema, introspectionFromSchema, isScalarType, isSpecifiedScalarType, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import config from '../graphql/codegen.js';
import { examples } from '../src/contexts/analytics/example.js';
import { schema } from '../src/schema.js';
import { useHarness } from './harness.js';

const harness = useHarness();
const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

const scalars = Object.values(schema.getTypeMap())
  .filter(isScalarType)
  .filter((type) => !isSpecifiedScalarType(type));

describe('scalars', () => {
  it('say where each is specified: all ids in one place', () => {
    expect(scalars.filter(({ specifiedByURL }) => !specifiedByURL?.startsWith('https://'))).toEqual([]);
    const ids = scalars.filter(({ name, extensions }) => extensions['idKind'] !== undefined || name === 'OwnerId');
    expect(ids.length).toBeGreaterThan(50);
    expect([...new Set(ids.map(({ specifiedByURL }) => specifiedByURL))]).toEqual(['https://www.rfc-editor.org/rfc/rfc9562']);
  });
});

describe('GET /schema.graphql', () => {
  it('is the schema, on both ports, for nobody in particular, and kept by its ETag', async () => {
    const asked = await fetch(`${harness.test.url}/schema.graphql`);
    const text = await asked.text();
    expect([asked.status, text]).toEqual([200, readFileSync(path.join(root, 'schema.graphql'), 'utf8')]);
    expect(await (await fetch(`${harness.live.url}/schema.graphql`)).text()).toBe(text);
    const again = await fetch(`${harness.test.url}/schema.graphql`, { headers: { 'if-none-match': asked.headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);
  });
});

const program = `
import { initGraphQLTada, type ResultOf } from 'gql.tada';
import type { WelcomeQuery } from './api.js';
import type { Transfer } from './schema.js';
import type { introspection } from './introspection.js';
import type { Scalars } from './scalars.js';

const graphql = initGraphQLTada<{ introspection: introspection; scalars: Scalars }>();
const table = graphql(\`query { transfers(limit: 50) { nodes { id amount currency createdAt toAccount { id name } } } }\`);
type Row = ResultOf<typeof table>['transfers']['nodes'][number];
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export const checked: [
  Same<Row['id'], string>,
  Same<Transfer['fromWalletId'], string | null | undefined>,
  Same<Row['amount'], string>,
  Same<Row['createdAt'], string>,
  Same<NonNullable<Row['toAccount']>['name'], string>,
  Same<WelcomeQuery['wallets']['nodes'][number]['id'], string>,
  Same<WelcomeQuery['wallets']['nodes'][number]['balance']['available'], string>,
] = [true, true, true, true, true, true, true];
// @ts-expect-error: an id is text.
export const wrong: Row['id'] = 1;
`;

describe('programs of clients', () => {
  it('have text, numbers and words for every scalar, by code generator and by gql.tada', { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(path.join(root, 'node_modules', '.client-types-'));
    const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
    try {
      const served = await (await fetch(`${harness.test.url}/schema.graphql`)).text();
      for (const [filename, { plugins, config: options }] of Object.entries(config.generates)) {
        const code = await codegen({
          filename,
          schema: parse(served),
          documents: examples.map(({ title, document }) => ({ location: title, document: parse(document) })),
          config: options,
          plugins: plugins.map((name) => ({ [name]: {} })),
          pluginMap: { typescript, 'typescript-operations': typescriptOperations },
        });
        const lines = code.replace(/\/\*\*[\s\S]*?\*\//g, '').split('\n');
        // A helper of the generator's own.
        const helper = /^(export )?type Exact</;
        expect(lines.filter((line) => /\b(unknown|any)\b/.test(line) && !helper.test(line))).toEqual([]);
        write(path.basename(filename), code);
      }
      const types = readFileSync(path.join(folder, 'schema.ts'), 'utf8');
      const mapped = [...types.matchAll(/^ {2}(\w+): \{ input: .+; output: .+ \};?$/gm)].map(([, name]) => name);
      expect(mapped).toEqual(expect.arrayContaining(scalars.map(({ name }) => name)));
      const introspection = minifyIntrospection(introspectionFromSchema(buildSchema(served)) as never);
      write('introspection.d.ts', outputIntrospectionFile(introspection, { fileType: '.d.ts', shouldPreprocess: true }));
      copyFileSync(path.join(root, 'graphql/scalars.ts'), path.join(folder, 'scalars.ts'));
      write('program.ts', program);
      const tsc = [
        path.join(root, 'node_modules/typescript/bin/tsc'),
        '--ignoreConfig',
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        '--module',
        'nodenext',
      ];
      const { stdout } = await run(process.execPath, [...tsc, path.join(folder, 'program.ts')], { cwd: folder }).catch((error) => error);
      expect(stdout).toBe('');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
