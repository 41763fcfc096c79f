// What pgbench calls: a transfer in one function, bare (fewer indexes, no event but one, no checks but the balance), and the same by hand
// on the platform's tables.
import type pg from 'pg';

const bare = `
CREATE SCHEMA bench;
CREATE TABLE bench.wallet (id int PRIMARY KEY, account_id uuid NOT NULL DEFAULT gen_random_uuid(), currency text NOT NULL DEFAULT 'USD',
  balance bigint NOT NULL CHECK (balance >= 0), updated_at timestamptz NOT NULL DEFAULT now()) WITH (fillfactor = 70);
CREATE TABLE bench.transfer (id uuid PRIMARY KEY, from_wallet int NOT NULL, to_wallet int NOT NULL, amount bigint NOT NULL,
  currency text NOT NULL, status text NOT NULL, created_at timestamptz NOT NULL);
CREATE TABLE bench.entry (id bigserial PRIMARY KEY, transfer_id uuid NOT NULL REFERENCES bench.transfer, wallet int NOT NULL,
  amount bigint NOT NULL, balance_after bigint NOT NULL, created_at timestamptz NOT NULL);
CREATE TABLE bench.outbox (id bigserial PRIMARY KEY, type text NOT NULL, data jsonb NOT NULL, created_at timestamptz NOT NULL);
CREATE FUNCTION bench.pay(p_from int, p_to int, p_amount bigint) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  v_id uuid := gen_random_uuid(); v_now timestamptz := clock_timestamp(); w bench.wallet; payer bench.wallet; payee bench.wallet;
BEGIN
  FOR w IN SELECT * FROM bench.wallet x WHERE x.id IN (p_from, p_to) ORDER BY x.id FOR NO KEY UPDATE LOOP
    IF w.id = p_from THEN payer := w; ELSE payee := w; END IF;
  END LOOP;
  IF payer.balance < p_amount THEN RAISE EXCEPTION 'insufficient'; END IF;
  UPDATE bench.wallet SET balance = balance - p_amount, updated_at = v_now WHERE id = p_from;
  UPDATE bench.wallet SET balance = balance + p_amount, updated_at = v_now WHERE id = p_to;
  INSERT INTO bench.transfer VALUES (v_id, p_from, p_to, p_amount, payer.currency, 'completed', v_now);
  INSERT INTO bench.entry (transfer_id, wallet, amount, balance_after, created_at)
  VALUES (v_id, p_from, -p_amount, payer.balance - p_amount, v_now), (v_id, p_to, p_amount, payee.balance + p_amount, v_now);
  INSERT INTO bench.outbox (type, data, created_at) VALUES ('transfer.completed', jsonb_build_object('transfer_id', v_id, 'status', 'completed',
    'amount', p_amount::text, 'currency', payer.currency, 'from', payer.account_id, 'to', payee.account_id, 'completed_at', v_now), v_now);
  RETURN v_id;
END $$;`;

// The rows that ledger_post() writes for a transfer, into the platform's own tables, with its locks and its checks, for one transfer only.
const own = `
CREATE TABLE bench.purse AS
  SELECT row_number() OVER (ORDER BY w.id) AS id, w.id AS wallet, w.account_id AS account, w.workspace_id AS workspace, a.id AS ledger,
    (SELECT k.id FROM api_key k WHERE k.workspace_id = w.workspace_id LIMIT 1) AS api_key
  FROM wallet w JOIN ledger_account a ON a.workspace_id = w.workspace_id AND a.owner_id = w.id AND a.kind = 'wallet.available';
ALTER TABLE bench.purse ADD PRIMARY KEY (id);
CREATE FUNCTION bench.post(p_from int, p_to int, p_amount bigint) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := clock_timestamp(); v_id uuid := uuid_at(v_now); v_created uuid := uuid_at(v_now); v_completed uuid := uuid_at(v_now);
  f bench.purse; t bench.purse; l ledger_account; payer ledger_account; payee ledger_account; data json;
BEGIN
  SELECT * INTO f FROM bench.purse p WHERE p.id = p_from;
  SELECT * INTO t FROM bench.purse p WHERE p.id = p_to;
  FOR l IN SELECT * FROM ledger_account a WHERE a.workspace_id = f.workspace AND a.id IN (f.ledger, t.ledger) ORDER BY a.id FOR NO KEY UPDATE LOOP
    IF l.id = f.ledger THEN payer := l; ELSE payee := l; END IF;
  END LOOP;
  IF payer.status <> 'open' OR payee.status = 'closed' OR payer.balance < p_amount OR payer.workspace_id <> payee.workspace_id THEN
    RAISE EXCEPTION 'refused';
  END IF;
  IF guard_api_key(f.workspace, f.api_key) IS NOT NULL THEN RAISE EXCEPTION 'refused'; END IF;
  INSERT INTO ledger_entry (workspace_id, account_id, version, transaction_id, currency, amount, balance_after, created_at)
  VALUES (f.workspace, f.ledger, payer.version + 1, v_id, payer.currency, -p_amount, payer.balance - p_amount, v_now),
         (f.workspace, t.ledger, payee.version + 1, v_id, payee.currency, p_amount, payee.balance + p_amount, v_now);
  UPDATE ledger_account SET balance = balance - p_amount, version = version + 1, last_entry_at = v_now WHERE workspace_id = f.workspace AND id = f.ledger;
  UPDATE ledger_account SET balance = balance + p_amount, version = version + 1, last_entry_at = v_now WHERE workspace_id = f.workspace AND id = t.ledger;
  INSERT INTO transfer (workspace_id, id, type, status, amount, currency, from_account_id, to_account_id, from_wallet_id, to_wallet_id,
    protocol, capture, initiated_by_type, initiated_by_id, created_at, updated_at, completed_at)
  VALUES (f.workspace, v_id, 'internal', 'completed', p_amount, payer.currency, f.account, t.account, f.wallet, t.wallet,
    'internal', 'automatic', 'api_key', f.api_key, v_now, v_now, v_now);
  data := json_build_object('transfer_id', 'tx_' || v_id, 'type', 'internal', 'status', 'completed',
    'amount', money_text(p_amount, payer.currency), 'currency', payer.currency, 'from_account_id', 'acc_' || f.account,
    'to_account_id', 'acc_' || t.account, 'protocol', 'internal', 'completed_at', v_now);
  INSERT INTO event (workspace_id, id, type, data, data_of, object_id, created_at)
  VALUES (f.workspace, least(v_created, v_completed), 'transfer.created', NULL, greatest(v_created, v_completed), v_id, v_now),
    (f.workspace, greatest(v_created, v_completed), 'transfer.completed', data, NULL, v_id, v_now);
  INSERT INTO outbox (workspace_id, event_ids) VALUES (f.workspace, ARRAY[v_created, v_completed]);
  INSERT INTO operation (workspace_id, id, at, category, operation, protocol, success, amount, currency, amount_usd, actor_type, actor_id,
    account_id, counterparty_id, subject_id)
  VALUES (f.workspace, uuid_at(v_now), v_now, 'transfer', 'transfer.internal', 'internal', true, p_amount, payer.currency, p_amount * 10000,
    'api_key', f.api_key, f.account, t.account, v_id);
  RETURN v_id;
END $$`;

/** Makes what pgbench calls, for `wallets` wallets that the platform has already. */
export async function makeBaselines(db: pg.Client, wallets: number): Promise<void> {
  await db.query(bare);
  await db.query('INSERT INTO bench.wallet (id, balance) SELECT i, 100000000 FROM generate_series(1, $1) i', [wallets]);
  await db.query(own);
  await db.query('VACUUM ANALYZE');
}
