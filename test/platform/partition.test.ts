// Tables that go by time (src/platform/partition.ts): answers of keys, whose partitions are made ahead and dropped when they are over.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyedAnswers } from '../../src/platform/idempotency.js';
import { partitionsEnd, tendPartitions } from '../../src/platform/partition.js';
import { type Answer, useHarness } from '../harness.js';
import { query } from '../ledger/wallet-ref.js';
import { explain } from '../plan.js';

const harness = useHarness();
const day = 86_400;
const hour = 3_600;
const tend = (most = 1_000) => tendPartitions('keyed_answer', () => keyedAnswers)(harness.platform, most);
const tables = async () =>
  (
    await query(harness, "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'keyed_answer'::regclass ORDER BY 1")
  ).map(({ name }) => name);
/** Names of partitions by their hour, beside the net. */
const hours = (...names: string[]) => [...names.map((name) => `keyed_answer_${name}`), 'keyed_answer_default'];
const placeOf = (id: string) => query(harness, 'SELECT tableoid::regclass::text AS name FROM keyed_answer WHERE body LIKE $1', [`%${id}%`]);

let open: pg.Client[] = [];

/** A connection that reads in a transaction which stays open. */
async function reading(sql: string): Promise<pg.Client> {
  const reader = new pg.Client({ connectionString: harness.platform.database.url });
  open.push(reader);
  await reader.connect();
  await reader.query('BEGIN');
  await reader.query(sql);
  return reader;
}

/** Opens an account under a key, and waits until its answer is stored. */
async function openAccount(key: string): Promise<{ id: string; answer: Answer }> {
  const answer = await harness.test.post('/v1/accounts', { type: 'person', name: 'Ada' }, { headers: { 'Idempotency-Key': key } });
  const { id } = answer.body.data;
  await expect.poll(() => placeOf(id)).toHaveLength(1);
  return { id, answer };
}

async function expectReplay(key: string, first: Answer): Promise<void> {
  const again = await harness.test.post('/v1/accounts', { type: 'person', name: 'Ada' }, { headers: { 'Idempotency-Key': key } });
  expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([first.status, 'true', first.body]);
}

beforeEach(() => harness.clock.set('2026-03-02T10:59:58.000Z'));
afterEach(async () => {
  for (const reader of open) await reader.end();
  open = [];
  const partitions = (await tables()).filter((name) => name !== 'keyed_answer_default');
  await harness.platform.database.pool.query(partitions.map((name) => `DROP TABLE ${name};`).join(' '));
  await harness.platform.database.pool.query('DELETE FROM keyed_answer');
});

