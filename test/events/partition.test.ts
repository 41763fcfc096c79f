// Events by day (src/events/retention.sql.ts): partitions that are made a week ahead, and dropped when their day has been kept long enough.
import pg from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { manifest } from '../../src/contexts.js';
import { publishEvents } from '../../src/events/outbox.js';
import { eventPartitions } from '../../src/events/retention.sql.js';
import { partitionsEnd, tendPartitions } from '../../src/platform/partition.js';
import { newId } from '../../src/platform/schema/id.js';
import { firstIdAt } from '../../src/platform/schema/page.js';
import { transferBody, twoWallets } from '../factories/payment.js';
import { useHarness } from '../harness.js';
import { query } from '../ledger/wallet-ref.js';
import { explain, type PlanNode } from '../plan.js';
import { workspaces } from '../platform/due/errand.js';
import { leave, tendEvents } from './leave.js';

const harness = useHarness();
const day = 86_400;
const start = '2026-03-02T10:00:00.000Z';

/** The partitions beside the net. */
const days = async () =>
  (await query(harness, "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'event'::regclass ORDER BY 1"))
    .map(({ name }) => name)
    .filter((name) => name !== 'event_default');
const names = (...of: string[]) => of.map((name) => `event_${name}`);
const week = names('20260302', '20260303', '20260304', '20260305', '20260306', '20260307', '20260308', '20260309');

let own: string;
let other: string;
beforeAll(async () => {
  [own, other] = await workspaces(harness);
});

/** An event at a time of its workspace. */
async function write(at: Date | string, workspaceId = own): Promise<string> {
  const id = newId(new Date(at));
  const { pool } = harness.platform.database;
  await pool.query("INSERT INTO event (workspace_id, id, type, data, created_at) VALUES ($1, $2, 'account.created', '{}', $3)", [
    workspaceId,
    id,
    new Date(at),
  ]);
  return id;
}

const placeOf = async (id: string) =>
  (await query(harness, 'SELECT tableoid::regclass::text AS name FROM event WHERE id = $1', [id]))[0]?.name;

let open: pg.Client[] = [];

/** A connection with a transaction that stays open. */
async function holding(sql: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: harness.platform.database.url });
  open.push(client);
  await client.connect();
  await client.query('BEGIN');
  await client.query(sql);
  return client;
}

beforeEach(() => harness.clock.set(start));
afterEach(async () => {
  for (const client of open) await client.end();
  open = [];
  for (const name of await days()) await harness.platform.database.pool.query(`DROP TABLE ${name}`);
  await harness.platform.database.pool.query('DELETE FROM webhook_delivery; DELETE FROM event; UPDATE workspace SET clock_offset_ms = 0');
});

