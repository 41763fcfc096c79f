// The statements that write a made-up past into a sandbox: checkouts and operations, spread over days, with nothing in the ledger.
import type pg from 'pg';
import type { Protocol } from '../../generated/prisma/client.js';
import type { OperationCategory } from '../../manifest/operation-category.js';

/** Who takes part. */
export interface Cast {
  workspaceId: string;
  accountIds: readonly string[];
  agentIds: readonly string[];
  merchants: readonly { id: string; accountId: string }[];
}

interface Share {
  /** Of a hundred operations. */
  parts: number;
  protocol: Protocol;
  category: OperationCategory;
  operation: string;
  currency: 'USD' | 'USDC';
  /** Largest amount, in minor units. */
  most: number;
  /** Of a hundred, how many succeed. */
  succeed: number;
  /** Who takes a fee of 25 cents. */
  provider?: string;
}

/** What agents do all day. */
const shares: readonly Share[] = [
  { parts: 30, protocol: 'internal', category: 'transfer', operation: 'transfer.internal', currency: 'USD', most: 50_000, succeed: 98 },
  { parts: 25, protocol: 'x402', category: 'x402_payment', operation: 'x402.pay', currency: 'USDC', most: 500_000, succeed: 97 },
  { parts: 8, protocol: 'acp', category: 'checkout', operation: 'checkout.complete', currency: 'USD', most: 20_000, succeed: 64 },
  { parts: 4, protocol: 'ucp', category: 'checkout', operation: 'checkout.complete', currency: 'USD', most: 30_000, succeed: 58 },
  { parts: 10, protocol: 'ap2', category: 'mandate_execution', operation: 'mandate.execute', currency: 'USD', most: 8_000, succeed: 95 },
  { parts: 9, protocol: 'mpp', category: 'mpp_payment', operation: 'mpp.pay', currency: 'USDC', most: 90_000, succeed: 99 },
  {
    parts: 4,
    protocol: 'internal',
    category: 'payout',
    operation: 'payout.completed',
    currency: 'USD',
    most: 900_000,
    succeed: 97,
    provider: 'ach',
  },
  {
    parts: 2,
    protocol: 'internal',
    category: 'payout',
    operation: 'payout.completed',
    currency: 'USDC',
    most: 9e9,
    succeed: 99,
    provider: 'usdc-base',
  },
  {
    parts: 3,
    protocol: 'internal',
    category: 'stream_action',
    operation: 'stream.withdraw',
    currency: 'USDC',
    most: 40_000_000,
    succeed: 100,
  },
  { parts: 2, protocol: 'internal', category: 'refund', operation: 'refund.internal', currency: 'USD', most: 5_000, succeed: 100 },
  {
    parts: 3,
    protocol: 'cross_border',
    category: 'transfer',
    operation: 'transfer.cross_border',
    currency: 'USD',
    most: 400_000,
    succeed: 93,
  },
];

/** Each share as a stretch from 0 to 1. */
const shareRows = (() => {
  const whole = shares.reduce((sum, { parts }) => sum + parts, 0);
  let passed = 0;
  return shares.map((share) => {
    const from = passed / whole;
    passed += share.parts;
    return { ...share, from, below: passed / whole };
  });
})();

/**
 * Operations `$3` to `$4` in the `$8` days from `$2` on, most of them around noon. Who takes part is chosen at random, and every tenth
 * stretch of ten has a trace.
 */
const choose = `
  CREATE TEMPORARY TABLE filling ON COMMIT DROP AS
  SELECT $1::uuid AS workspace_id, r.*, uuid_at(r.at) AS id, CASE WHEN r.success THEN 1 + floor(r.size * r.size * r.most)::bigint ELSE 0 END AS amount,
    ($5::uuid[])[1 + floor(random() * cardinality($5))::int] AS account, ($5::uuid[])[1 + floor(random() * cardinality($5))::int] AS payee,
    ($6::uuid[])[1 + floor(random() * cardinality($6))::int] AS agent, 1 + floor(random() * random() * $7::int)::int AS merchant,
    CASE WHEN (n / 10) % 10 = 0 THEN md5((n / 10)::text || $1::text) END AS trace
  FROM (
    SELECT n, s.*, random() * 100 < s.succeed AS success, random() AS size,
      ($2::timestamptz + (random() + random() + random()) / 3 * $8::float8 * interval '1 day')::timestamptz(3) AS at
    FROM (SELECT n, random() AS dice FROM generate_series($3::int, $4::int) n) d
    JOIN json_to_recordset($9) AS s ("from" float8, below float8, protocol text, category text, operation text, currency text, most float8,
      succeed float8, provider text) ON d.dice >= s."from" AND d.dice < s.below
  ) r`;