describe('partitions of answers', () => {
  it('are made ahead, from the hour in which an answer of now expires, once', async () => {
    const ahead = hours('2026030310', '2026030311', '2026030312', '2026030313', '2026030314');
    await Promise.all([tend(), tend(), tend()]);
    expect(await tables()).toEqual(ahead);
    await tend();
    expect(await tables()).toEqual(ahead);
    harness.clock.advance(2);
    await tend();
    expect(await tables()).toEqual(hours(...ahead.slice(0, -1).map((name) => name.slice(-10)), '2026030315'));
    const { values } = await partitionsEnd.get();
    expect(values).toContainEqual({ labels: { table: 'keyed_answer' }, value: Date.UTC(2026, 2, 3, 16) / 1_000 });
  });

  it('take answers by the hour in which they expire, and replay them over its boundary', async () => {
    await tend();
    const [before, after] = [randomUUID(), randomUUID()];
    const first = await openAccount(before);
    harness.clock.advance(2);
    const second = await openAccount(after);
    expect([await placeOf(first.id), await placeOf(second.id)]).toEqual([
      [{ name: 'keyed_answer_2026030310' }],
      [{ name: 'keyed_answer_2026030311' }],
    ]);
    await expectReplay(before, first.answer);
    await expectReplay(after, second.answer);
    harness.clock.advance(day - 3);
    await expectReplay(before, first.answer);
    harness.clock.advance(2);
    // The first key has expired, though its answer is still there: it makes another account.
    const anew = await harness.test.post('/v1/accounts', { type: 'person', name: 'Ada' }, { headers: { 'Idempotency-Key': before } });
    expect([anew.status, anew.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect(anew.body.data.id).not.toBe(first.id);
  });

  it('that are missing lose nothing: the net has the answer, keeps its hour, and is emptied in small sets', async () => {
    const key = randomUUID();
    const { id, answer } = await openAccount(key);
    expect(await placeOf(id)).toEqual([{ name: 'keyed_answer_default' }]);
    await tend();
    expect(await tables()).toEqual(hours('2026030311', '2026030312', '2026030313', '2026030314'));
    await expectReplay(key, answer);
    await openAccount(randomUUID());
    await openAccount(randomUUID());
    harness.clock.advance(day + hour + 2);
    expect([await tend(2), await tend(2)]).toEqual([2, 1]);
    expect(await query(harness, 'SELECT FROM keyed_answer')).toEqual([]);
  });

  it('are dropped an hour after they are over, while younger answers are replayed', async () => {
    await tend();
    const old = await openAccount(randomUUID());
    harness.clock.advance(2 * hour);
    await tend();
    const keys = Array.from({ length: 10 }, () => randomUUID());
    const younger = await Promise.all(keys.map(openAccount));
    harness.clock.advance(day - hour + 2);
    await Promise.all([tend(), ...younger.map(({ answer }, n) => expectReplay(keys[n] ?? '', answer))]);
    expect(await tables()).not.toContain('keyed_answer_2026030310');
    expect([await placeOf(old.id), (await tables())[0]]).toEqual([[], 'keyed_answer_2026030311']);
    for (const [n, { answer }] of younger.entries()) await expectReplay(keys[n] ?? '', answer);
  });

  it('that somebody reads are dropped later, and payments and replays go on', async () => {
    await tend();
    const old = await openAccount(randomUUID());
    const reader = await reading('SELECT FROM keyed_answer');
    harness.clock.advance(day + hour + 2);
    const key = randomUUID();
    const [, { answer }] = await Promise.all([tend(), openAccount(key)]);
    await expectReplay(key, answer);
    expect(await placeOf(old.id)).toHaveLength(1);
    await reader.query('COMMIT');
    await tend();
    expect(await placeOf(old.id)).toEqual([]);
  });

  it('are made while somebody writes answers', async () => {
    await tend();
    await reading(`INSERT INTO keyed_answer VALUES ('${randomUUID()}', '2026-03-03T10:30:00Z', 'key', 201, '{}')`);
    harness.clock.advance(hour);
    await tend();
    expect(await tables()).toContain('keyed_answer_2026030315');
  });
});

describe('a look-up of keys', () => {
  it('opens the partition of the answer alone, and none for a key that was never used', async () => {
    await tend();
    const { id } = await openAccount(randomUUID());
    const [claim] = await query(harness, 'SELECT workspace_id, key, expires_at FROM claim WHERE reference = $1', [id]);
    const body = await query(harness, "SELECT prosrc FROM pg_proc WHERE proname = 'used_keys'");
    const second = /RETURN QUERY ([\s\S]*?);/.exec(body[0]?.prosrc)?.[1] ?? '';
    const text = second
      .replaceAll('workspaces', '$1::uuid[]')
      .replaceAll('unnest($1::uuid[], keys)', 'unnest($1::uuid[], $2::text[])')
      .replace('earliest', '$3::timestamptz')
      .replace('latest', '$4::timestamptz');
    const { url } = harness.platform.database;
    const values = [[claim?.workspace_id], [claim?.key], claim?.expires_at, claim?.expires_at];
    const nodes = await explain(url, { name: undefined, text, values }, 'force_generic_plan');
    const read = nodes.flatMap(({ table }) => (table?.startsWith('keyed_answer') ? [table] : []));
    expect(read).toEqual(['keyed_answer_2026030310']);
    const { pool } = harness.platform.database;
    expect((await pool.query('SELECT FROM used_keys($1, $2)', [[claim?.workspace_id], ['never used']])).rowCount).toBe(0);
  });
});

describe('another table', () => {
  it('goes by month, with the first partition of all beginning nowhere', async () => {
    const { pool } = harness.platform.database;
    await pool.query(`
      CREATE TABLE diary (at timestamptz NOT NULL, words text) PARTITION BY RANGE (at);
      CREATE TABLE diary_default PARTITION OF diary DEFAULT;
      CREATE TABLE diary_before PARTITION OF diary FOR VALUES FROM (MINVALUE) TO ('2026-02-01T00:00:00Z')`);
    const diary = { column: 'at', kind: 'time', unit: 'month', from: -31 * day, to: 40 * day, kept: 60 * day, moved: 0 } as const;
    const tendDiary = () => tendPartitions('diary', () => diary)(harness.platform, 1_000);
    await tendDiary();
    const names = () =>
      query(harness, "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'diary'::regclass ORDER BY 1");
    const both = [{ name: 'diary_before' }, { name: 'diary_default' }];
    expect(await names()).toEqual([{ name: 'diary_202602' }, { name: 'diary_202603' }, { name: 'diary_202604' }, ...both]);
    harness.clock.advance(31 * day);
    await tendDiary();
    expect((await names()).map(({ name }) => name)).toEqual([
      'diary_202602',
      'diary_202603',
      'diary_202604',
      'diary_202605',
      'diary_default',
    ]);
    await pool.query('DROP TABLE diary');
  });
});