describe('partitions of events', () => {
  it('are made a week ahead, once, by however many workers', async () => {
    await Promise.all([tendEvents(harness.platform, 1_000), tendEvents(harness.platform, 1_000), tendEvents(harness.platform, 1_000)]);
    expect(await days()).toEqual(week);
    harness.clock.advance(day);
    await tendEvents(harness.platform, 1_000);
    expect(await days()).toEqual([...week, 'event_20260310']);
    const { values } = await partitionsEnd.get();
    expect(values).toContainEqual({ labels: { table: 'event' }, value: Date.UTC(2026, 2, 11) / 1_000 });
  });

  it('have the indexes, conditions and triggers of the table', async () => {
    await tendEvents(harness.platform, 1_000);
    const shape = (table: string) =>
      query(
        harness,
        `SELECT regexp_replace(pg_get_indexdef(indexrelid), '^.*?USING', '') AS line FROM pg_index WHERE indrelid = $1::regclass
         UNION ALL SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = $1::regclass AND contype <> 'n'
         UNION ALL SELECT tgname::text FROM pg_trigger WHERE tgrelid = $1::regclass ORDER BY 1`,
        [table],
      );
    const [whole, part] = [await shape('event'), await shape('event_20260302')];
    expect(whole.length).toBeGreaterThan(7);
    expect(part).toEqual(whole);
    const id = await write(start);
    await expect(harness.platform.database.pool.query("UPDATE event SET type = 'x' WHERE id = $1", [id])).rejects.toThrow();
  });

  it('leave when their day has been kept for 30 days, and nothing of the day after goes with them', async () => {
    await tendEvents(harness.platform, 1_000);
    const kept = [await write('2026-03-03T00:00:00.000Z'), await write('2026-03-03T12:00:00Z')];
    const gone = [await write('2026-03-02T00:00:00.000Z'), await write('2026-03-02T23:59:59.999Z')];
    expect(await Promise.all([...gone, ...kept].map(placeOf))).toEqual(names('20260302', '20260302', '20260303', '20260303'));
    // The last of the day is over at the end of 1 April; clocks of processes differ by less than an hour.
    harness.clock.set('2026-04-02T00:59:59.999Z');
    await leave(harness.platform);
    expect(await Promise.all(gone.map(placeOf))).toEqual(names('20260302', '20260302'));
    harness.clock.set('2026-04-02T01:00:00.000Z');
    expect(await leave(harness.platform)).toEqual([0, 0, 0]);
    expect(await Promise.all([...gone, ...kept].map(placeOf))).toEqual([undefined, undefined, ...names('20260303', '20260303')]);
    expect(await days()).not.toContain('event_20260302');
  });

  it('take the few events that the net has of their day along; where these are more, the day stays in the net', async () => {
    const ahead = await write('2026-03-12T10:00:00Z');
    const many = 5_001;
    await harness.platform.database.pool.query(
      `INSERT INTO event (workspace_id, id, type, data, created_at)
       SELECT $1, uuid_at('2026-03-13T10:00:00Z'), 'account.created', '{}', '2026-03-13T10:00:00Z' FROM generate_series(1, $2)`,
      [own, many],
    );
    harness.clock.set('2026-03-06T10:00:00Z');
    await tendEvents(harness.platform, 1_000);
    expect(await placeOf(ahead)).toBe('event_20260312');
    expect(await days()).toEqual(names('20260306', '20260307', '20260308', '20260309', '20260310', '20260311', '20260312'));
    expect(await query(harness, 'SELECT count(*)::int AS rows FROM event_default')).toEqual([{ rows: many }]);
    // They leave from there.
    harness.clock.set('2026-04-12T11:00:01Z');
    expect(await leave(harness.platform)).toEqual([0, 0, 1_000]);
  });

  it('are neither made nor dropped while somebody is in the way, who is not kept waiting', async () => {
    await tendEvents(harness.platform, 1_000);
    const reader = await holding('SELECT FROM event');
    harness.clock.advance(32 * day);
    const begun = performance.now();
    await leave(harness.platform);
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(await days()).toContain('event_20260302');
    await write(harness.clock.now());
    await reader.query('COMMIT');
    await leave(harness.platform);
    expect(await days()).not.toContain('event_20260302');
  });

  it('are made while events are being written', async () => {
    await tendEvents(harness.platform, 1_000);
    const id = newId(harness.clock.now());
    const values = `('${own}', '${id}', 'account.created', '{}', now())`;
    await holding(`INSERT INTO event (workspace_id, id, type, data, created_at) VALUES ${values}`);
    harness.clock.advance(day);
    await tendEvents(harness.platform, 1_000);
    expect(await days()).toContain('event_20260310');
  });

  it('take what was on its way into the net when their day was made', async () => {
    const account = await harness.test.make('/v1/accounts', { type: 'person', name: 'Ada' });
    const { from, to } = await twoWallets(harness.test);
    expect((await harness.test.post('/v1/test/clocks/advance', { seconds: 10 * day })).status).toBe(200);
    const maker = await holding(`
      CREATE TABLE event_20260312 (LIKE event INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE);
      ALTER TABLE event ATTACH PARTITION event_20260312 FOR VALUES FROM ('${firstIdAt(new Date('2026-03-12T00:00:00Z'))}')
        TO ('${firstIdAt(new Date('2026-03-13T00:00:00Z'))}')`);
    // The one writes its event by itself, the other with a posting.
    const writers = [
      harness.test.patch(`/v1/accounts/${account.id}`, { name: 'Grace' }),
      harness.test.post('/v1/transfers', transferBody(from, to, '1.00')),
    ];
    const waiting = "SELECT count(*)::int AS n FROM pg_locks WHERE relation = 'event_default'::regclass AND NOT granted";
    await expect.poll(async () => (await query(harness, waiting))[0]?.n).toBe(writers.length);
    await maker.query('COMMIT');
    expect((await Promise.all(writers)).map(({ status }) => status)).toEqual([200, 201]);
    const types = await query(harness, 'SELECT DISTINCT type FROM event_20260312 ORDER BY type');
    expect(types.map(({ type }) => type)).toEqual(['account.updated', 'transfer.completed', 'transfer.created']);
  });

  it('are of a week where events are kept for long, from the end of the days on', async () => {
    const long = (retentionEventsDays: number) =>
      tendPartitions('event', () => eventPartitions({ config: { ...harness.platform.config, retentionEventsDays } }))(
        harness.platform,
        1_000,
      );
    await tendEvents(harness.platform, 1_000);
    harness.clock.set('2026-03-04T10:00:00Z');
    await long(365);
    // 9 March is a Monday, and has a partition already.
    expect(await days()).toEqual([...week, 'event_20260310']);
    const id = await write('2026-03-15T23:59:59.999Z');
    expect(await placeOf(id)).toBe('event_20260310');
    await tendEvents(harness.platform, 1_000);
    expect(await days()).toEqual([...week, 'event_20260310']);
    harness.clock.set('2026-03-12T10:00:00Z');
    await tendEvents(harness.platform, 1_000);
    expect((await days()).at(-1)).toBe('event_20260319');
  });
});

