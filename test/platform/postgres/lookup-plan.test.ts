// A look-up by primary key goes by the primary key, even when it was planned while the table was empty: such a plan is kept, and by an
// index that has only the workspace it would read all rows of the workspace (docs/decisions/0017).
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rememberPayees } from '../../../src/contexts/spending/pipeline/counterparty.sql.js';
import { type NewDatabase, newDatabase } from '../../new-database.js';

let database: NewDatabase;
let db: pg.Client;

beforeAll(async () => {
  database = await newDatabase();
  db = new pg.Client({ connectionString: database.url });
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await database.drop();
});

/** Tables whose key has more than one column, as those of the domain have. */
const tables = `
  SELECT c.relname AS name, k.relname AS key,
    (SELECT array_agg(quote_ident(a.attname) ORDER BY i.place) FROM unnest(x.indkey) WITH ORDINALITY AS i (number, place)
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.number) AS columns
  FROM pg_class c JOIN pg_index x ON x.indrelid = c.oid AND x.indisprimary JOIN pg_class k ON k.oid = x.indexrelid
  WHERE c.relnamespace = 'public'::regnamespace AND x.indnkeyatts > 1 AND NOT c.relispartition ORDER BY c.relname`;

/** The index by which rows are found by all of `columns`, under a plan for any values. */
async function indexFor(table: string, columns: readonly string[]): Promise<string | undefined> {
  await db.query(`PREPARE by_key AS SELECT FROM ${table} WHERE ${columns.map((column, n) => `${column} = $${n + 1}`).join(' AND ')}`);
  const { rows } = await db.query(`EXPLAIN (FORMAT JSON) EXECUTE by_key (${columns.map(() => 'NULL').join()})`);
  await db.query('DEALLOCATE by_key');
  return wholeOf(rows[0]['QUERY PLAN'][0].Plan['Index Name']);
}

/** The index of a table, of the one that its partition has. */
async function wholeOf(index: string): Promise<string> {
  const { rows } = await db.query('SELECT inhparent::regclass::text AS name FROM pg_inherits WHERE inhrelid = to_regclass($1)', [index]);
  return rows[0]?.name ?? index;
}

describe('a look-up by primary key that is planned while its table is empty', () => {
  it('goes by that key; in a table that fails, make the key after the indexes', async () => {
    const { rows: found } = await db.query<{ name: string; key: string; columns: string[] }>(tables);
    expect(found.length).toBeGreaterThan(20);
    await db.query('SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off');
    const chosen: Record<string, string | undefined> = {};
    for (const { name, columns } of found) chosen[name] = await indexFor(name, columns);
    expect(chosen).toEqual(Object.fromEntries(found.map(({ name, key }) => [name, key])));
  });
});

describe('a look-up by primary key that is planned while its table is small', () => {
  /** As many rows as one statement makes, again and again: an index whose keys repeat has fewer levels than the primary key for a while. */
  const step = 16;

  it('goes by that key, with any number of deliveries, and by event where the event is known', async () => {
    await db.query(`
      RESET ALL; SET session_replication_role = replica; SET plan_cache_mode = force_generic_plan;
      SET enable_seqscan = off; SET enable_bitmapscan = off; ALTER TABLE webhook_delivery SET (autovacuum_enabled = off)`);
    const chosen = new Set<string>();
    for (let rows = 0; rows < 2_000; rows += step) {
      const byKey = await indexFor('webhook_delivery', ['workspace_id', 'id']);
      const byEvent = await indexFor('webhook_delivery', ['workspace_id', 'event_id']);
      chosen.add(`${byKey}, ${byEvent}`);
      await db.query(`
        INSERT INTO webhook_delivery (id, workspace_id, webhook_id, event_id, event_type, due_at, created_at)
        SELECT uuidv7(), md5('workspace')::uuid, md5(n::text)::uuid, event.id, 'account.created', now(), now()
        FROM (SELECT uuidv7() AS id) event, generate_series(1, ${step}) n`);
    }
    expect([...chosen]).toEqual(['webhook_delivery_pkey, webhook_delivery_event_id_workspace_id_idx']);
  });
});

interface Step {
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: Step[];
}

const stepsOf = (plan: Step): Step[] => [plan, ...(plan.Plans ?? []).flatMap(stepsOf)];

describe('the listener of counterparties, planned while its tables are empty', () => {
  it('looks up each transfer by its key', async () => {
    await db.query('RESET ALL; SET plan_cache_mode = force_generic_plan');
    await db.query(`PREPARE remember AS ${rememberPayees.text}`);
    const { rows } = await db.query('EXPLAIN (FORMAT JSON) EXECUTE remember (NULL, NULL, NULL)');
    const reads = stepsOf(rows[0]['QUERY PLAN'][0].Plan).filter((step) => step['Relation Name'] === 'transfer');
    expect(reads.map((step) => step['Index Name'])).toEqual(['transfer_pkey']);
    expect(reads[0]?.['Index Cond']).toMatch(/workspace_id = .* AND \(id = /);
  });
});