/** The checkouts behind them. They took some minutes; what nobody paid was cancelled or has expired. */
const chooseCheckouts = `
  CREATE TEMPORARY TABLE filled_checkout ON COMMIT DROP AS
  SELECT f.*, uuid_at(f.opened) AS checkout_id FROM (
    SELECT f.*, f.at - (20 + random() * random() * 1800) * interval '1 s' AS opened,
      CASE WHEN f.success THEN 'paid' WHEN random() < 0.4 THEN 'cancelled' ELSE 'expired' END AS status
    FROM filling f WHERE f.workspace_id = $1::uuid AND f.category = 'checkout'
  ) f`;

const reasons = ['price_sensitivity', 'shipping_cost', 'found_elsewhere', 'changed_plans'];
const insertCheckouts = `
  INSERT INTO checkout (workspace_id, id, protocol, merchant_id, merchant_account_id, status, items, currency, total, secret_hash,
    created_by_type, created_by_id, agent_id, trace_id, created_at, updated_at, expires_at, attempted_at, paid_at, paid_by, transfer_id,
    ended_at, cancel_reason)
  SELECT $1::uuid, checkout_id, protocol::protocol, ($2::uuid[])[merchant], ($3::uuid[])[merchant], status::checkout_status,
    jsonb_build_array(jsonb_build_object('sku', 'FILL', 'quantity', 1, 'unitPrice', greatest(amount, 100)::text)), currency,
    greatest(amount, 100), decode(md5(id::text), 'hex'), 'agent', agent, agent, trace, opened, at, at + interval '1 hour',
    CASE WHEN success THEN at END, CASE WHEN success THEN at END, CASE WHEN success THEN 'wallet'::checkout_payment_kind END,
    CASE WHEN success THEN id END, CASE WHEN NOT success THEN at END,
    CASE WHEN status = 'cancelled' THEN ($4::text[])[1 + floor(random() * random() * cardinality($4))::int] END
  FROM filled_checkout`;

const insertOperations = `
  INSERT INTO operation (workspace_id, id, at, category, operation, protocol, success, amount, currency, amount_usd, external_cost_usd,
    provider, actor_type, actor_id, agent_id, account_id, counterparty_id, subject_id, trace_id)
  SELECT $1::uuid, f.id, f.at, f.category,
    CASE c.status WHEN 'cancelled' THEN 'checkout.cancel' WHEN 'expired' THEN 'checkout.expire' ELSE f.operation END, f.protocol::protocol,
    f.success, f.amount, f.currency, f.amount * CASE f.currency WHEN 'USD' THEN 10000 ELSE 1 END,
    CASE WHEN f.success AND f.provider IS NOT NULL THEN 250000 ELSE 0 END, CASE WHEN f.success THEN f.provider END, 'agent', f.agent, f.agent,
    f.account, CASE WHEN c.id IS NULL THEN f.payee ELSE ($2::uuid[])[c.merchant] END, coalesce(c.checkout_id, uuid_at(f.at)), f.trace
  FROM filling f LEFT JOIN filled_checkout c ON c.id = f.id`;

/** A part of the past: operations with the numbers `from` to `to`, spread over some days. */
export interface FillStretch {
  start: Date;
  days: number;
  from: number;
  to: number;
}

/** Writes one stretch, in a transaction of the caller. */
export async function fillStretch(tx: pg.ClientBase, cast: Cast, { start, days, from, to }: FillStretch): Promise<void> {
  const { workspaceId, accountIds, agentIds, merchants } = cast;
  const merchantAccounts = merchants.map(({ accountId }) => accountId);
  const chosen = [workspaceId, start, from, to, accountIds, agentIds, merchants.length, days, JSON.stringify(shareRows)];
  await tx.query(choose, chosen);
  await tx.query(chooseCheckouts, [workspaceId]);
  await tx.query(insertCheckouts, [workspaceId, merchants.map(({ id }) => id), merchantAccounts, reasons]);
  await tx.query(insertOperations, [workspaceId, merchantAccounts]);
}

/** The planner learns what the tables hold now. */
export async function analyzeFilled(pool: pg.Pool): Promise<void> {
  for (const table of ['operation', 'checkout', 'usage_rollup', 'checkout_rollup']) await pool.query(`ANALYZE ${table}`);
}