describe('a sandbox whose clock is ahead', () => {
  it('keeps what is its own for 30 days of its time, and nothing longer', async () => {
    await tendEvents(harness.platform, 1_000);
    const { pool } = harness.platform.database;
    const [early, standing] = [await write('2026-03-02T11:00:00Z'), await write('2026-03-02T11:00:00Z', other)];
    const yearMs = 365 * day * 1_000;
    await pool.query('UPDATE workspace SET clock_offset_ms = $2 WHERE id = $1', [own, yearMs]);
    const late = await write(new Date(harness.clock.now().getTime() + yearMs));
    expect(await placeOf(late)).toBe('event_default');
    // A year has passed for it: what is from before is over, though its day is not.
    expect(await leave(harness.platform)).toEqual([1, 0, 0]);
    expect([await placeOf(early), await placeOf(standing), await placeOf(late)]).toEqual([undefined, 'event_20260302', 'event_default']);
    harness.clock.advance(30 * day - 1);
    await leave(harness.platform);
    expect(await placeOf(late)).toBe('event_default');
    harness.clock.advance(2);
    expect((await leave(harness.platform))[0]).toBe(1);
    expect(await placeOf(late)).toBeUndefined();
  });
});

describe('deliveries', () => {
  it('leave with their events, and before the partition does', async () => {
    await tendEvents(harness.platform, 1_000);
    const { pool } = harness.platform.database;
    const webhook = newId(harness.clock.now());
    await pool.query(
      `INSERT INTO webhook (id, workspace_id, url, events, sealed_secret, created_at, updated_at)
       VALUES ($1, $2, 'https://hooks.example.com/', '{*}', 'x', now(), now())`,
      [webhook, own],
    );
    const [over, kept] = [await write('2026-03-02T10:00:00Z'), await write('2026-03-02T10:00:02Z')];
    // The second one of an event was a replay 20 days later.
    const deliver = (event: string, at: string) =>
      pool.query(
        `INSERT INTO webhook_delivery (id, workspace_id, webhook_id, event_id, event_type, created_at) VALUES ($1, $2, $3, $4, 'account.created', $5)`,
        [newId(new Date(at)), own, webhook, event, at],
      );
    for (const event of [over, kept]) {
      await deliver(event, '2026-03-02T10:00:03Z');
      await deliver(event, '2026-03-22T10:00:00Z');
    }
    harness.clock.set('2026-04-01T10:00:01Z');
    expect(await leave(harness.platform)).toEqual([0, 2, 0]);
    expect(await query(harness, 'SELECT DISTINCT event_id AS id FROM webhook_delivery')).toEqual([{ id: kept }]);
    // The event is there until its day has passed, but not shown.
    expect(await placeOf(over)).toBe('event_20260302');
    expect((await harness.test.get(`/v1/events/${over}`)).status).toBe(404);
    expect((await harness.test.get(`/v1/events/${kept}`)).status).toBe(200);
    await pool.query('DELETE FROM webhook_delivery; DELETE FROM webhook');
  });
});

describe('what reads events', () => {
  const opened = (nodes: readonly PlanNode[]) => nodes.flatMap(({ table, isRun }) => (isRun && table?.startsWith('event_') ? [table] : []));

  it.each(['force_custom_plan', 'force_generic_plan'] as const)('opens the partition of an id alone, under %s', async (mode) => {
    await tendEvents(harness.platform, 1_000);
    const { url } = harness.platform.database;
    const id = await write('2026-03-04T10:00:00Z');
    const text = 'SELECT event_data(v) FROM event v WHERE v.workspace_id = $1 AND v.id = $2 LIMIT 1';
    expect(opened(await explain(url, { name: undefined, text, values: [own, id] }, mode))).toEqual(['event_20260304']);
    const joined = `SELECT e.type FROM unnest($2::uuid[]) AS u (id) CROSS JOIN LATERAL (
      SELECT * FROM event v WHERE v.workspace_id = $1 AND v.id = u.id OFFSET 0) e`;
    const statement = { name: undefined, text: joined, values: [own, [id]] };
    expect(opened(await explain(url, statement, mode))).toEqual(['event_20260304']);
  });

  it('finds events of several days and of the net: lists, one by one, publications and their data', async () => {
    await tendEvents(harness.platform, 1_000);
    const made: string[] = [];
    for (let n = 0; n < 10; n += 1) {
      made.push((await harness.test.make('/v1/accounts', { type: 'person', name: 'Ada' })).id);
      await publishEvents(harness.platform, manifest.followers);
      harness.clock.advance(day);
    }
    expect(new Set(await Promise.all((await query(harness, 'SELECT id FROM event')).map(({ id }) => placeOf(id)))).size).toBe(9);
    const listed: string[] = [];
    for (let after = ''; ; ) {
      const { body } = await harness.test.get(`/v1/events?type=account.created&limit=3${after}`);
      listed.push(...body.data.map(({ data }: { data: { account_id: string } }) => data.account_id));
      if (!body.pagination.has_more) break;
      after = `&starting_after=${body.data.at(-1).id}`;
    }
    expect(listed).toEqual([...made].reverse().map((id) => `acc_${id}`));
    expect((await query(harness, 'SELECT id FROM heard_events($1, 0, 1000000)', [own])).length).toBe(
      (await query(harness, 'SELECT id FROM event')).length,
    );
  });
});
