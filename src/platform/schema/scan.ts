// A scan of a list along its primary key, for what no index is worth its price to find: newest first, no further than a bound. It says
// where it stopped, and the next page goes on there (decision 0060).
import type pg from 'pg';
import type { ScannedRows } from './page.js';

/** Rows that one page looks at, at most. */
export const mostScanned = 50_000;

/** Which rows are looked at: those of `table` in workspace $1 with ids from $2 on and below $3; `o` is what conditions call a row. */
export interface Scan {
  table: string;
  /** Which of them are found; all of the conditions. */
  conditions: readonly string[];
  /** Values of the statement, from $1 on. */
  values: readonly unknown[];
}

const rangeOf = (table: string) =>
  `FROM ${table} o WHERE o.workspace_id = $1::uuid AND o.id >= $2::uuid AND o.id < $3::uuid ORDER BY o.id DESC`;

/** The ids that a scan finds, newest first, from the one after the first `skip`: at most `take`. */
export async function scanIds(
  pool: pg.Pool,
  { table, conditions, values }: Scan,
  { skip, take }: { skip: number; take: number },
): Promise<ScannedRows<string>> {
  const most = `$${values.length + 1}::int`;
  // One statement, so that where it stopped is the last of the rows that it looked at. That is only asked for when the page is not full.
  const text = `
    WITH found AS MATERIALIZED (
      SELECT o.id FROM (SELECT o.* ${rangeOf(table)} LIMIT ${mostScanned}) o WHERE ${conditions.join(' AND ')} LIMIT ${most}
    )
    SELECT id, false AS stopped FROM found
    UNION ALL
    SELECT id, true FROM (SELECT o.id ${rangeOf(table)} OFFSET ${mostScanned - 1} LIMIT 1) last WHERE (SELECT count(*) FROM found) < ${most}
    ORDER BY stopped, id DESC`;
  const { rows } = await pool.query<{ id: string; stopped: boolean }>(text, [...values, skip + take]);
  const found = rows.filter(({ stopped }) => !stopped).map(({ id }) => id);
  return { rows: found.slice(skip), stoppedAt: rows.find(({ stopped }) => stopped)?.id ?? null };
}

/** How many a scan finds, and whether it looked at all there are; it counts no further than `most`. */
export async function countScanned(
  pool: pg.Pool,
  { table, conditions, values }: Scan,
  most: number,
): Promise<{ count: number; isMinimum: boolean }> {
  const text = `
    SELECT count(*) FILTER (WHERE found)::int AS count, count(*)::int AS seen
    FROM (SELECT ${conditions.join(' AND ')} AS found FROM (SELECT o.* ${rangeOf(table)} LIMIT ${mostScanned}) o) looked`;
  const { rows } = await pool.query<{ count: number; seen: number }>(text, [...values]);
  const { count = 0, seen = 0 } = rows[0] ?? {};
  return { count: Math.min(count, most), isMinimum: count > most || seen === mostScanned };
}
