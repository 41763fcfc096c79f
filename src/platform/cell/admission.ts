// Takes a database into an installation as a cell, after it has proved that it can be one: what is wrong is said all at once.
import pg from 'pg';
import type { Database } from '../postgres/database.js';
import { migrate } from '../postgres/migration.js';
import { pendingMigrations, unknownMigrations } from '../postgres/migration-history.js';
import type { Vault } from '../secrets/vault.js';

/** A cell that is to be. */
export interface NewCell {
  name: string;
  url: string;
}

/** What takes it in: the directory, and the key by which its address is sealed. */
export interface Admitting {
  database: Database;
  vault: Vault;
}

/** As the setting CELLS takes them. */
const nameForm = /^[a-z][a-z0-9-]{0,30}$/;

/** What moving a tenant needs: row filters of publications, and two-phase sequences of subscriptions. */
const leastVersion = 150_000;
const mostDriftMs = 1_000;

interface Server {
  version: number;
  walLevel: string;
  maySubscribe: boolean;
  mayCopy: boolean;
}

const server = `SELECT current_setting('server_version_num')::int AS version, current_setting('wal_level') AS "walLevel",
  (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) OR EXISTS (
    SELECT FROM pg_roles WHERE rolname = 'pg_create_subscription' AND pg_has_role(current_user, oid, 'MEMBER')) AS "maySubscribe",
  has_parameter_privilege('session_replication_role', 'SET') AS "mayCopy"`;

/** What keeps a database from being a cell of this installation, in sentences for people. */
export async function faultsOf({ database, vault }: Admitting, { name, url }: NewCell): Promise<string[]> {
  if (!nameForm.test(name)) return ['its name must be a small letter, and then small letters, digits or "-", 31 characters at most'];
  const [taken] = (await database.pool.query('SELECT FROM cell WHERE name = $1', [name])).rows;
  if (taken !== undefined) return [`there is a cell ${name} already`];
  return withClient(url, (db) => databaseFaults(db, { database, vault }, name));
}

/** What keeps a database from being that of a cell which is there: it must be the same one, or a standby of it that was promoted. */
export async function addressFaults({ database, vault }: Admitting, { name, url }: NewCell): Promise<string[]> {
  const [listed] = (
    await database.pool.query<{ isHome: boolean }>('SELECT sealed_url IS NULL AS "isHome" FROM cell WHERE name = $1', [name])
  ).rows;
  if (listed === undefined) return [`there is no cell ${name}`];
  if (listed.isHome) return [`${name} is where the directory is: DATABASE_URL says its address`];
  return withClient(url, async (db) => [
    ...(await db.query<{ isStandby: boolean }>('SELECT pg_is_in_recovery() AS "isStandby"')).rows.flatMap(({ isStandby }) =>
      isStandby ? ['it is a standby: promote it first'] : [],
    ),
    ...((await isCell(db)) ? [] : ['it is no cell of any installation']),
    ...(await databaseFaults(db, { database, vault }, name)),
  ]);
}

/** Lists another address of a cell. Processes are told, and go there. */
export async function changeAddress({ database, vault }: Admitting, { name, url }: NewCell): Promise<void> {
  await database.pool.query('UPDATE cell SET sealed_url = $2 WHERE name = $1 AND sealed_url IS NOT NULL', [
    name,
    vault.seal(url, `cell ${name}`),
  ]);
}

const databaseFaults = async (db: pg.Client, admitting: Admitting, name: string): Promise<string[]> => [
  ...serverFaults((await db.query<Server>(server)).rows[0]),
  ...(await clockFaults(db, admitting.database)),
  ...(await schemaFaults(db)),
  ...(await ownerFaults(db, admitting, name)),
];

/** Makes a database a cell: gives it its tables, says in it whose it is, and lists it. Processes are told. */
export async function enterCell({ database, vault }: Admitting, { name, url }: NewCell): Promise<void> {
  await migrate(url, { directoryUrl: database.url });
  const { rows } = await database.pool.query<{ id: string }>('SELECT id FROM installation');
  const text = 'INSERT INTO installation (id, cell, created_at) VALUES ($1, $2, now()) ON CONFLICT DO NOTHING';
  await withClient(url, (db) => db.query(text, [rows[0]?.id, name]));
  const listed = 'INSERT INTO cell (name, sealed_url, created_at) VALUES ($1, $2, now())';
  await database.pool.query(listed, [name, vault.seal(url, `cell ${name}`)]);
}

