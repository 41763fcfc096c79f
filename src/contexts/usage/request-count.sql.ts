// The statements of counted requests: they are kept by the hour for 400 days, and by the day; those of an account by the day for 400 days.
import type pg from 'pg';
import type { Ctx } from '../../platform/ctx.js';
import { type Period, partsOf } from './period.js';

const sizes = [86_400, 3_600];

/** So many requests of one kind in one hour. */
export interface RequestCountRow {
  workspaceId: string;
  /** First instant of the hour. */
  at: string;
  method: string;
  route: string;
  status: number;
  /** Step of the scale of durations. */
  duration: number;
  requests: number;
}

const add = {
  name: 'add-requests',
  text: `
    INSERT INTO request_count AS c (workspace_id, size, start, method, route, status, duration, requests)
    SELECT n.workspace_id, bucket.size, to_timestamp(floor(extract(epoch FROM n.at) / bucket.size) * bucket.size), n.method, n.route, n.status,
      n.duration, sum(n.requests)
    FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::int[], $6::int[], $7::int[])
      AS n (workspace_id, at, method, route, status, duration, requests)
    CROSS JOIN (VALUES (${sizes.join('), (')})) AS bucket (size)
    GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT (workspace_id, size, start, method, route, status, duration) DO UPDATE SET requests = c.requests + excluded.requests`,
};

/** Adds counts of any workspaces. Rows are locked in the order of their key, so processes do not stand in each other's way. */
export async function addRequests(pool: pg.Pool, rows: readonly RequestCountRow[]): Promise<void> {
  const column = <K extends keyof RequestCountRow>(name: K) => rows.map((row) => row[name]);
  const values = [
    column('workspaceId'),
    column('at'),
    column('method'),
    column('route'),
    column('status'),
    column('duration'),
    column('requests'),
  ];
  await pool.query({ ...add, values });
}

/** So many requests of one kind of an account on one day. */
export interface AccountRequestRow {
  workspaceId: string;
  accountId: string;
  /** In UTC, such as 2026-03-01. */
  day: string;
  method: string;
  route: string;
  status: number;
  requests: number;
}

const addOfAccounts = {
  name: 'add-account-requests',
  text: `
    INSERT INTO account_request_count AS c (workspace_id, account_id, start, method, route, status, requests)
    SELECT n.workspace_id, n.account_id, n.day::timestamp AT TIME ZONE 'UTC', n.method, n.route, n.status, n.requests
    FROM unnest($1::uuid[], $2::uuid[], $3::date[], $4::text[], $5::text[], $6::int[], $7::int[])
      AS n (workspace_id, account_id, day, method, route, status, requests)
    ORDER BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (workspace_id, account_id, start, method, route, status) DO UPDATE SET requests = c.requests + excluded.requests`,
};

/** Adds counts of any accounts, in the order of their key too. */
export async function addAccountRequests(pool: pg.Pool, rows: readonly AccountRequestRow[]): Promise<void> {
  const column = <K extends keyof AccountRequestRow>(name: K) => rows.map((row) => row[name]);
  const head = [column('workspaceId'), column('accountId'), column('day')];
  await pool.query({ ...addOfAccounts, values: [...head, column('method'), column('route'), column('status'), column('requests')] });
}

/** Requests by one of these members; the others are null. */
export interface RequestSum {
  day: Date | null;
  method: string | null;
  route: string | null;
  status: number | null;
  /** With the route, where durations are counted: not of accounts. */
  duration: number | null;
  requests: number;
}

/** Requests of a period of whole hours, added up by the day, by method, by status, and by route and duration. */
export async function readRequests({ workspace, platform }: Ctx, period: Period): Promise<RequestSum[]> {
  const { buckets } = partsOf(period, sizes);
  const { rows } = await platform.database.pool.query<RequestSum>(
    `SELECT date_trunc('day', c.start, 'UTC') AS day, c.method, c.status, c.route, c.duration, sum(c.requests)::float8 AS requests
     FROM unnest($2::int[], $3::timestamptz[], $4::timestamptz[]) AS part (size, since, until) CROSS JOIN LATERAL (
       SELECT * FROM request_count WHERE workspace_id = $1::uuid AND size = part.size AND start >= part.since AND start < part.until OFFSET 0
     ) c
     GROUP BY GROUPING SETS ((date_trunc('day', c.start, 'UTC')), (c.method), (c.status), (c.route, c.duration))`,
    [
      workspace.id,
      buckets.map(({ size }) => size),
      buckets.map(({ start }) => start.toISOString()),
      buckets.map(({ end }) => end.toISOString()),
    ],
  );
  return rows;
}

/** Requests of accounts in a period of whole days, added up by the day, by method, by status and by route. */
export async function readAccountRequests(
  { workspace, platform }: Ctx,
  accountIds: readonly string[],
  { start, end }: Period,
): Promise<RequestSum[]> {
  const { rows } = await platform.database.pool.query<RequestSum>(
    `SELECT c.start AS day, c.method, c.status, c.route, NULL::int AS duration, sum(c.requests)::float8 AS requests
     FROM account_request_count c
     WHERE c.workspace_id = $1::uuid AND c.account_id = ANY ($2::uuid[]) AND c.start >= $3::timestamptz AND c.start < $4::timestamptz
     GROUP BY GROUPING SETS ((c.start), (c.method), (c.status), (c.route))`,
    [workspace.id, accountIds, start.toISOString(), end.toISOString()],
  );
  return rows;
}
