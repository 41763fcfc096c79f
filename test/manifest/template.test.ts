// A new noun, from a template, in a copy of the sources: its folder, its tables, and a line in each of two lists are all that it takes.
// Played with SLOW=1.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type NewDatabase, newDatabase } from '../new-database.js';
import { ServerProcess } from '../process.js';
import { isSlow } from '../slow.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const key = `pk_test_${'t'.repeat(43)}`;

const files: Readonly<Record<string, string>> = {
  'prisma/schema/parcels.prisma': `
/// A parcel.
model Parcel {
  workspaceId String   @default(dbgenerated()) @map("workspace_id") @db.Uuid
  id          String   @db.Uuid
  name        String /// @plain
  createdAt   DateTime @map("created_at") @db.Timestamptz(3)

  @@id([workspaceId, id])
  @@map("parcel")
}
`,
  'prisma/migrations/20991231000000_parcels/migration.sql': `
CREATE TABLE parcel (
  workspace_id uuid NOT NULL DEFAULT current_setting('app.workspace')::uuid,
  id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
`,
  'src/contexts/parcels/noun.ts': `
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { dropParcel } from './parcel.js';

export const parcel = defineNoun({
  id: { kind: 'parcel', prefix: 'par', wire: 'prefixed' },
  table: 'parcel',
  reset: [
    resetStep({
      stage: 'setting',
      rows: ({ db }, most) => db.parcel.findMany(newestRows(most)),
      end: (ctx, { id }) => dropParcel(ctx, id),
    }),
  ],
});
`,
  'src/contexts/parcels/context.ts': `
import { context } from '../../manifest/context.js';
import { events } from './events.js';
import { parcel } from './noun.js';

export const parcels = context({ nouns: [parcel], events: [events] });
`,
  'src/contexts/parcels/events.ts': `
import { z } from 'zod';
import { exampleId, id } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';

export const { events, emit } = declareEvents({
  'parcel.created': {
    description: 'a parcel was packed',
    data: z.strictObject({ parcel_id: id('par'), name: z.string() }),
    subject: 'parcel_id',
    example: { parcel_id: exampleId('par'), name: 'Mugs' },
  },
});
`,
  'src/contexts/parcels/parcel.ts': `
import type { Parcel } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { rowKey } from '../../platform/postgres/row.js';
import { newId, printId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { emit } from './events.js';
import type { CreateParcelInput } from './parcel.input.js';

export async function parcel(ctx: Ctx, id: string, query: object = {}): Promise<Parcel> {
  const found = await ctx.db.parcel.findFirst({ ...query, where: { id } });
  if (found === null) throw new NotFound();
  return found;
}

export const parcels = listOf('parcel', {});

export function createParcel(ctx: Ctx, { name }: CreateParcelInput): Promise<Parcel> {
  const createdAt = ctx.clock.now();
  return transact(ctx, async (tx) => {
    const made = await tx.parcel.create({ data: { id: newId(createdAt), name, createdAt } });
    await emit(ctx, tx, 'parcel.created', { parcel_id: printId('parcel', made.id), name }, { objectId: made.id });
    return made;
  });
}

export function dropParcel(ctx: Ctx, id: string): Promise<Parcel> {
  return transact(ctx, (tx) => tx.parcel.delete({ where: rowKey(ctx, id) }));
}
`,
  'src/contexts/parcels/parcel.input.ts': `
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

export const CreateParcelInput = builder.inputType('CreateParcelInput', {
  fields: (t) => ({ name: t.string({ validate: z.string().min(1).max(100) }) }),
});
export type CreateParcelInput = typeof CreateParcelInput.$inferInput;
`,
  'src/contexts/parcels/rest.ts': `
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('parcels', 'What is sent.');
`,
  'src/contexts/parcels/parcel.schema.ts': `
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { CreateParcelInput } from './parcel.input.js';
import { createParcel, parcel, parcels } from './parcel.js';
import { rest } from './rest.js';

const Parcel = builder.prismaObject('Parcel', {
  description: 'A parcel.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ParcelId' }),
    name: t.exposeString('name'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const ParcelPage = pageOf(Parcel, 'Parcel');

builder.queryFields((t) => ({
  parcel: t.prismaField({
    route: rest('GET /v1/parcels/{id}', 'Read a parcel.'),
    type: Parcel,
    args: { id: t.arg({ type: 'ParcelId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => parcel(ctx, id, query),
  }),
  parcels: t.field({ route: rest('GET /v1/parcels', 'List parcels.'), type: ParcelPage, ...listed(t, parcels, {}) }),
}));

builder.mutationField('createParcel', (t) =>
  t.field({
    route: rest('POST /v1/parcels', 'Pack a parcel.', { status: 201 }),
    type: Parcel,
    args: { input: t.arg({ type: CreateParcelInput }) },
    resolve: once((ctx, { input }) => createParcel(ctx, input), parcel),
  }),
);
`,
};

