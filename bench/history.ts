// A long past, written straight into the tables: a million transfers between the wallets that a workspace has, with ledger rows that
// are as right as those of ledger_post() (`cli ledger check` passes), holds that were captured, and an event for each transfer.
import type pg from 'pg';

export interface Past {
  workspaceId: string;
  /** Transfers between wallets; each wallet is funded first. */
  transfers: number;
  /** When the first one happened, and milliseconds from one to the next. */
  from: Date;
  everyMs: number;
}

/** A UUIDv7 of a millisecond `ms`; `n` keeps apart what happens within one. */
const uuidOf = (ms: string, n: string, kind: number) =>
  `(lpad(to_hex(${ms}), 12, '0') || '7' || lpad(to_hex((${n}) % 4096), 3, '0') || '8' || substr(md5(${n} || '-${kind}'), 1, 15))::uuid`;

/**
 * Who pays whom: wallets in USD by number, each funded once, then in turn. Every 20th transfer was held and captured a minute later,
 * every 100th failed, and one wallet is the payee of every tenth.
 */
const plan = ({ from, everyMs, transfers }: Past) => `
CREATE TEMP TABLE purse AS
  SELECT row_number() OVER (ORDER BY w.id) - 1 AS number, w.workspace_id, w.id AS wallet, w.account_id AS account, w.agent_id AS agent,
    a.id AS available, h.id AS held
  FROM wallet w
  JOIN ledger_account a ON a.workspace_id = w.workspace_id AND a.owner_id = w.id AND a.kind = 'wallet.available'
  JOIN ledger_account h ON h.workspace_id = w.workspace_id AND h.owner_id = w.id AND h.kind = 'wallet.held'
  WHERE w.workspace_id = $1 AND w.currency = 'USD' AND a.version = 0;
ALTER TABLE purse ADD PRIMARY KEY (number);
INSERT INTO ledger_account (workspace_id, id, owner_id, kind, currency, unbounded)
  SELECT $1, gen_random_uuid(), $1, 'world', 'USD', true ON CONFLICT DO NOTHING;
CREATE TEMP TABLE move AS
  WITH size AS (SELECT count(*) AS wallets FROM purse), rows AS (
    SELECT n, ${from.getTime()}::bigint + n * ${everyMs} AS ms, wallets, n <= wallets AS funds,
      CASE WHEN n <= wallets THEN n - 1 ELSE (n * 7919) % wallets END AS payer_number
    FROM size, generate_series(1, ${transfers} + (SELECT wallets FROM size)) n
  )
  SELECT r.n, to_timestamp(r.ms / 1000.0)::timestamptz(3) AS at, ${uuidOf('r.ms', 'r.n', 0)} AS id, ${uuidOf('r.ms', 'r.n', 1)} AS hold,
    ${uuidOf('r.ms', 'r.n', 2)} AS event, ${uuidOf('r.ms + 60000', 'r.n', 3)} AS capture,
    r.funds, NOT r.funds AND r.n % 100 = 0 AS failed, NOT r.funds AND r.n % 100 <> 0 AND r.n % 20 = 0 AS was_held,
    CASE WHEN r.funds THEN 1000000000 ELSE 1 + r.n % 1000 END::bigint AS amount,
    r.payer_number, CASE WHEN r.n % 10 = 0 AND r.payer_number <> 0 THEN 0
      ELSE (r.payer_number + 1 + (r.n * 31) % (r.wallets - 1)) % r.wallets END AS payee_number
  FROM rows r;`;

const leg = (at: string, account: string, transaction: string, amount: string, where: string) =>
  `SELECT n, ${at} AS at, ${account} AS account, ${transaction} AS transaction, ${amount} AS amount FROM sided WHERE ${where}`;

