// The table of events of before becomes the first partition of the new one: without a copy, unread under its lock, beside processes of the
// release before (decision 0097).
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrate } from '../../../src/platform/postgres/migration.js';
import { readMigrations } from '../../../src/platform/postgres/migration-file.js';
import { type NewDatabase, newDatabase } from '../../new-database.js';

const prisma = fileURLToPath(new URL('../../../prisma', import.meta.url));
const [expand, vacuum] = ['20261219000000_event_ahead', '20261219000050_event_ahead_vacuum'];
const [background, contract] = ['20261219000100_event_split', '20261219000200_event_by_day'];
const workspace = '01900000-0000-7000-8000-000000000001';

let database: NewDatabase;
let db: pg.Client;
let dir: string;
let notices: string[];

const connect = async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  client.on('notice', ({ message }) => notices.push(message ?? ''));
  return client;
};
const rowsOf = async (text: string, values: unknown[] = []) => (await db.query(text, values)).rows;
const put = (ahead: string, count = 1) =>
  db.query(
    `INSERT INTO event (workspace_id, id, type, data, object_id, created_at)
     SELECT $1, uuid_at(now() + $2::interval), 'account.created', '{}', gen_random_uuid(), now() + $2::interval FROM generate_series(1, $3)`,
    [workspace, ahead, count],
  );
/** Rows by the table that has them. */
const places = async () =>
  Object.fromEntries(
    (await rowsOf('SELECT tableoid::regclass::text AS name, count(*)::int AS rows FROM event GROUP BY 1')).map(({ name, rows }) => [
      name,
      rows,
    ]),
  );
const filenode = async (table: string) => (await rowsOf('SELECT pg_relation_filenode($1::regclass) AS n', [table]))[0]?.n;

/** Applies the migrations of a folder that has all but the named ones. */
async function migrateWithout(...names: string[]): Promise<string[]> {
  const copy = path.join(dir, String(names.length));
  await cp(prisma, copy, { recursive: true });
  for (const name of names) await rm(path.join(copy, 'migrations', name), { recursive: true });
  return (await migrate(database.url, { dir: copy })).filter((name) => name.startsWith('2026121900'));
}

beforeEach(async () => {
  database = await newDatabase({ empty: true });
  dir = await mkdtemp(path.join(tmpdir(), 'by-day-'));
  notices = [];
  db = await connect();
  await migrateWithout(expand, vacuum, background, contract);
  // What processes of the release before call.
  await db.query(`CREATE FUNCTION event_data(e event) RETURNS json LANGUAGE sql STABLE AS 'SELECT e.data';
    CREATE FUNCTION published_events(workspace uuid, after bigint, up_to bigint) RETURNS SETOF event LANGUAGE sql STABLE AS
      'SELECT e.* FROM event e WHERE e.workspace_id = workspace'`);
  await db.query(`INSERT INTO tenant (id, name, created_at) VALUES ($1, 'T', now())`, [workspace]);
  await db.query(`INSERT INTO workspace (id, tenant_id, environment, created_at) VALUES ($1, $1, 'test', now())`, [workspace]);
});

afterEach(async () => {
  await db.end();
  await database.drop();
  await rm(dir, { recursive: true, force: true });
});

it('a large table is attached as it is, and what sandboxes wrote ahead is beside it at every step', async () => {
  await put('-1 day', 12_000);
  await put('1 year', 2_500);
  const [heap, index] = [await filenode('event'), await filenode('event_object')];
  const sum = () => rowsOf('SELECT count(*)::int AS n, count(DISTINCT id)::int AS ids FROM event');
  const all = [{ n: 14_500, ids: 14_500 }];

  // Prepared before, as processes have it, and used at every step.
  const old = await connect();
  const write = (id: string) =>
    old.query({
      name: 'write',
      text: "INSERT INTO event (workspace_id, id, type, data, created_at) VALUES ($1, $2, 'x', '{}', now()) RETURNING id",
      values: [workspace, id],
    });
  const read = async () =>
    (await old.query({ name: 'read', text: 'SELECT event_data(e) AS data FROM event e WHERE workspace_id = $1', values: [workspace] }))
      .rowCount;
  const idAt = async (ahead: string) => (await rowsOf('SELECT uuid_at(now() + $1::interval)::text AS id', [ahead]))[0]?.id;
  expect(await read()).toBe(14_500);

  expect(await migrateWithout(background, contract)).toEqual([expand, vacuum]);
  expect(await sum()).toEqual(all);
  expect((await write(await idAt('0'))).rowCount).toBe(1);
  await write(await idAt('2 years'));
  expect(await places()).toEqual({ event: 14_501, event_ahead: 1 });
  expect((await old.query('SELECT * FROM published_events($1, 0, 1)', [workspace])).rowCount).toBe(14_502);

  expect(await migrateWithout(contract)).toEqual([background]);
  expect(await places()).toEqual({ event: 12_001, event_ahead: 2_501 });
  expect(await read()).toBe(14_502);

  // By hand, to hear what PostgreSQL has read.
  const { sql = '' } = (await readMigrations(prisma)).find(({ name }) => name === contract) ?? {};
  notices = [];
  await db.query(`SET client_min_messages = debug1; BEGIN; ${sql} COMMIT; RESET client_min_messages`);
  const proved = notices.filter((text) => /is implied by existing constraints/.test(text));
  expect(proved.map((text) => /for table "(\w+)"|partition "(\w+)"/.exec(text)?.slice(1).find(Boolean))).toContain('event_before');
  expect(notices.filter((text) => /verifying table/.test(text))).toEqual([]);
  expect([await filenode('event_before'), await filenode('event_before_object')]).toEqual([heap, index]);
  expect(await places()).toEqual({ event_before: 12_001, event_default: 2_501 });
  expect(await read()).toBe(14_502);
  expect((await write(await idAt('0'))).rowCount).toBe(1);
  expect((await write(await idAt('3 years'))).rowCount).toBe(1);
  expect(await places()).toEqual({ event_before: 12_002, event_default: 2_502 });
  await old.end();
  // Nothing needs the table of before, so it can leave.
  await db.query('DROP TABLE event_before');
  await put('-1 hour');
  expect(await places()).toEqual({ event_default: 2_503 });
});

it('a small one is emptied into the net, and its triggers go on', async () => {
  await put('-1 day', 100);
  await put('1 year', 10);
  await db.query(`CREATE TRIGGER absent BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.type = 'never') EXECUTE FUNCTION refuse_moved('x')`);
  expect(await migrateWithout()).toEqual([expand, vacuum, background, contract]);
  expect(await places()).toEqual({ event_default: 110 });
  const triggers = await rowsOf(
    "SELECT tgname AS name, tgrelid::regclass::text AS table FROM pg_trigger WHERE tgname IN ('absent', 'immutable') AND tgrelid::regclass::text LIKE 'event%' ORDER BY 2, 1",
  );
  expect(triggers).toEqual(['event', 'event_default'].flatMap((table) => ['absent', 'immutable'].map((name) => ({ name, table }))));
  expect(await rowsOf("SELECT proname FROM pg_proc WHERE proname ~ 'event_split|event_ahead|attach_events|published_events'")).toEqual([]);
});
