// Which rows of a table differ in two cells, by hashes of their texts: of all its rows, or of those with some keys.
import type { Ends, MoveEnd } from './end.js';
import { isOf, type MovingTenant, type TenantTable } from './tenant-table.js';
import type { Key } from './watch.js';

/** Heaps that the rows of a table are sorted into by the hash of their keys. Only heaps that differ are looked at row by row. */
const heaps = 4_096;
/** Keys that are asked for at once. */
const setSize = 5_000;

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
/** What a row comes to: the text of what is copied, but for its lease. */
const hash = 'hashtextextended(t::text, 0)';
const heapOf = ({ key }: TenantTable) =>
  `(hashtextextended(ROW(${key.map(({ name }) => `t."${name}"`).join(', ')})::text, 0) & ${heaps - 1})`;
/** Leases end at the switch. */
const compared = ({ columns }: TenantTable) => quoted(columns.filter((column) => column !== 'lease_until'));
const rowsOf = (table: TenantTable, tenant: MovingTenant) =>
  `(SELECT ${compared(table)} FROM ${table.name} WHERE ${isOf(tenant, table)}) t`;

/** Compares all rows of a table; the keys of those that differ, or that one of the cells has not. */
export async function differingRows({ source, target }: Ends, tenant: MovingTenant, table: TenantTable): Promise<Key[]> {
  const [here, there] = await both(source, target, (end) => sumsOf(end, tenant, table));
  const open = unlike(here, there).map(Number);
  if (open.length === 0) return [];
  const [rows, others] = await both(source, target, (end) => rowsIn(end, tenant, table, open));
  return unlike(rows, others).map((key) => JSON.parse(key) as Key);
}

/** Compares the rows of a table that have these keys; the keys of those that differ, or that one of the cells has not. */
export async function differingKeys({ source, target }: Ends, table: TenantTable, keys: readonly Key[]): Promise<Key[]> {
  const differing: Key[] = [];
  for (let from = 0; from < keys.length; from += setSize) {
    const set = keys.slice(from, from + setSize);
    const [here, there] = await both(source, target, (end) => rowsWith(end, table, set));
    differing.push(...unlike(here, there).map((n) => set[Number(n) - 1] as Key));
  }
  return differing;
}

/** What was found, by what it was found under. */
type Found = ReadonlyMap<string, string>;

const both = (source: MoveEnd, target: MoveEnd, read: (end: MoveEnd) => Promise<Found>) => Promise.all([read(source), read(target)]);

function unlike(here: Found, there: Found): string[] {
  return [...new Set([...here.keys(), ...there.keys()])].filter((at) => here.get(at) !== there.get(at));
}

async function read({ pool }: MoveEnd, text: string, values: unknown[] = []): Promise<Found> {
  const { rows } = await pool.query<{ at: string; found: string }>(text, values);
  return new Map(rows.map(({ at, found }) => [String(at), found]));
}

const sumsOf = (end: MoveEnd, tenant: MovingTenant, table: TenantTable) =>
  read(end, `SELECT ${heapOf(table)} AS at, count(*) || ' ' || sum(${hash}::numeric) AS found FROM ${rowsOf(table, tenant)} GROUP BY 1`);

const rowsIn = (end: MoveEnd, tenant: MovingTenant, table: TenantTable, open: readonly number[]) => {
  const key = `json_build_array(${table.key.map(({ name }) => `t."${name}"::text`).join(', ')})::text`;
  return read(end, `SELECT ${key} AS at, ${hash}::text AS found FROM ${rowsOf(table, tenant)} WHERE ${heapOf(table)} = ANY ($1)`, [open]);
};

/** By the place of the key. OFFSET 0 lets each be looked up, whatever the planner thinks of a table that was just copied. */
function rowsWith(end: MoveEnd, table: TenantTable, keys: readonly Key[]): Promise<Found> {
  const { name, key } = table;
  const given = key.map(({ type }, at) => `$${at + 1}::${type}[]`).join(', ');
  const named = key.map((_column, at) => `k${at}`).join(', ');
  const isIt = key.map((column, at) => `"${column.name}" = k${at}`).join(' AND ');
  return read(
    end,
    `SELECT n AS at, ${hash}::text AS found FROM unnest(${given}) WITH ORDINALITY AS k (${named}, n),
       LATERAL (SELECT ${compared(table)} FROM ${name} WHERE ${isIt} OFFSET 0) t`,
    key.map((_column, at) => keys.map((each) => each[at])),
  );
}
