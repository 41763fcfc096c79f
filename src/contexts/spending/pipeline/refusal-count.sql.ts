// How many spends were refused, by the layer that refused them: every one counts, also those of which no decision is kept.
import type pg from 'pg';
import type { Ctx } from '../../../platform/ctx.js';
import type { DecidingLayer } from './layer.js';

// Gap G-434: Each refused spend counts once, by the first layer that refuses, in buckets of five minutes to which a period is widened.
/** Seconds of the buckets, the longest first. */
export const refusalBuckets = [86_400, 3_600, 300] as const;

/** Refusals of one layer in one of the shortest buckets. */
export interface RefusalCount {
  workspaceId: string;
  layer: DecidingLayer;
  at: Date;
  refusals: number;
}

/** Adds counts to their buckets. */
export async function addRefusals(pool: pg.Pool, counts: readonly RefusalCount[]): Promise<void> {
  const values = [
    counts.map(({ workspaceId }) => workspaceId),
    counts.map(({ layer }) => layer),
    counts.map(({ at }) => at.toISOString()),
    counts.map(({ refusals }) => refusals),
  ];
  await pool.query({
    name: 'add-refusals',
    text: `
      INSERT INTO refusal_rollup AS r (workspace_id, size, start, layer, refusals)
      SELECT c.workspace_id, bucket.size, to_timestamp(floor(extract(epoch FROM c.at) / bucket.size) * bucket.size), c.layer, sum(c.refusals)
      FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::int[]) AS c (workspace_id, layer, at, refusals)
      CROSS JOIN (VALUES (${refusalBuckets.join('), (')})) AS bucket (size)
      GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
      ON CONFLICT (workspace_id, size, start, layer) DO UPDATE SET refusals = r.refusals + excluded.refusals`,
    values,
  });
}

/** Whole buckets of one size. */
interface Buckets {
  size: number;
  start: Date;
  end: Date;
}

/** What each layer has refused in some buckets. */
export async function readRefusals({ platform, workspace }: Ctx, buckets: readonly Buckets[]): Promise<Map<DecidingLayer, number>> {
  const { rows } = await platform.database.pool.query<{ layer: DecidingLayer; refusals: string }>({
    name: 'read-refusals',
    text: `
      SELECT layer, sum(refusals) AS refusals FROM unnest($2::int[], $3::timestamptz[], $4::timestamptz[]) AS part (size, since, until)
      CROSS JOIN LATERAL (
        SELECT layer, refusals FROM refusal_rollup
        WHERE workspace_id = $1 AND size = part.size AND start >= part.since AND start < part.until OFFSET 0) r
      GROUP BY layer`,
    values: [
      workspace.id,
      buckets.map(({ size }) => size),
      buckets.map(({ start }) => start.toISOString()),
      buckets.map(({ end }) => end.toISOString()),
    ],
  });
  return new Map(rows.map(({ layer, refusals }) => [layer, Number(refusals)]));
}