/** Entries in the order of their times, numbered and with running totals by account. */
const entries = `
CREATE TEMP TABLE sided AS
  SELECT m.*, p.available AS payer, p.held AS payer_held, q.available AS payee, p.wallet AS payer_wallet, q.wallet AS payee_wallet,
    p.account AS payer_account, q.account AS payee_account, p.agent AS payer_agent,
    (SELECT id FROM ledger_account WHERE workspace_id = $1 AND kind = 'world' AND currency = 'USD') AS world
  FROM move m JOIN purse p ON p.number = m.payer_number JOIN purse q ON q.number = m.payee_number;
INSERT INTO ledger_transaction (workspace_id, id, transfer_id, created_at)
  SELECT $1, capture, id, at + interval '1 minute' FROM sided WHERE was_held;
INSERT INTO ledger_entry (workspace_id, account_id, version, transaction_id, currency, amount, balance_after, created_at)
  SELECT $1, account, row_number() OVER by_account, transaction, 'USD', amount, sum(amount) OVER by_account, at
  FROM (
    ${leg('at', 'world', 'id', '-amount', 'funds')} UNION ALL ${leg('at', 'payer', 'id', 'amount', 'funds')}
    UNION ALL ${leg('at', 'payer', 'id', '-amount', 'NOT funds AND NOT failed')}
    UNION ALL ${leg('at', 'payee', 'id', 'amount', 'NOT funds AND NOT failed AND NOT was_held')}
    UNION ALL ${leg('at', 'payer_held', 'id', 'amount', 'was_held')}
    UNION ALL ${leg("at + interval '1 minute'", 'payer_held', 'capture', '-amount', 'was_held')}
    UNION ALL ${leg("at + interval '1 minute'", 'payee', 'capture', 'amount', 'was_held')}
  ) legs
  WINDOW by_account AS (PARTITION BY account ORDER BY at, n ROWS UNBOUNDED PRECEDING);
UPDATE ledger_account a SET balance = e.balance, version = e.version, last_entry_at = e.at
  FROM (SELECT account_id, sum(amount) AS balance, max(version) AS version, max(created_at) AS at FROM ledger_entry
        WHERE workspace_id = $1 GROUP BY account_id) e WHERE a.workspace_id = $1 AND a.id = e.account_id;`;

const records = `
INSERT INTO transfer (workspace_id, id, type, status, amount, currency, from_account_id, to_account_id, from_wallet_id, to_wallet_id, protocol,
    capture, hold_id, captured_amount, hold_expires_at, initiated_by_type, initiated_by_id, agent_id, failure_code, failure_message,
    is_spend, created_at, updated_at, completed_at)
  SELECT $1, id, 'internal', CASE WHEN failed THEN 'failed' ELSE 'completed' END::transfer_status, amount, 'USD',
    CASE WHEN NOT funds THEN payer_account END, CASE WHEN funds THEN payer_account ELSE payee_account END,
    CASE WHEN NOT funds THEN payer_wallet END, CASE WHEN funds THEN payer_wallet ELSE payee_wallet END, 'internal',
    CASE WHEN was_held THEN 'manual' ELSE 'automatic' END::capture_mode, CASE WHEN was_held THEN hold END,
    CASE WHEN was_held THEN amount END, CASE WHEN was_held THEN at + interval '1 day' END, 'api_key', $1,
    CASE WHEN NOT funds THEN payer_agent END, CASE WHEN failed THEN 'insufficient_balance' END, CASE WHEN failed THEN 'No money.' END,
    NOT funds, at, at, CASE WHEN NOT failed THEN at END
  FROM sided;
INSERT INTO hold (workspace_id, id, transfer_id, from_account_id, held_account_id, to_account_id, currency, amount, captured_amount, status,
    created_at, resolved_at)
  SELECT $1, hold, id, payer, payer_held, payee, 'USD', amount, amount, 'captured', at, at + interval '1 minute' FROM sided WHERE was_held;`;

const events = `
INSERT INTO event (workspace_id, id, type, data, object_id, agent_id, created_at)
  SELECT $1, event, 'transfer.completed', '{}', id, CASE WHEN NOT funds THEN payer_agent END, at FROM sided WHERE NOT failed;`;

/** Writes the past of the wallets in USD that were never used, at least two; vacuums the tables, so that plans know them. */
export async function writePast(db: pg.ClientBase, past: Past, { withEvents = false } = {}): Promise<void> {
  const say = async (sql: string) => {
    // A statement with parameters stands alone.
    for (const statement of sql.split(';\n').filter((text) => text.trim() !== ''))
      await db.query(statement.replaceAll('$1', `'${past.workspaceId}'::uuid`));
  };
  // What a trigger would check of each row, the ledger check proves of all.
  await db.query('SET session_replication_role = replica');
  await say(plan(past));
  await say(entries);
  await say(records);
  if (withEvents) await say(events);
  await db.query('SET session_replication_role = DEFAULT');
  await db.query('DROP TABLE purse, move, sided');
  for (const table of ['ledger_account', 'ledger_transaction', 'ledger_entry', 'transfer', 'hold', 'event'])
    await db.query(`VACUUM (ANALYZE) ${table}`);
}
