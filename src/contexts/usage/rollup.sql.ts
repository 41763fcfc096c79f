// Rollups of operations: written from what was published, and read as the sums of a period (CONTRACT.md 17).
import type { EventListener } from '../../events/listener.js';
import type { Protocol } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { firstIdAt } from '../../platform/schema/page.js';
import { bucketSizes, openPartsOf, type Period } from './period.js';
import { ownerColumn, reportOwners } from './visibility.js';

/** What an operation `o` has moved between different owners, in millionths of a US dollar (see G-436). */
const movedUsd = `CASE WHEN o.category = 'funding' OR o.account_id = o.counterparty_id THEN 0 ELSE coalesce(o.amount_usd, 0) END`;

/** Every other size of a bucket is a multiple of it. */
const smallest = bucketSizes.at(-1);

// Gap G-352: An operation belongs to the account that pays, else to the one that is paid.
/**
 * Adds operations to their buckets, for the workspace, the account and the agent of each. `from` yields rows of `operation`; `$1` is the
 * workspace. Those that are alike are added up before they are put into every bucket and under every owner.
 */
export const addOperations = (from: string): string => `
  INSERT INTO usage_rollup AS r (workspace_id, owner_id, size, start, protocol, category, success, currency, provider,
    operations, amount, amount_usd, external_cost_usd)
  SELECT $1::uuid, owner.id, bucket.size, to_timestamp(floor(extract(epoch FROM o.at) / bucket.size) * bucket.size), o.protocol, o.category,
    o.success, o.currency, o.provider, sum(o.operations), sum(o.amount), sum(o.amount_usd), sum(o.external_cost_usd)
  FROM (
    SELECT date_bin('${smallest} s', o.at, to_timestamp(0)) AS at, coalesce(o.account_id, o.counterparty_id) AS account_id, o.agent_id, o.protocol,
      o.category, o.success, o.currency, coalesce(o.provider, '') AS provider, count(*) AS operations, sum(o.amount) AS amount,
      sum(${movedUsd}) AS amount_usd, sum(o.external_cost_usd) AS external_cost_usd
    FROM ${from} o GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
  ) o
  CROSS JOIN (VALUES (${bucketSizes.join('), (')})) AS bucket (size)
  CROSS JOIN LATERAL (VALUES ($1::uuid), (o.account_id), (o.agent_id)) AS owner (id)
  WHERE owner.id IS NOT NULL
  GROUP BY 2, 3, 4, 5, 6, 7, 8, 9 ORDER BY 2, 3, 4, 5, 6, 7, 8, 9
  ON CONFLICT (workspace_id, owner_id, size, start, protocol, category, success, currency, provider) DO UPDATE
    SET operations = r.operations + excluded.operations, amount = r.amount + excluded.amount,
        amount_usd = r.amount_usd + excluded.amount_usd, external_cost_usd = r.external_cost_usd + excluded.external_cost_usd`;

const addStretch = { name: 'roll-up-operations', text: addOperations('published_operations($1::uuid, $2::bigint, $3::bigint)') };

/** Rolls up what was published, half a second of it at a time: reports are as far behind at most. */
export const usageListener: EventListener = {
  name: 'usage',
  paceMs: 500,
  async hear(tx, { workspaceId, after, upTo }) {
    await tx.query({ ...addStretch, values: [workspaceId, after, upTo] });
  },
};

/** What operations of one kind come to in a period. */
export interface UsageSum {
  protocol: Protocol;
  category: string;
  success: boolean;
  /** Empty where nobody took an external cost. */
  provider: string;
  operations: number;
  /** Millionths of a US dollar. */
  amountUsd: bigint;
  externalCostUsd: bigint;
}

interface SumRow extends Omit<UsageSum, 'operations' | 'amountUsd' | 'externalCostUsd'> {
  operations: string;
  amountUsd: string;
  externalCostUsd: string;
}

/** Sums of everything that the actor sees of a period, exact at its edges. */
export async function readUsage(ctx: Ctx, period: Period): Promise<UsageSum[]> {
  const values = partValues(ctx, period, bucketSizes);
  const { rows } = await ctx.platform.database.pool.query<SumRow>(sumStatement(ownerColumn(ctx)), values);
  return rows.map(({ operations, amountUsd, externalCostUsd, ...row }) => ({
    ...row,
    operations: Number(operations),
    amountUsd: BigInt(amountUsd),
    externalCostUsd: BigInt(externalCostUsd),
  }));
}

/** What operations of one protocol come to in one bucket of a series. */
export interface SeriesSum {
  /** The first instant of the bucket. */
  at: Date;
  protocol: Protocol;
  operations: number;
  /** What has moved, in millionths of a US dollar. */
  volume: bigint;
}

