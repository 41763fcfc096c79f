// Orders of rails that have no reference yet: after a restore nobody knows whether they were carried out.
import type pg from 'pg';

/** Tables of orders. Each gets its reference when it is submitted. */
const ordering = ['payout', 'card_refund', 'card_charge', 'funding_transaction'] as const;

/** An order that would be submitted under a new reference. Amounts are minor units. */
export interface UnreferencedOrder {
  what: string;
  workspaceId: string;
  id: string;
  rail: string;
  amount: string;
  currency: string;
}

/** Orders shown at most. */
const mostShown = 1_000;

/** The orders of all workspaces that wait and have no reference, the oldest first. */
export async function unreferencedOrders(db: Pick<pg.Pool, 'query'>): Promise<UnreferencedOrder[]> {
  const of = (table: string) => `SELECT '${table}' AS what, workspace_id AS "workspaceId", id, rail, amount::text AS amount, currency
    FROM ${table} WHERE status = 'pending' AND rail_reference IS NULL`;
  const { rows } = await db.query<UnreferencedOrder>(`${ordering.map(of).join(' UNION ALL ')} ORDER BY id LIMIT ${mostShown}`);
  return rows;
}
