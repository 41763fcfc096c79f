// Rollups of checkouts by the time at which they were opened: an end is counted once, when its operation is published; what has not
// ended is counted as it stands (SPEC.md "checkout-demand").
import type pg from 'pg';
import type { EventListener } from '../../events/listener.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { firstIdAt } from '../../platform/schema/page.js';
import { type Period, partsOf } from '../usage/period.js';
import { givePosition, holdPosition } from '../usage/rebuild.sql.js';

const sizes = [86_400, 3_600];
/** Steps of the scale of times for each factor of e: a step is 5 % wide. */
const stepsPerE = 20;

/** The middle of a step of the scale, in seconds. */
export function secondsOfStep(step: number): number {
  return Math.round(Math.exp(step / stepsPerE) - 1);
}

/** What an ended checkout is counted under. `c` is a row of `checkout`. */
const facts = `
  (CASE WHEN c.paid_at IS NOT NULL THEN 'completed' ELSE c.status::text END) AS outcome,
  (CASE WHEN c.paid_at IS NOT NULL THEN floor(extract(epoch FROM c.paid_at - c.created_at))::bigint ELSE 0 END) AS seconds`;
const dimensions = `(VALUES ('merchant', c.merchant_id::text),
  ('time', CASE WHEN c.outcome = 'completed' THEN round(ln(1 + c.seconds) * ${stepsPerE})::text END),
  ('reason', CASE WHEN c.outcome = 'cancelled' THEN left(coalesce(c.intent_trace ->> 'reasonCode', c.cancel_reason, 'none given'), 100) END)
) AS fact (dimension, key)`;

/** Adds ended checkouts to their buckets. `from` yields rows of `checkout`; `$1` is the workspace. */
const addCheckouts = (from: string): string => `
  INSERT INTO checkout_rollup AS r (workspace_id, size, start, dimension, key, outcome, checkouts, seconds)
  SELECT $1::uuid, bucket.size, to_timestamp(floor(extract(epoch FROM c.created_at) / bucket.size) * bucket.size), fact.dimension, fact.key,
    c.outcome, count(*), sum(c.seconds)
  FROM (SELECT c.*, ${facts} FROM ${from} c) c
  CROSS JOIN (VALUES (${sizes.join('), (')})) AS bucket (size)
  CROSS JOIN LATERAL ${dimensions}
  WHERE fact.key IS NOT NULL GROUP BY 2, 3, 4, 5, 6 ORDER BY 2, 3, 4, 5, 6
  ON CONFLICT (workspace_id, size, start, dimension, key, outcome) DO UPDATE
    SET checkouts = r.checkouts + excluded.checkouts, seconds = r.seconds + excluded.seconds`;

/** Statuses in which a checkout has ended for this report: what follows a payment changes nothing. */
const endedStatuses = `('paid', 'fulfilled', 'cancelled', 'expired')`;

/** An attempt that failed is an operation too, so the same checkout may be heard again: it is counted where it is noted first. */
const countEnded = {
  name: 'count-ended-checkouts',
  text: `
    WITH heard AS MATERIALIZED (
      SELECT DISTINCT o.subject_id AS id FROM published_operations($1::uuid, $2::bigint, $3::bigint) o WHERE o.category = 'checkout'
    ), noted AS MATERIALIZED (
      INSERT INTO counted_checkout (workspace_id, checkout_id)
      SELECT $1::uuid, c.id FROM heard h
      CROSS JOIN LATERAL (SELECT * FROM checkout c WHERE c.workspace_id = $1::uuid AND c.id = h.id OFFSET 0) c
      WHERE c.status IN ${endedStatuses} ORDER BY c.id ON CONFLICT DO NOTHING RETURNING checkout_id
    )
    ${addCheckouts(`(SELECT c.* FROM noted n
      CROSS JOIN LATERAL (SELECT * FROM checkout c WHERE c.workspace_id = $1::uuid AND c.id = n.checkout_id OFFSET 0) c)`)}`,
};

/** Counts checkouts that have ended. */
export const demandListener: EventListener = {
  name: 'checkout-demand',
  paceMs: 500,
  async hear(tx, { workspaceId, after, upTo }) {
    await tx.query({ ...countEnded, values: [workspaceId, after, upTo] });
  },
};

