// What pgbench calls: a transfer in one function as one would write it by hand, and the platform's own ledger_post() with one posting.
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

const own = `
CREATE TABLE bench.purse AS
  SELECT row_number() OVER (ORDER BY w.id) AS id, w.id AS wallet, w.account_id AS account, w.workspace_id AS workspace, a.id AS ledger,
    (SELECT k.id FROM api_key k WHERE k.workspace_id = w.workspace_id LIMIT 1) AS api_key
  FROM wallet w JOIN ledger_account a ON a.owner_id = w.id AND a.kind = 'wallet.available';
ALTER TABLE bench.purse ADD PRIMARY KEY (id);
CREATE FUNCTION bench.post(p_from int, p_to int) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := clock_timestamp(); v_id uuid := uuid_at(v_now); f bench.purse; t bench.purse; ids uuid[]; data json;
BEGIN
  SELECT * INTO f FROM bench.purse p WHERE p.id = p_from;
  SELECT * INTO t FROM bench.purse p WHERE p.id = p_to;
  ids := CASE WHEN f.ledger < t.ledger THEN ARRAY[f.ledger, t.ledger] ELSE ARRAY[t.ledger, f.ledger] END;
  data := json_build_object('transfer_id', 'tx_' || v_id, 'type', 'internal', 'status', 'completed', 'amount', '0.01', 'currency', 'USD',
    'from_account_id', 'acc_' || f.account, 'to_account_id', 'acc_' || t.account, 'protocol', 'internal', 'completed_at', v_now);
  IF EXISTS (SELECT FROM ledger_post(
    ids, ARRAY[f.workspace, f.workspace], CASE WHEN ids[1] = f.ledger THEN ARRAY[1, 0] ELSE ARRAY[0, 1] END,
    CASE WHEN ids[1] = f.ledger THEN ARRAY[-1, 1] ELSE ARRAY[1, -1] END, ARRAY[1, 1], ARRAY[v_now, v_now],
    ARRAY[1, 2], ARRAY[1, 1], CASE WHEN ids[1] = f.ledger THEN ARRAY[-1, 1] ELSE ARRAY[1, -1] END,
    CASE WHEN ids[1] = f.ledger THEN ARRAY[-1, 1] ELSE ARRAY[1, -1] END, ARRAY[1, 1], ARRAY[v_now, v_now],
    ARRAY[v_id], ARRAY[f.workspace], ARRAY[v_id], ARRAY[v_now],
    ARRAY[f.workspace], ARRAY[NULL::uuid], ARRAY[NULL::uuid], ARRAY[f.api_key],
    ARRAY[1], ARRAY['internal']::transfer_type[], ARRAY['completed']::transfer_status[], ARRAY[1], ARRAY['USD'],
    ARRAY[f.account], ARRAY[t.account], ARRAY[f.wallet], ARRAY[t.wallet], ARRAY['internal']::protocol[], ARRAY['automatic']::capture_mode[],
    ARRAY['api_key']::initiator_type[], ARRAY[f.api_key], ARRAY[NULL::uuid], ARRAY[v_now], NULL,
    ARRAY[f.workspace, f.workspace], ARRAY[uuid_at(v_now), uuid_at(v_now)], ARRAY['transfer.created', 'transfer.completed'], ARRAY[v_id, v_id],
    ARRAY[NULL::uuid, NULL], ARRAY[v_now, v_now], json_build_array(data, data), NULL, NULL)) THEN
    RAISE EXCEPTION 'refused';
  END IF;
  RETURN v_id;
END $$`;

/** Makes what pgbench calls, for `wallets` wallets that the platform has already. */
export async function makeBaselines(db: pg.Client, wallets: number): Promise<void> {
  await db.query(bare);
  await db.query('INSERT INTO bench.wallet (id, balance) SELECT i, 100000000 FROM generate_series(1, $1) i', [wallets]);
  await db.query(own);
  await db.query('VACUUM ANALYZE');
}
