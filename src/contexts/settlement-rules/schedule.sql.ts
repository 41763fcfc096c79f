// The statements of the schedule: which wallets it settles.
import type pg from 'pg';
import type { Stretch } from '../../events/listener.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';
import { railCurrencies } from '../transfers/rail.js';

// Gap G-207: settlement_schedule fires in UTC, for wallets of active merchants without an enabled rule of their own.
/**
 * Wallets `w` of accounts with an active merchant, which no enabled rule covers and which have money, and a default bank account that their
 * currency reaches. `reach` is the parameter with the rails and their currencies.
 */
const uncovered = (reach: string) => `
  w.owner_type = 'account' AND w.status = 'active'
  AND EXISTS (SELECT FROM merchant m WHERE m.workspace_id = w.workspace_id AND m.account_id = w.account_id AND m.status = 'active')
  AND NOT EXISTS (SELECT FROM settlement_rule r
    WHERE r.workspace_id = w.workspace_id AND r.wallet_id = w.id AND r.deleted_at IS NULL AND r.enabled)
  AND EXISTS (SELECT FROM ledger_account a
    WHERE a.workspace_id = w.workspace_id AND a.owner_id = w.id AND a.kind = 'wallet.available' AND a.currency = w.currency AND a.balance > 0)
  AND EXISTS (SELECT FROM bank_account b WHERE b.workspace_id = w.workspace_id AND b.account_id = w.account_id
    AND b.is_default AND b.deleted_at IS NULL AND ${reach}::jsonb ->> b.rail::text = w.currency)`;

const reached = JSON.stringify(railCurrencies);

/** The first wallets after one, by id. */
export async function uncoveredWallets(tx: Tx, workspaceId: string, after: string | null, most: number): Promise<string[]> {
  const rows = await runIn<{ id: string }>(tx, pageStatement, [workspaceId, after, most, reached]);
  return rows.map(({ id }) => id);
}

const pageStatement = {
  name: 'settlement-uncovered-wallets',
  text: `
    SELECT w.id FROM wallet w
    WHERE w.workspace_id = $1::uuid AND ($2::uuid IS NULL OR w.id > $2::uuid) AND ${uncovered('$4')}
    ORDER BY w.id LIMIT $3::int`,
};

/** A wallet that was paid, and the last event that says so. */
export interface PaidWallet {
  walletId: string;
  eventId: string;
  at: Date;
}

/** The wallets that a stretch of events has paid, in a workspace that settles money as it arrives. */
export function paidWallets(tx: pg.ClientBase, { workspaceId, after, upTo }: Stretch): Promise<PaidWallet[]> {
  return runIn<PaidWallet>(tx, paidStatement, [workspaceId, after, upTo, reached]);
}

/** Without such a config nothing of the rest is read. */
const paidStatement = {
  name: 'settlement-paid-wallets',
  text: `
    SELECT w.id AS "walletId", p.event_id AS "eventId", p.at FROM (
      SELECT t.to_wallet_id, max(e.id::text) AS event_id, max(e.created_at) AS at
      FROM settlement_config c
      CROSS JOIN LATERAL (SELECT * FROM heard_events($1::uuid, $2::bigint, $3::bigint) OFFSET 0) e
      CROSS JOIN LATERAL (SELECT * FROM transfer t WHERE t.workspace_id = $1 AND t.id = e.object_id OFFSET 0) t
      WHERE c.workspace_id = $1 AND c.auto_settlement_enabled AND c.settlement_schedule = 'immediate'
        AND e.type = 'transfer.completed' AND t.origin_type IS DISTINCT FROM 'settlement_execution' AND t.to_wallet_id IS NOT NULL
      GROUP BY t.to_wallet_id
    ) p
    CROSS JOIN LATERAL (SELECT * FROM wallet w WHERE w.workspace_id = $1 AND w.id = p.to_wallet_id OFFSET 0) w
    WHERE ${uncovered('$4')}`,
};