/** Checkouts that were opened in a period: by merchant and outcome, by time and by reason. */
export interface DemandRow {
  dimension: 'merchant' | 'time' | 'reason';
  key: string;
  /** completed, cancelled or expired, or the status of one that has not ended. */
  outcome: string;
  checkouts: number;
  seconds: number;
}

/** Reads whole buckets, raw rows at the edges of the period, and what has not ended. Reasons are in the words of buyers: the most frequent. */
export async function readDemand({ workspace, platform }: Ctx, period: Period, mostReasons: number): Promise<DemandRow[]> {
  const { buckets, raw } = partsOf(period, sizes);
  const values = [
    workspace.id,
    buckets.map(({ size }) => size),
    buckets.map(({ start }) => start.toISOString()),
    buckets.map(({ end }) => end.toISOString()),
    raw.map(({ start }) => firstIdAt(start)),
    raw.map(({ end }) => firstIdAt(end)),
    firstIdAt(period.start),
    firstIdAt(period.end),
    mostReasons,
  ];
  const { rows } = await platform.database.pool.query<DemandRow>(demand, values);
  return rows;
}

/** Float8: a sum of whole numbers that a double holds. */
const demand = `
  SELECT * FROM (SELECT x.dimension, x.key, x.outcome, sum(x.checkouts)::float8 AS checkouts, sum(x.seconds)::float8 AS seconds,
    row_number() OVER (PARTITION BY x.dimension ORDER BY sum(x.checkouts) DESC, x.key COLLATE "C") AS place FROM (
    SELECT r.dimension, r.key, r.outcome, r.checkouts, r.seconds
    FROM unnest($2::int[], $3::timestamptz[], $4::timestamptz[]) AS part (size, since, until) CROSS JOIN LATERAL (
      SELECT * FROM checkout_rollup WHERE workspace_id = $1::uuid AND size = part.size AND start >= part.since AND start < part.until OFFSET 0) r
    UNION ALL
    SELECT fact.dimension, fact.key, c.outcome, 1, c.seconds
    FROM unnest($5::uuid[], $6::uuid[]) AS part (since, below) CROSS JOIN LATERAL (
      SELECT c.*, ${facts} FROM checkout c
      WHERE c.workspace_id = $1::uuid AND c.id >= part.since AND c.id < part.below AND c.status IN ${endedStatuses} OFFSET 0) c
    CROSS JOIN LATERAL ${dimensions} WHERE fact.key IS NOT NULL
    UNION ALL
    SELECT 'merchant', c.merchant_id::text, c.status::text, count(*), 0 FROM checkout c
    WHERE c.workspace_id = $1::uuid AND c.id >= $7::uuid AND c.id < $8::uuid AND c.status IN ('created', 'pending_payment', 'failed')
    GROUP BY 2, 3
  ) x GROUP BY 1, 2, 3) placed WHERE dimension <> 'reason' OR place <= $9::int`;

/** Counts the checkouts of a workspace again, in one transaction. What the listener has not heard yet is noted as counted. */
export async function rebuildDemand({ database }: Platform, workspaceId: string): Promise<void> {
  await givePosition(database.pool, workspaceId, demandListener.name);
  const rebuild = async (tx: pg.ClientBase): Promise<void> => {
    await holdPosition(tx, workspaceId, demandListener.name);
    await tx.query('DELETE FROM counted_checkout WHERE workspace_id = $1', [workspaceId]);
    await tx.query('DELETE FROM checkout_rollup WHERE workspace_id = $1', [workspaceId]);
    await tx.query(countAll, [workspaceId]);
  };
  await inTransaction(database.pool, rebuild, { statementMs: 600_000 });
}

const countAll = `
  WITH noted AS MATERIALIZED (
    INSERT INTO counted_checkout (workspace_id, checkout_id)
    SELECT workspace_id, id FROM checkout WHERE workspace_id = $1::uuid AND status IN ${endedStatuses} RETURNING checkout_id
  )
  ${addCheckouts('(SELECT c.* FROM noted n JOIN checkout c ON c.workspace_id = $1::uuid AND c.id = n.checkout_id)')}`;
