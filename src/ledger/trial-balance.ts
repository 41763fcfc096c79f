// The proof that the ledger is right: balances that sum to zero per currency, and entries that chain without a hole.
import type pg from 'pg';
import type { Ctx } from '../platform/ctx.js';
import { type Database, inTransaction } from '../platform/postgres/database.js';

// Gap G-68: Per currency `debits` sums the balances below zero, `credits` those above; `difference` must be zero.
/** One currency of a trial balance, minor units: the balances below zero, those above, and what must be zero. */
export interface TrialBalanceLine {
  currency: string;
  debits: bigint;
  credits: bigint;
  difference: bigint;
  accounts: number;
}

/** The workspace's trial balance now, or as it was at `at`. */
export async function trialBalance(ctx: Ctx, at?: Date): Promise<TrialBalanceLine[]> {
  const balance = at === undefined ? 'balance' : 'ledger_balance_at(workspace_id, id, $2)';
  const { rows } = await ctx.platform.database.pool.query<Record<keyof TrialBalanceLine, string>>({
    text: `SELECT currency, coalesce(-sum(b) FILTER (WHERE b < 0), 0) AS debits, coalesce(sum(b) FILTER (WHERE b > 0), 0) AS credits,
        sum(b) AS difference, count(*) AS accounts
      FROM (SELECT currency, ${balance} AS b FROM ledger_account WHERE workspace_id = $1) x GROUP BY currency ORDER BY currency`,
    values: at === undefined ? [ctx.workspace.id] : [ctx.workspace.id, at],
  });
  return rows.map((row) => ({
    currency: row.currency,
    debits: BigInt(row.debits),
    credits: BigInt(row.credits),
    difference: BigInt(row.difference),
    accounts: Number(row.accounts),
  }));
}

/** Something in the ledger that cannot be: a sentence for people. */
export type LedgerBreak = string;

const checks: readonly { breaks: string; text: string }[] = [
  {
    breaks: 'balances of a workspace and currency do not sum to zero',
    text: `SELECT workspace_id || ' ' || currency || ': ' || sum(balance) AS found FROM ledger_account
      GROUP BY workspace_id, currency HAVING sum(balance) <> 0`,
  },
  {
    breaks: 'entries of a transaction do not sum to zero',
    text: `SELECT transaction_id || ' ' || currency || ': ' || sum(amount) AS found FROM ledger_entry
      GROUP BY workspace_id, transaction_id, currency HAVING sum(amount) <> 0`,
  },
  {
    breaks: 'entries belong to no transaction',
    text: `SELECT DISTINCT e.transaction_id::text AS found FROM ledger_entry e
      WHERE NOT EXISTS (SELECT FROM transfer c WHERE c.workspace_id = e.workspace_id AND c.id = e.transaction_id)
        AND NOT EXISTS (SELECT FROM ledger_transaction t WHERE t.workspace_id = e.workspace_id AND t.id = e.transaction_id)`,
  },
  {
    // The first transaction of a transfer has its id, and may have no row.
    breaks: 'a transaction has the id of a transfer that it does not belong to',
    text: `SELECT t.id::text AS found FROM ledger_transaction t JOIN transfer c ON c.workspace_id = t.workspace_id AND c.id = t.id
      WHERE t.transfer_id IS DISTINCT FROM t.id`,
  },
  {
    breaks: 'an account differs from the sum of its entries',
    text: `SELECT a.id || ': ' || a.balance || ' is not ' || coalesce(s.total, 0) || ', version ' || a.version || ' is not ' || coalesce(s.entries, 0) AS found
      FROM ledger_account a LEFT JOIN (
        SELECT workspace_id, account_id, sum(amount) AS total, count(*) AS entries, max(version) AS last
        FROM ledger_entry GROUP BY workspace_id, account_id
      ) s ON s.workspace_id = a.workspace_id AND s.account_id = a.id
      WHERE a.balance <> coalesce(s.total, 0) OR a.version <> coalesce(s.entries, 0) OR a.version <> coalesce(s.last, 0)`,
  },
  {
    breaks: 'a balance_after does not follow from the entry before it',
    text: `SELECT account_id || ' version ' || version AS found FROM (
        SELECT account_id, version, amount, balance_after,
          lag(balance_after, 1, 0::bigint) OVER w AS before, lag(version, 1, 0::bigint) OVER w AS last,
          lag(created_at) OVER w AS earlier, created_at
        FROM ledger_entry WINDOW w AS (PARTITION BY workspace_id, account_id ORDER BY version)
      ) e WHERE balance_after <> before + amount OR version <> last + 1 OR created_at < earlier`,
  },
  {
    breaks: 'an account that must not is below zero',
    text: `SELECT id || ': ' || balance AS found FROM ledger_account WHERE balance < 0 AND NOT unbounded`,
  },
  {
    // Every account that a hold ever named holds what its open holds say, whatever kind of escrow it is; so does a wallet's.
    breaks: 'money held differs from the holds that are open',
    text: `SELECT a.id || ': ' || a.balance || ' is not ' || coalesce(h.amount, 0) AS found
      FROM ledger_account a LEFT JOIN (
        SELECT workspace_id, held_account_id, coalesce(sum(amount) FILTER (WHERE status = 'held'), 0) AS amount
        FROM hold GROUP BY workspace_id, held_account_id
      ) h ON h.workspace_id = a.workspace_id AND h.held_account_id = a.id
      WHERE (a.kind = 'wallet.held' OR h.held_account_id IS NOT NULL) AND a.balance <> coalesce(h.amount, 0)`,
  },
  {
    // A counter that was swept is gone with what it counted.
    breaks: 'a limit counter differs from what the postings used',
    text: `SELECT c.counter || ' ' || c."window" || ': ' || c.used || ' + ' || c.reserved || ' is not ' || u.used || ' + ' || u.reserved AS found
      FROM limit_counter c JOIN (
        SELECT t.workspace_id, l.counter, l."window", sum(l.used) AS used, sum(l.reserved) AS reserved
        FROM ledger_transaction t,
          jsonb_to_recordset(t.limits) AS l (counter text, "window" text, used numeric, reserved numeric)
        GROUP BY t.workspace_id, l.counter, l."window"
      ) u ON u.workspace_id = c.workspace_id AND u.counter = c.counter AND u."window" = c."window"
      WHERE c.used <> u.used OR c.reserved <> u.reserved`,
  },
];

