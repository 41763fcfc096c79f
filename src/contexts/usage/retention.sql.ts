// Removes what reports no longer read row by row (CONTRACT.md 17: raw operations are kept 400 days). Sums by the hour and day stay.
import type { Platform } from '../../platform/ctx.js';
import type { Sweep } from '../../platform/due/sweep.js';
import { byIndex } from '../../platform/postgres/lookup-plan.js';
import { keptDays } from './period.js';

/** The instant from which rows of workspace `w` are kept, in its time: whole days, as keptFrom() says. `$1` is real time. */
const kept = `(date_trunc('day', $1::timestamptz + w.clock_offset_ms * interval '1 ms', 'UTC') - interval '${keptDays} days')`;
const firstId = `(lpad(to_hex((extract(epoch FROM ${kept}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;

/** Deletes up to `most` rows of `table`, named by `key`, which `old` chooses for a workspace `w`. Answers how many. */
async function sweep({ database, clock }: Platform, most: number, table: string, key: readonly string[], old: string): Promise<number> {
  const text = `
    DELETE FROM ${table} t USING (
      SELECT old.* FROM workspace w
      CROSS JOIN LATERAL (SELECT ${key.join()} FROM ${table} o WHERE o.workspace_id = w.id AND ${old} LIMIT $2) old LIMIT $2
    ) swept WHERE ${key.map((column) => `t.${column} = swept.${column}`).join(' AND ')}`;
  const values = [clock.now(), most];
  const { rowCount } = await byIndex(database.pool, (tx) => tx.query({ name: `sweep-${table}`, text, values }));
  return rowCount ?? 0;
}

const bucket = ['workspace_id', 'owner_id', 'size', 'start', 'protocol', 'category', 'success', 'currency', 'provider'];

/** Removes operations, the oldest first. */
export const sweepOperations: Sweep = (platform, most) =>
  sweep(platform, most, 'operation', ['workspace_id', 'id'], `o.id < ${firstId} ORDER BY o.id`);

/** Removes the buckets of five minutes for which there are no raw rows any more. */
export const sweepRollups: Sweep = (platform, most) =>
  sweep(platform, most, 'usage_rollup', bucket, `o.size = 300 AND o.start < ${kept} ORDER BY o.start`);

/** Removes the counts of refusals by five minutes; those by the hour and day stay. */
export const sweepRefusals: Sweep = (platform, most) =>
  sweep(
    platform,
    most,
    'refusal_rollup',
    ['workspace_id', 'size', 'start', 'layer'],
    `o.size = 300 AND o.start < ${kept} ORDER BY o.start`,
  );

const requestCount = ['workspace_id', 'size', 'start', 'method', 'route', 'status', 'duration'];
/** Requests are counted in real time. */
const keptRequests = `o.size = 3600 AND o.start < date_trunc('day', $1::timestamptz, 'UTC') - interval '${keptDays} days' ORDER BY o.start`;

const accountRequestCount = ['workspace_id', 'account_id', 'start', 'method', 'route', 'status'];
const keptOfAccounts = `o.start < date_trunc('day', $1::timestamptz, 'UTC') - interval '${keptDays} days' ORDER BY o.start`;

/** Removes the counts of requests of accounts. */
export const sweepAccountRequests: Sweep = (platform, most) =>
  sweep(platform, most, 'account_request_count', accountRequestCount, keptOfAccounts);

/** Removes the counts of requests by the hour; those by the day stay. */
export const sweepRequests: Sweep = (platform, most) => sweep(platform, most, 'request_count', requestCount, keptRequests);
