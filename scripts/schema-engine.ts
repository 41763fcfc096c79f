// Prisma's schema engine as WebAssembly, so that nothing is downloaded: says which SQL takes a database to prisma/schema.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum, type SqlDriverAdapter, type SqlQuery } from '@prisma/driver-adapter-utils';
import type { SchemaEngine, SchemasContainer } from '@prisma/schema-engine-wasm';
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

// The package's types declare neither the hooks of its loader nor, without the DOM library, WebAssembly.
interface Glue {
  __wbg_set_wasm(exports: unknown): void;
  SchemaEngine: typeof SchemaEngine;
}
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: { __wbindgen_start?: () => void } } }>;
};
const { __wbg_set_wasm: setWasm, SchemaEngine: Engine } = glue as unknown as Glue;

const charOid = 18;
const textOid = 25;

interface Answer {
  fields: { name: string; dataTypeID: number }[];
  rows: unknown[][];
}

type Inner = SqlDriverAdapter & { performIO(query: SqlQuery): Promise<Answer>; onError(error: unknown): never };

/**
 * The adapter refuses the catalogue's type "char", which the engine reads when it looks at a database: it is read as text, and called
 * a character afterwards.
 */
function readingCatalogue(connection: SqlDriverAdapter): SqlDriverAdapter {
  const inner = connection as Inner;
  const [performIO, queryRaw] = [inner.performIO.bind(inner), inner.queryRaw.bind(inner)];
  const charColumns = new WeakMap<object, Set<number>>();
  return Object.assign(inner, {
    async performIO(query: SqlQuery) {
      const answer = await performIO(query);
      const chars = new Set(answer.fields.flatMap((field, i) => (field.dataTypeID === charOid ? [i] : [])));
      charColumns.set(answer.rows, chars);
      return { ...answer, fields: answer.fields.map((field, i) => (chars.has(i) ? { name: field.name, dataTypeID: textOid } : field)) };
    },
    async queryRaw(query: SqlQuery) {
      const result = await queryRaw(query);
      const chars = charColumns.get(result.rows);
      return { ...result, columnTypes: result.columnTypes.map((type, i) => (chars?.has(i) ? ColumnTypeEnum.Character : type)) };
    },
  });
}

let loaded: Promise<void> | undefined;

async function load(): Promise<void> {
  // Without it a panic of the engine shows as a TypeError about the missing registry.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: { set_message: (text: string) => process.stderr.write(`schema engine: ${text}\n`) },
  });
  const folder = path.dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm'));
  const { instance } = await WebAssembly.instantiate(readFileSync(path.join(folder, 'schema_engine_bg.wasm')), {
    './schema_engine_bg.js': glue,
  });
  setWasm(instance.exports);
  instance.exports.__wbindgen_start?.();
}

function readSchema(dir: string): SchemasContainer {
  const names = readdirSync(dir).filter((name) => name.endsWith('.prisma'));
  return { files: names.sort().map((name) => ({ path: path.join(dir, name), content: readFileSync(path.join(dir, name), 'utf8') })) };
}

/** References of the schema that the database is not to hold anybody to: by the names of their constraints. */
const notEnforced = /-- AddForeignKey\nALTER TABLE "\w+" ADD CONSTRAINT "not_enforced_\w+" [^;]*;\s*/g;

/** The SQL that takes the database at `url` to the schema in `schemaDir`, or null when they agree. */
export async function sqlToSchema(url: string, schemaDir: string): Promise<string | null> {
  loaded ??= load();
  await loaded;
  const schema = readSchema(schemaDir);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const adapter = new PrismaPg(pool);
  const factory = bindMigrationAwareSqlAdapterFactory({
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    connect: async () => readingCatalogue(await adapter.connect()),
    connectToShadowDb: () => Promise.reject(new Error('there is no shadow database')),
  });
  const engine = await Engine.new(
    { datamodels: schema.files.map((file): [string, string] => [file.path, file.content]) },
    () => {},
    factory,
  );
  try {
    const difference = await engine.diff({
      from: { tag: 'schemaDatasource', ...schema, configDir: '.' }, // what the engine is connected to
      to: { tag: 'schemaDatamodel', ...schema },
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    });
    const sql = difference.exitCode === 2 ? (difference.stdout ?? '').replace(notEnforced, '') : '';
    return sql.trim() === '' ? null : sql;
  } finally {
    engine.free();
    await pool.end();
  }
}
