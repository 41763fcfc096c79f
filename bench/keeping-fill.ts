// A table of events with a past: of one table, or with a partition for each day.
import type pg from 'pg';
import { say } from './platform.js';

export type Kind = 'rows' | 'partitions';

/** What is filled in. */
export interface Filling {
  rows: number;
  workspaces: number;
  days: number;
}

export const dayMs = 86_400_000;
/** The last one, in UTC. */
export const midnight = Math.floor(Date.now() / dayMs) * dayMs;

/** Any id of a millisecond. */
const randomId = (ms: string) =>
  `(lpad(to_hex(${ms}), 12, '0') || '7' || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid`;

/** Live workspaces, and a sandbox whose clock is a year ahead. */
export async function makeWorkspaces(pool: pg.Pool, count: number): Promise<void> {
  await pool.query('CREATE TABLE bench_workspace (n int PRIMARY KEY, id uuid NOT NULL, ahead_ms bigint NOT NULL)');
  await pool.query(
    `INSERT INTO bench_workspace SELECT n, overlay(gen_random_uuid()::text PLACING 'ff' FROM 1)::uuid, 0 FROM generate_series(1, $1::int) n`,
    [count],
  );
  await pool.query(`INSERT INTO bench_workspace VALUES (0, 'ffffffff-0000-7000-8000-000000000000', 365 * 86400000::bigint)`);
  await pool.query(`INSERT INTO tenant (id, name, created_at) SELECT id, 'Bench ' || n, now() FROM bench_workspace`);
  await pool.query(`
    INSERT INTO workspace (id, tenant_id, environment, clock_offset_ms, created_at)
    SELECT id, id, CASE WHEN n = 0 THEN 'test' ELSE 'live' END::environment, ahead_ms, now() FROM bench_workspace`);
}

/** Puts an empty table of events of that kind in the place of the one that is there, with the same columns. Returns what makes its indexes. */
async function rebuild(pool: pg.Pool, kind: Kind, { days }: Filling): Promise<string[]> {
  const { rows: indexes } = await pool.query<{ sql: string }>(
    "SELECT indexdef AS sql FROM pg_indexes WHERE tablename = 'event' AND indexname <> 'event_pkey'",
  );
  const form = kind === 'rows' ? '' : 'PARTITION BY RANGE (id)';
  await pool.query(`CREATE TABLE event_new (LIKE event INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) ${form}`);
  await pool.query('DROP TABLE event CASCADE');
  await pool.query('ALTER TABLE event_new RENAME TO event');
  if (kind === 'partitions') {
    await pool.query('CREATE TABLE event_default PARTITION OF event DEFAULT');
    for (let day = -days; day < 8; day += 1) {
      const [from, to] = [day, day + 1].map((n) => idText(midnight + n * dayMs));
      await pool.query(`CREATE TABLE ${partitionOf(day + days)} PARTITION OF event FOR VALUES FROM ('${from}') TO ('${to}')`);
    }
  }
  return [
    'ALTER TABLE event ADD CONSTRAINT event_pkey PRIMARY KEY (workspace_id, id)',
    ...indexes.map(({ sql }) => sql.replace(' ONLY ', ' ')),
    // What refers to a row is looked at when it leaves; nothing may refer to a partition that leaves.
    ...(kind === 'rows'
      ? ['ALTER TABLE webhook_delivery ADD FOREIGN KEY (workspace_id, event_id) REFERENCES event (workspace_id, id) ON DELETE CASCADE']
      : []),
  ];
}

/** The partition of a day, counted from the oldest. */
export const partitionOf = (n: number) => `event_p${n}`;
const idText = (ms: number) => `${ms.toString(16).padStart(12, '0')}${'0'.repeat(20)}`;

/** Events of all days but this one, spread over the workspaces, in the order of their times. */
export async function fill(pool: pg.Pool, kind: Kind, given: Filling): Promise<void> {
  const begun = performance.now();
  const { rows, workspaces, days } = given;
  const everyMs = (days * dayMs) / rows;
  const step = 200_000;
  const indexes = await rebuild(pool, kind, given);
  for (let first = 0; first < rows; first += step) {
    await pool.query(
      `INSERT INTO event (workspace_id, id, type, object_id, created_at, data)
       SELECT w.id, ${randomId('x.ms + w.ahead_ms')}, 'transfer.completed', gen_random_uuid(), to_timestamp(x.ms / 1000.0),
         json_build_object('transfer_id', 'tx_' || x.n, 'currency', 'USD', 'padding', repeat('x', 250))
       FROM (SELECT n, ($1::float8 + n * $2::float8)::bigint AS ms FROM generate_series($3::int, $4::int) n) x
       JOIN bench_workspace w ON w.n = x.n % $5::int`,
      [midnight - days * dayMs, everyMs, first, Math.min(rows, first + step) - 1, workspaces + 1],
    );
  }
  for (const sql of indexes) await pool.query(sql);
  await pool.query('VACUUM (FREEZE, ANALYZE) event');
  await pool.query('CHECKPOINT');
  say(`${kind}: ${rows} events of ${workspaces + 1} workspaces in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
}