async function withClient<T>(url: string, work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: url, application_name: 'cell', connectionTimeoutMillis: 5_000 });
  db.on('error', () => {});
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

/** What is wrong with a server. */
export function serverFaults(found: Server | undefined): string[] {
  const { version = 0, walLevel = '', maySubscribe = false, mayCopy = false } = found ?? {};
  return [
    ...(version < leastVersion ? [`its PostgreSQL is ${Math.trunc(version / 10_000)}: 15 or newer is needed`] : []),
    ...(walLevel === 'logical' ? [] : [`its wal_level is ${walLevel}: tenants move by logical replication, set it to logical`]),
    ...(maySubscribe ? [] : ['its user may not make subscriptions: grant pg_create_subscription, or superuser on PostgreSQL 15']),
    ...(mayCopy ? [] : ['its user may not set session_replication_role, as tenants that move need: GRANT SET ON PARAMETER']),
  ];
}

async function clockFaults(db: pg.Client, directory: Database): Promise<string[]> {
  const driftOf = async (run: (text: string) => Promise<{ rows: { at: Date }[] }>) => {
    // The first one may have to connect.
    await run('SELECT clock_timestamp() AS at');
    const begun = performance.timeOrigin + performance.now();
    const { rows } = await run('SELECT clock_timestamp() AS at');
    return (rows[0]?.at.getTime() ?? 0) - (begun + performance.timeOrigin + performance.now()) / 2;
  };
  const own = await driftOf((text) => directory.pool.query(text));
  const other = await driftOf((text) => db.query(text));
  const driftMs = Math.round(Math.abs(own - other));
  return driftMs > mostDriftMs ? [`its clock and that of the directory differ by ${driftMs} ms: at most ${mostDriftMs} ms may be`] : [];
}

/** An empty database gets its tables; one that has some must have just ours. */
async function schemaFaults(db: pg.Client): Promise<string[]> {
  const { rows } = await db.query("SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = '_prisma_migrations'");
  if (rows.length === 0) return [];
  const [pending, unknown] = [await pendingMigrations(db), await unknownMigrations(db)];
  return [
    ...(pending.length > 0
      ? [`its schema is older: ${pending.length} migrations are missing, bring it up to date first (cli migrate)`]
      : []),
    ...(unknown.length > 0 ? [`its schema is newer: this version does not know ${unknown.join(', ')}`] : []),
  ];
}

async function has(db: pg.Client, table: string): Promise<boolean> {
  const { rows } = await db.query('SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1', [table]);
  return rows.length > 0;
}

const isCell = async (db: pg.Client) => (await has(db, 'installation')) && (await db.query('SELECT FROM installation')).rows.length > 0;

/** It must be nobody's, or have been this cell of this installation before. */
async function ownerFaults(db: pg.Client, { database, vault }: Admitting, name: string): Promise<string[]> {
  if (!(await has(db, 'tenant'))) return [];
  const keys = (await db.query<{ id: string; sealed: Buffer }>('SELECT id, sealed_key AS sealed FROM signing_key')).rows;
  const isSealedByOther = keys.some(({ id, sealed }) => {
    try {
      return vault.open(sealed, id) === '';
    } catch {
      return true;
    }
  });
  const read = 'SELECT id, cell FROM installation';
  const [theirs] = (await has(db, 'installation')) ? (await db.query<{ id: string; cell: string }>(read)).rows : [];
  const [ours] = (await database.pool.query<{ id: string }>(read)).rows;
  const tenants = (await db.query('SELECT FROM tenant LIMIT 1')).rows.length;
  const isOther = theirs === undefined ? tenants > 0 : theirs.id !== ours?.id;
  return [
    ...(isOther ? ['it belongs to another installation'] : []),
    ...(theirs !== undefined && !isOther && theirs.cell !== name ? [`it is the cell ${theirs.cell} of this installation`] : []),
    ...(isSealedByOther ? ['its secrets were sealed with another SECRETS_KEY'] : []),
  ];
}
