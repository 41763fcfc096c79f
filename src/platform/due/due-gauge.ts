// How many rows are due and not yet taken, and how long the oldest has been, by table. A table that keeps up shows none.
import { isPresent } from '../cell/present.js';
import type { GaugeGroup } from '../gauge.js';

/** Rows that are looked at in each table: the first by their time. */
const window = 1_000;

/** The gauges of due rows. */
export const dueGauges: GaugeGroup = {
  name: 'due',
  gauges: [
    { name: 'due_rows', label: 'table', help: `Rows that are due and not taken, by table: at most ${window} are counted.` },
    { name: 'due_oldest_seconds', label: 'table', help: 'How long the oldest of them has been due, in the time of its workspace.' },
  ],
  async read({ database, clock, agenda }) {
    const looks = agenda.tables.map(
      (table) => `
        SELECT '${table}' AS name, count(*)::int AS rows, coalesce(max(extract(epoch FROM at - first.own_at)), 0)::float8 AS oldest FROM (
          SELECT early.due_at - w.clock_offset_ms * interval '1 ms' AS own_at FROM (
            SELECT workspace_id, due_at FROM ${table} WHERE due_at <= latest AND lease_until IS NULL ORDER BY due_at LIMIT ${window}
          ) early JOIN workspace w ON w.id = early.workspace_id WHERE ${isPresent('early')}
        ) first WHERE first.own_at <= at`,
    );
    const { rows } = await database.pool.query<{ name: string; rows: number; oldest: number }>(
      `SELECT due.* FROM (
         SELECT $1::timestamptz AS at, $1::timestamptz + greatest(0, max(clock_offset_ms)) * interval '1 ms' AS latest FROM workspace
       ) now, LATERAL (${looks.join(' UNION ALL ')}) due`,
      [clock.now()],
    );
    return rows.flatMap(({ name, rows: count, oldest }) => [
      { name: 'due_rows', label: name, value: count },
      { name: 'due_oldest_seconds', label: name, value: oldest },
    ]);
  },
};