/** What the lists get: a line for the context, its place behind the others, and one for its face. */
const lines: readonly [file: string, before: string, line: string][] = [
  ['src/contexts.ts', "import { rates } from './contexts/rates/context.js';", "import { parcels } from './contexts/parcels/context.js';"],
  ['src/contexts.ts', '  sandbox,\n]', '  parcels,'],
  ['src/schema.ts', "import './contexts/skills/skill.schema.js';", "import './contexts/parcels/parcel.schema.js';"],
];

describe.runIf(isSlow)('a noun from a template', () => {
  let copy: string;
  let database: NewDatabase;
  let server: ServerProcess | undefined;
  let base: string;

  beforeAll(async () => {
    copy = await realpath(await mkdtemp(path.join(tmpdir(), 'payments-noun-')));
    const left = ['node_modules', 'dist', '.git', '.data', 'test', 'sdk'];
    for (const name of await readdir(root)) {
      if (!left.includes(name)) await cp(path.join(root, name), path.join(copy, name), { recursive: true });
    }
    await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(copy, file)), { recursive: true });
      await writeFile(path.join(copy, file), text.trimStart());
    }
    for (const [file, before, line] of lines) {
      const text = await readFile(path.join(copy, file), 'utf8');
      expect(text, file).toContain(before);
      await writeFile(path.join(copy, file), text.replace(before, `${line}\n${before}`));
    }
    await promisify(execFile)(process.execPath, ['scripts/build.mjs', '--client'], { cwd: copy });
    database = await newDatabase();
    server = new ServerProcess(path.join(root, 'node_modules/tsx/dist/cli.mjs'), [path.join(copy, 'src/main.ts')], {
      DATABASE_URL: database.url,
      SECRETS_KEY: '00'.repeat(32),
      PORT: '0',
      SANDBOX_PORT: '0',
      BOOTSTRAP_TEST_KEY: key,
      LOG_LEVEL: 'error',
    });
    await vi.waitFor(() => expect(`${server?.stdout}${server?.stderr}`).toContain('is ready'), { timeout: 90_000, interval: 100 });
    base = /Sandbox\s+(\S+)/.exec(server.stdout)?.[1] ?? '';
  }, 180_000);

  afterAll(async () => {
    await server?.kill('SIGTERM');
    await database?.drop();
    await rm(copy, { recursive: true, force: true });
  });

  async function send(method: string, at: string, body?: object) {
    const headers = { Authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(base + at, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.status, body: await answer.json() };
  }

  it('is served, listed, told of, described and ended as every other', async () => {
    const made = await send('POST', '/v1/parcels', { name: 'Mugs' });
    expect(made).toMatchObject({ status: 201, body: { data: { id: expect.stringMatching(/^par_/), name: 'Mugs' } } });
    expect(await send('GET', `/v1/parcels/${made.body.data.id}`)).toEqual({ status: 200, body: made.body });
    expect((await send('GET', '/v1/parcels')).body.data).toEqual([made.body.data]);
    expect((await send('POST', '/v1/parcels', { naem: 'x' })).body.details.fields).toContainEqual(
      expect.objectContaining({ path: 'naem' }),
    );
    expect((await send('GET', '/v1/webhooks/events')).body.data).toContainEqual(
      expect.objectContaining({ type: 'parcel.created', emitted: true }),
    );
    await expect.poll(async () => (await send('GET', '/v1/events?type=parcel.*')).body.data).toHaveLength(1);
    expect((await send('GET', '/v1/openapi.json')).body.paths).toHaveProperty('/v1/parcels/{id}');
    expect((await send('GET', '/v1/audit-log?action=createParcel')).body.data).toHaveLength(1);
    expect((await send('POST', '/v1/test/reset', {})).body.data.ended).toMatchObject({ parcel: 1 });
    expect((await send('GET', '/v1/parcels')).body.data).toEqual([]);
  });
});
