// The statements about rails of production: whether each is on, what is leaving, and what a day has used. They belong to the installation.
import type pg from 'pg';
import type { RailStatus } from '../../generated/prisma/client.js';
import { mostCounted } from '../../platform/gauge.js';
import { runIn, type Statement, type Tx } from '../../platform/postgres/database.js';
import type { RailBalance, RailProblem } from './rail-kind.js';

/** How a rail stands. */
export interface RailStanding {
  status: RailStatus;
  /** How often it was switched. */
  switches: bigint;
  /** How many things were about to leave by it. */
  departures: bigint;
  reason: string | null;
  switchedAt: Date | null;
  /** When it went off because the database had been put back, until somebody lets it go on. */
  restoredAt: Date | null;
  passedDigest: string | null;
  passedAt: Date | null;
  problems: readonly RailProblem[];
  healthSince: Date | null;
  healthAt: Date | null;
  balances: readonly RailBalance[];
}

const neverSwitched: RailStanding = {
  status: 'off',
  switches: 0n,
  departures: 0n,
  reason: null,
  switchedAt: null,
  restoredAt: null,
  passedDigest: null,
  passedAt: null,
  problems: [],
  healthSince: null,
  healthAt: null,
  balances: [],
};

const columns = `status, switches, departures, reason, switched_at AS "switchedAt", restored_at AS "restoredAt", passed_digest AS "passedDigest", passed_at AS "passedAt", problems,
  health_since AS "healthSince", health_at AS "healthAt", balances`;

/** Whoever runs a statement. */
type Db = Tx | pg.ClientBase | pg.Pool;

async function one(db: Db, statement: Statement, rail: string): Promise<RailStanding> {
  const [row] = await runIn<RailStanding & { switches: string; departures: string }>(db as pg.ClientBase, statement, [rail]);
  return row === undefined ? neverSwitched : { ...row, switches: BigInt(row.switches), departures: BigInt(row.departures) };
}

const standing = (how: string, lock = ''): Statement => ({
  name: `rail-standing-${how}`,
  text: `SELECT ${columns} FROM rail_state WHERE name = $1::text${lock}`,
});
const [read, locked] = [standing('read'), standing('locked', ' FOR UPDATE')];

/** How a rail stands now. */
export function standingOf(db: Db, rail: string): Promise<RailStanding> {
  return one(db, read, rail);
}

/** The same, and nobody switches it before the transaction ends. A rail without a row was never switched on, and gets none. */
export function holdStanding(tx: pg.ClientBase, rail: string): Promise<RailStanding> {
  return one(tx, locked, rail);
}

/** The same, for a change of it. */
export async function lockStanding(tx: Tx | pg.ClientBase, rail: string): Promise<RailStanding> {
  await runIn(tx, { name: 'rail-begin', text: 'INSERT INTO rail_state (name) VALUES ($1::text) ON CONFLICT DO NOTHING' }, [rail]);
  return one(tx, locked, rail);
}

const statusStatement: Statement = {
  name: 'rail-status',
  text: `
    UPDATE rail_state SET status = $2::rail_status, switches = switches + 1, reason = $3::text, switched_at = $4::timestamptz,
      restored_at = $5::timestamptz
    WHERE name = $1::text`,
};

/** What a switch makes of a rail. */
export interface Switched {
  rail: string;
  to: RailStatus;
  reason: string;
  at: Date;
  /** While it is off because the database was put back. */
  restoredAt: Date | null;
}

/** Writes a switch, under the lock of its row. */
export async function writeStatus(tx: Tx | pg.ClientBase, { rail, to, reason, at, restoredAt }: Switched): Promise<void> {
  await runIn(tx, statusStatement, [rail, to, reason, at, restoredAt]);
}

/** Takes over how often a rail was switched, and how many things have left by it, where that is more. */
export async function raiseNumbers(
  tx: pg.ClientBase,
  rail: string,
  { switches = 0n, departures = 0n }: { switches?: bigint; departures?: bigint },
): Promise<void> {
  await tx.query(
    'UPDATE rail_state SET switches = greatest(switches, $2::bigint), departures = greatest(departures, $3::bigint) WHERE name = $1',
    [rail, switches.toString(), departures.toString()],
  );
}

/** Notes that a doctor found nothing wrong with a rail as the digest has it. */
export async function notePassed(db: pg.Pool, rail: string, { digest, at }: { digest: string; at: Date }): Promise<void> {
  await db.query(
    `INSERT INTO rail_state (name, passed_digest, passed_at) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET passed_digest = excluded.passed_digest, passed_at = excluded.passed_at`,
    [rail, digest, at],
  );
}