/**
 * What explains the money in escrow accounts of a kind, `stream.escrow` for example, or in reserve: the context whose money it is says in
 * SQL what each account must hold, as rows of `workspace_id`, `account_id` and `amount`.
 */
export interface EscrowExplanation {
  kind: `${string}.escrow` | 'settlement.reserve';
  text: string;
}

/** Every escrow account holds what its thing says, and every thing that says so has its account. What holds set aside they explain. */
function escrowCheck(explanations: readonly EscrowExplanation[]): { breaks: string; text: string } {
  const nothing = 'SELECT NULL::uuid AS workspace_id, NULL::uuid AS account_id, NULL::text AS kind, 0::numeric AS amount WHERE false';
  const explained = explanations.map(
    ({ kind, text }) => `SELECT workspace_id, account_id, '${kind}' AS kind, amount::numeric AS amount FROM (${text}) said`,
  );
  return {
    breaks: 'money in escrow differs from what explains it',
    text: `WITH explained AS (${[nothing, ...explained].join(' UNION ALL ')}),
        escrow AS (SELECT workspace_id, id AS account_id, kind, balance FROM ledger_account a WHERE (kind LIKE '%.escrow' OR kind = 'settlement.reserve')
          AND NOT EXISTS (SELECT FROM hold h WHERE h.workspace_id = a.workspace_id AND h.held_account_id = a.id))
      SELECT account_id || ': ' || coalesce(a.balance, 0) || ' is not ' || coalesce(e.amount, 0) AS found
      FROM escrow a FULL JOIN explained e USING (workspace_id, account_id, kind)
      WHERE coalesce(a.balance, 0) <> coalesce(e.amount, 0)`,
  };
}

/** Checks every workspace. Empty when the ledger is right; each break names at most ten places. */
export async function checkLedger(database: Database, explanations: readonly EscrowExplanation[]): Promise<LedgerBreak[]> {
  const all = [...checks, escrowCheck(explanations)].map(
    ({ breaks, text }) => `(SELECT '${breaks}: ' || found AS found FROM (${text}) x LIMIT 10)`,
  );
  // One statement, so that all of it is of one moment.
  const run = async (tx: pg.ClientBase) => (await tx.query<{ found: LedgerBreak }>(all.join(' UNION ALL '))).rows.map(({ found }) => found);
  // It reads the whole ledger, for an operator who waits.
  return inTransaction(database.pool, run, { statementMs: 3_600_000 });
}
