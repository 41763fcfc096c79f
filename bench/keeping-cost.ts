// What single statements on the table of events cost: CPU of the backend that runs them, and WAL. Neither depends on what else the machine does.
import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { say } from './platform.js';

/** CPU of this connection's backend so far, in seconds. */
async function backendSeconds(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const stat = await readFile(`/proc/${rows[0]?.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const position = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS at";

/** Runs `work`, and says what one of `count` costs. */
async function costOf(client: pg.ClientBase, name: string, count: number, work: () => Promise<unknown>): Promise<void> {
  const wal = async () => Number((await client.query<{ at: string }>(position)).rows[0]?.at);
  const [cpu, lsn] = [await backendSeconds(client), await wal()];
  await work();
  const [seconds, bytes] = [(await backendSeconds(client)) - cpu, (await wal()) - lsn];
  say(
    `  ${name.padEnd(34)} ${((seconds * 1e6) / count).toFixed(1).padStart(8)} µs of CPU ${(bytes / count).toFixed(0).padStart(7)} bytes of WAL`,
  );
}

/** Statements in a loop, each planned once for all values, as they are in functions of the platform. */
const loop = (name: string, body: string) => `
  CREATE OR REPLACE FUNCTION ${name}(p_count int) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  DECLARE v record; v_workspace uuid; v_id uuid;
  BEGIN
    FOR v_n IN 1..p_count LOOP
      SELECT id INTO v_workspace FROM bench_workspace w WHERE w.n = v_n % 500 + 1;
      ${body}
    END LOOP;
  END $$`;

const makers = [
  loop('bench_nothing', 'v_id := uuid_at(now());'),
  loop(
    'bench_insert',
    `v_id := uuid_at(now());
     INSERT INTO event (workspace_id, id, type, object_id, created_at, data)
     VALUES (v_workspace, v_id, 'transfer.completed', v_id, now(), '{"transfer_id":"tx_1","padding":"0123456789012345678901234567890123456789"}');
     INSERT INTO bench_made VALUES (v_n, v_workspace, v_id);`,
  ),
  loop('bench_note', 'v_id := uuid_at(now()); INSERT INTO bench_made VALUES (-v_n, v_workspace, v_id);'),
  loop(
    'bench_look',
    `SELECT m.workspace_id, m.id INTO v FROM bench_made m WHERE m.n = v_n;
     PERFORM e.data FROM event e WHERE e.workspace_id = v.workspace_id AND e.id = v.id;`,
  ),
  loop('bench_look_nowhere', 'SELECT m.workspace_id, m.id INTO v FROM bench_made m WHERE m.n = v_n;'),
  loop('bench_list', 'PERFORM e.id FROM event e WHERE e.workspace_id = v_workspace ORDER BY e.id DESC LIMIT 50;'),
];

/** Prints what inserts, look-ups, lists, and rows that leave cost. `remove` takes `removed` rows away. */
export async function costs(client: pg.ClientBase, remove: () => Promise<void>, removed: number): Promise<void> {
  const count = 20_000;
  await client.query('CREATE TABLE IF NOT EXISTS bench_made (n int PRIMARY KEY, workspace_id uuid, id uuid)');
  await client.query('TRUNCATE bench_made');
  for (const sql of makers) await client.query(sql);
  const call = (name: string, times: number) => () => client.query(`SELECT ${name}($1)`, [times]);
  await call('bench_look', 100)();
  await costOf(client, 'a loop around nothing', count, call('bench_nothing', count));
  await costOf(client, 'an insert, noted', count, call('bench_insert', count));
  await costOf(client, 'the note alone', count, call('bench_note', count));
  await costOf(client, 'a look-up by id', count, call('bench_look', count));
  await costOf(client, 'the same without a look-up', count, call('bench_look_nowhere', count));
  await costOf(client, 'a list of 50, newest first', 2_000, call('bench_list', 2_000));
  await client.query('CHECKPOINT');
  await costOf(client, 'a row that leaves', removed, remove);
  await costOf(client, 'its share of the vacuum after it', removed, () => client.query('VACUUM event'));
}