/** The same in buckets of `seconds`, the protocols apart. */
export async function readSeries(ctx: Ctx, period: Period, seconds: number): Promise<SeriesSum[]> {
  const sizes = bucketSizes.filter((size) => size <= seconds);
  const values = [...partValues(ctx, period, sizes), seconds];
  const { rows } = await ctx.platform.database.pool.query<SeriesRow>(seriesStatement(ownerColumn(ctx)), values);
  return rows.map(({ operations, volume, ...row }) => ({ ...row, operations: Number(operations), volume: BigInt(volume) }));
}

interface SeriesRow extends Omit<SeriesSum, 'operations' | 'volume'> {
  operations: string;
  volume: string;
}

/**
 * `$1` to `$9` of `sums`: the workspace, the owner of the sums, the whole buckets of a period, the stretches at its edges, and what is
 * unheard.
 */
function partValues(ctx: Ctx, period: Period, sizes: readonly number[]): unknown[] {
  const { buckets, raw, unheard } = openPartsOf(ctx.clock.now(), period, sizes);
  return [
    ctx.workspace.id,
    reportOwners(ctx),
    buckets.map(({ size }) => size),
    buckets.map(({ start }) => start.toISOString()),
    buckets.map(({ end }) => end.toISOString()),
    raw.map(({ start }) => firstIdAt(start)),
    raw.map(({ end }) => firstIdAt(end)),
    unheard.map(({ start }) => firstIdAt(start)),
    unheard.map(({ end }) => firstIdAt(end)),
  ];
}

/**
 * Lines of the outbox and publications that a report looks through for what is unheard, the newest: there are more only while nobody
 * publishes or listens. By number, since the index has every line that was published until it is vacuumed.
 */
const mostUnheard = 5_000;

/** The ids of operations of workspace `$1` that its rollups do not have yet: not published, or not heard. */
const unheardIds = `
  SELECT unnest(l.operation_ids) AS id FROM (
    SELECT operation_ids FROM outbox WHERE workspace_id = $1::uuid AND id > (SELECT last_value - ${mostUnheard} FROM outbox_id_seq)) l
  UNION ALL
  SELECT unnest(p.operation_ids) FROM (
    SELECT operation_ids FROM publication WHERE workspace_id = $1::uuid
      AND number > coalesce((SELECT number FROM event_listener WHERE workspace_id = $1::uuid AND name = '${usageListener.name}'), 0)
    ORDER BY number DESC LIMIT ${mostUnheard}) p`;

/**
 * Sums over the parts of a period. OFFSET 0: each stretch is read by its own range of the key. No name: it is planned for what the tables
 * hold.
 */
const sums = (columns: string, groups: string, owner: string | null): string => {
  const raw = `SELECT at, protocol, category, success, coalesce(provider, ''), 1, ${movedUsd}, external_cost_usd FROM operation o
    WHERE workspace_id = $1::uuid ${owner === null ? '' : `AND ${owner} = ANY ($2::uuid[])`}`;
  return `
  SELECT ${columns} FROM (
    SELECT r.* FROM unnest($3::int[], $4::timestamptz[], $5::timestamptz[]) AS part (size, since, until) CROSS JOIN LATERAL (
      SELECT start AS at, protocol, category, success, provider, operations, amount_usd, external_cost_usd FROM usage_rollup
      WHERE workspace_id = $1::uuid AND owner_id = ANY ($2::uuid[]) AND size = part.size AND start >= part.since AND start < part.until
      OFFSET 0) r
    UNION ALL
    SELECT o.* FROM unnest($6::uuid[], $7::uuid[]) AS part (since, below)
    CROSS JOIN LATERAL (${raw} AND id >= part.since AND id < part.below OFFSET 0) o
    UNION ALL
    SELECT o.* FROM unnest($8::uuid[], $9::uuid[]) AS part (since, below)
    CROSS JOIN LATERAL (${unheardIds} OFFSET 0) u
    CROSS JOIN LATERAL (${raw} AND id = u.id OFFSET 0) o
    WHERE u.id >= part.since AND u.id < part.below
  ) x GROUP BY ${groups}`;
};

const kinds = 'x.protocol, x.category, x.success, x.provider';
const sumStatement = (owner: string | null): string =>
  sums(
    `${kinds}, sum(x.operations) AS operations, sum(x.amount_usd) AS "amountUsd", sum(x.external_cost_usd) AS "externalCostUsd"`,
    kinds,
    owner,
  );

const bucket = 'to_timestamp(floor(extract(epoch FROM x.at) / $10::int) * $10::int)';
const seriesStatement = (owner: string | null): string =>
  sums(
    `${bucket} AS at, x.protocol, sum(x.operations) AS operations, coalesce(sum(x.amount_usd) FILTER (WHERE x.success), 0) AS volume`,
    '1, x.protocol',
    owner,
  );