/** Notes what the cheap checks found wrong, and what is where. True where other things are wrong than before. */
export async function noteHealth(
  db: pg.Pool,
  rail: string,
  { problems, balances, at }: { problems: readonly RailProblem[]; balances: readonly RailBalance[]; at: Date },
): Promise<boolean> {
  const { rows } = await db.query<{ changed: boolean }>(
    `WITH old AS (SELECT problems FROM rail_state WHERE name = $1 FOR UPDATE),
     named AS (SELECT (SELECT array_agg(p ->> 'check' ORDER BY p ->> 'check') FROM old, jsonb_array_elements(problems) p)
       IS DISTINCT FROM (SELECT array_agg(p ->> 'check' ORDER BY p ->> 'check') FROM jsonb_array_elements($2::jsonb) p) AS changed)
     INSERT INTO rail_state (name, problems, balances, health_since, health_at) VALUES ($1, $2::jsonb, $4::jsonb, $3, $3)
     ON CONFLICT (name) DO UPDATE SET problems = excluded.problems, balances = excluded.balances, health_at = excluded.health_at,
       health_since = CASE WHEN (SELECT changed FROM named) THEN excluded.health_since ELSE coalesce(rail_state.health_since, excluded.health_since) END
     RETURNING (SELECT changed FROM named)`,
    [rail, JSON.stringify(problems), at, JSON.stringify(balances)],
  );
  return rows[0]?.changed === true;
}

/** Seconds that something may take to be sent. */
export const sendingSeconds = 10;

/** Notes that something is being sent by a rail from now on, and that one more has left by it. */
export async function insertDeparture(tx: pg.ClientBase, { id, rail, what }: { id: string; rail: string; what: string }): Promise<void> {
  await tx.query({
    name: 'departure-begins',
    text: `
      WITH counted AS (UPDATE rail_state SET departures = departures + 1 WHERE name = $2)
      INSERT INTO rail_departure (id, rail, what, until) VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))`,
    values: [id, rail, what, sendingSeconds],
  });
}

/** Whether the database knows of a departure. */
export async function hasDeparture(tx: pg.ClientBase, id: string): Promise<boolean> {
  const { rowCount } = await tx.query({ name: 'departure-known', text: 'SELECT FROM rail_departure WHERE id = $1', values: [id] });
  return rowCount === 1;
}

/** It is not being sent any more. */
export async function deleteDeparture(pool: pg.Pool, id: string): Promise<void> {
  await pool.query({ name: 'departure-over', text: 'DELETE FROM rail_departure WHERE id = $1', values: [id] });
}

/** Whether the database has a memory. */
export async function hasFence(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM fence');
  return rowCount === 1;
}

/**
 * What is being sent by a rail, the names of at most 100 things: whatever nobody has said to be over, for a minute after it has to be. What is
 * older was left by a process that died, and is removed.
 */
export async function departuresOf(pool: pg.Pool, rail: string): Promise<string[]> {
  await pool.query(`DELETE FROM rail_departure WHERE rail = $1 AND until < clock_timestamp() - interval '1 minute'`, [rail]);
  const { rows } = await pool.query<{ what: string }>('SELECT what FROM rail_departure WHERE rail = $1 ORDER BY what LIMIT 100', [rail]);
  return rows.map(({ what }) => what);
}

/** The rails that were switched on, or off again, at some time. */
export async function railsEverOn(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM rail_state WHERE switches > 0 ORDER BY name');
  return rows.map(({ name }) => name);
}

/** What a rail may carry on a day of UTC. */
export interface DayLimit {
  rail: string;
  day: Date;
  perDay: bigint;
  perDayCount: number;
}

/** Counts an order among those of a day. False, and nothing counted, where it does not fit among them. */
export async function countInDay(tx: pg.ClientBase, { rail, day, perDay, perDayCount }: DayLimit, amount: bigint): Promise<boolean> {
  await tx.query(`INSERT INTO rail_day (rail, day, amount, orders) VALUES ($1, $2::date, 0, 0) ON CONFLICT DO NOTHING`, [rail, day]);
  const { rowCount } = await tx.query(
    `UPDATE rail_day SET amount = amount + $3, orders = orders + 1
     WHERE rail = $1 AND day = $2::date AND amount + $3 <= $4 AND orders < $5`,
    [rail, day, amount.toString(), perDay.toString(), perDayCount],
  );
  return rowCount === 1;
}

/** What of a day was used, minor units and orders. */
export async function usedOfDay(db: pg.Pool, rail: string, day: Date): Promise<{ amount: bigint; orders: number }> {
  const { rows } = await db.query<{ amount: string; orders: number }>(
    'SELECT amount, orders FROM rail_day WHERE rail = $1 AND day = $2::date',
    [rail, day],
  );
  return { amount: BigInt(rows[0]?.amount ?? 0), orders: rows[0]?.orders ?? 0 };
}

/** Orders that are under way. */
export interface OpenOrders {
  count: number;
  amount: bigint;
  /** When the oldest was accepted, and when the first was expected to have been paid. */
  oldestAt: Date | null;
  firstExpectedAt: Date | null;
}

/** The orders of a rail that are under way, in all workspaces; of more than are counted the oldest. */
export async function openOrdersOf(db: pg.Pool, rail: string): Promise<OpenOrders> {
  const { rows } = await db.query<Omit<OpenOrders, 'count' | 'amount'> & { count: string; amount: string }>(
    `SELECT count(*) AS count, coalesce(sum(amount), 0) AS amount, min(created_at) AS "oldestAt", min(expected_at) AS "firstExpectedAt"
     FROM (SELECT workspace_id, amount, created_at, expected_at FROM connector_order
       WHERE rail = $1 AND state = 'accepted' ORDER BY created_at LIMIT $2) o`,
    [rail, mostCounted],
  );
  const { count = 0, amount = 0, oldestAt = null, firstExpectedAt = null } = rows[0] ?? {};
  return { count: Number(count), amount: BigInt(amount), oldestAt, firstExpectedAt };
}
