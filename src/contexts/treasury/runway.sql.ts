// The statement that reads what the money is and where it went, by currency. It does not read the entries of a window: an entry has the
// balance after it, so what an account took in is the difference of two balances, the older one found by halving.
import type { Ctx } from '../../platform/ctx.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';

/** One currency, minor units in decimal text: what wallets can spend, and what has left for good in the window, less what came in. */
export interface FlowRow {
  currency: string;
  available: string;
  burned: string;
}

// Gap G-194: Money out of `world` is no inflow; money that goes back into it is an outflow, and so is the fee of a currency change.
/**
 * The outside accounts are the workspace's own, a few in each currency. What came out of `world` was minted by the sandbox and does not
 * count: of its entries those are added up that went into it, the only ones that are read one by one.
 */
const flows = {
  name: 'treasury-flows',
  text: `
    WITH outside AS MATERIALIZED (
      SELECT id, kind, currency, balance, coalesce(ledger_entries_before($1::uuid, id, $2::timestamptz), 0) AS entries
      FROM ledger_account WHERE workspace_id = $1::uuid AND owner_id = $1::uuid AND (kind IN ('fees', 'world', 'receivables') OR kind LIKE 'rail.clearing:%')
    )
    SELECT currency, sum(available)::text AS available, sum(burned)::text AS burned
    FROM (
      SELECT currency, sum(balance) AS available, 0 AS burned
      FROM ledger_account WHERE workspace_id = $1::uuid AND kind = 'wallet.available' GROUP BY currency
      UNION ALL
      SELECT o.currency, 0, o.balance - coalesce((SELECT e.balance_after FROM ledger_entry e
        WHERE e.workspace_id = $1::uuid AND e.account_id = o.id AND e.version = o.entries), 0)
      FROM outside o WHERE o.kind <> 'world'
      UNION ALL
      SELECT o.currency, 0, (SELECT coalesce(sum(e.amount), 0) FROM ledger_entry e
        WHERE e.workspace_id = $1::uuid AND e.account_id = o.id AND e.version > o.entries AND e.amount > 0)
      FROM outside o WHERE o.kind = 'world'
    ) x GROUP BY currency ORDER BY currency`,
};

/** What is available now, and what has left since `from`, in each currency. */
export function readFlows({ db, workspace }: Pick<Ctx, 'db' | 'workspace'>, from: Date): Promise<FlowRow[]> {
  return runIn<FlowRow>(db as unknown as Tx, flows, [workspace.id, from]);
}
