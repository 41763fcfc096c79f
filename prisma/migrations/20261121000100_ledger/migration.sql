-- The ledger's walls and its one way in. ARCHITECTURE: docs/architecture.md "The ledger".

ALTER TABLE ledger_account ADD CONSTRAINT ledger_account_never_negative CHECK (balance >= 0 OR unbounded);
ALTER TABLE limit_counter ADD CONSTRAINT limit_counter_never_negative CHECK (used >= 0 AND reserved >= 0);
ALTER TABLE hold ADD CONSTRAINT hold_within_amount CHECK (captured_amount BETWEEN 0 AND amount);
ALTER TABLE transfer ADD CONSTRAINT transfer_refund_within_amount CHECK (refunded_amount BETWEEN 0 AND amount);

-- Hot rows change in place: leave room for them on their page.
ALTER TABLE ledger_account SET (fillfactor = 70);
ALTER TABLE limit_counter SET (fillfactor = 70);

CREATE UNIQUE INDEX transfer_reference_key ON transfer (workspace_id, reference) WHERE reference IS NOT NULL;
CREATE INDEX transfer_agent ON transfer (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX hold_incoming ON hold (to_account_id) WHERE status = 'held';
CREATE INDEX hold_open ON hold (held_account_id) WHERE status = 'held';
CREATE INDEX transfer_due ON transfer (due_at) WHERE due_at IS NOT NULL;

-- What was posted is never changed.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% rows are immutable', TG_TABLE_NAME USING ERRCODE = 'AP010';
END $$;
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON ledger_entry FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON ledger_transaction FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER never_truncated BEFORE TRUNCATE ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER never_truncated BEFORE TRUNCATE ON ledger_transaction FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER immutable BEFORE UPDATE ON event FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- The parties and the amount of a transfer never change; nor does a transfer leave a terminal status.
CREATE FUNCTION guard_transfer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.workspace_id, NEW.type, NEW.amount, NEW.currency, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.type, OLD.amount, OLD.currency, OLD.created_at)
     OR (NEW.from_wallet_id, NEW.to_wallet_id, NEW.from_account_id, NEW.to_account_id)
     IS DISTINCT FROM (OLD.from_wallet_id, OLD.to_wallet_id, OLD.from_account_id, OLD.to_account_id) THEN
    RAISE EXCEPTION 'the amount and the parties of a transfer never change' USING ERRCODE = 'AP010';
  END IF;
  IF NEW.status <> OLD.status AND OLD.status IN ('completed', 'failed', 'cancelled') THEN
    RAISE EXCEPTION 'transfer % is %', OLD.id, OLD.status USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard BEFORE UPDATE ON transfer FOR EACH ROW EXECUTE FUNCTION guard_transfer();
CREATE TRIGGER immutable BEFORE DELETE ON transfer FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- The entries of a transaction are inserted by one statement and sum to zero in each currency.
CREATE FUNCTION check_zero_sum() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_transaction uuid;
BEGIN
  SELECT e.transaction_id INTO v_transaction
  FROM inserted e GROUP BY e.transaction_id, e.currency HAVING sum(e.amount) <> 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the entries of ledger transaction % do not sum to zero', v_transaction USING ERRCODE = 'AP011';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER zero_sum AFTER INSERT ON ledger_entry REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION check_zero_sum();

-- Minor units as the decimal string of the wire: at least two digits after the point, at most the currency's scale.
CREATE FUNCTION money_text(minor bigint, currency text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE scale
    WHEN 0 THEN minor::text
    WHEN 2 THEN to_char(minor::numeric / 100, 'FM99999999999999999990.00')
    ELSE to_char(minor::numeric / 1000000, 'FM99999999999999999990.009999')
  END
  FROM (SELECT CASE WHEN currency = 'JPY' THEN 0 WHEN currency IN ('USDC', 'EURC', 'USDT') THEN 6 ELSE 2 END AS scale) s
$$;

-- A UUIDv7 of a point in time, for the few rows that only the database knows of (PostgreSQL 15 has no uuidv7()).
CREATE FUNCTION uuid_at(at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM at) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

-- What stands in the way of a posting: `subject` is the account, spender, counter, key or reference that refuses.
CREATE TYPE ledger_fault AS (kind text, subject text, refusal text, detail jsonb);

-- Posts a set of transactions: all of them, or none and the faults that stood in the way. The caller sends what it can
-- know beforehand flattened: per account the sum of its debits and of all its entries, per entry how far its account has
-- come within the set. An account must cover the sum of its debits (credits of the set are not counted) and a counter the
-- sum of its uses, so that the set is good in any order. Locks: accounts, counters, keys, each in order of id.
CREATE FUNCTION ledger_post(
  a_id uuid[], a_workspace uuid[], a_debit bigint[], a_delta bigint[], a_entries int[], a_at timestamptz[],
  e_account uuid[], e_transaction uuid[], e_amount bigint[], e_delta bigint[], e_number int[], e_at timestamptz[],
  t_id uuid[], t_workspace uuid[], t_transfer uuid[], t_at timestamptz[],
  s_workspace uuid[], s_agent uuid[], s_session uuid[], s_api_key uuid[],
  transfers json,
  n_workspace uuid[], n_id uuid[], n_type text[], n_object uuid[], n_agent uuid[], n_at timestamptz[], n_data json, n_sides jsonb,
  extras jsonb
) RETURNS SETOF ledger_fault LANGUAGE plpgsql
-- Plans once, for any size of set, by index: the plan must not depend on how small the tables were when it was made.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_good int;
  v_crossed boolean;
  v_faulty boolean := false;
BEGIN
  SELECT count(*) FILTER (WHERE a.workspace_id = x.workspace_id
             AND (a.status = 'open' OR a.status = 'blocked' AND x.debit = 0)
             AND (a.unbounded OR a.balance >= x.debit)
             AND a.balance + x.delta BETWEEN -900000000000000000 AND 900000000000000000),
         bool_or(a.balance >= a.low_threshold AND a.balance + x.delta < a.low_threshold)
  INTO v_good, v_crossed
  FROM (SELECT l.id, l.workspace_id, l.status, l.unbounded, l.balance, l.low_threshold
        FROM ledger_account l WHERE l.id = ANY (a_id) ORDER BY l.id FOR NO KEY UPDATE) a
  JOIN unnest(a_id, a_workspace, a_debit, a_delta) AS x(id, workspace_id, debit, delta) USING (id);

  IF v_good <> cardinality(a_id) THEN
    v_faulty := true;
    RETURN QUERY SELECT 'account', x.id::text,
      CASE WHEN a.id IS NULL THEN 'not_found'
           WHEN a.status = 'closed' THEN 'wallet_closed'
           WHEN a.status = 'blocked' AND x.debit > 0 THEN 'wallet_frozen'
           WHEN NOT a.unbounded AND a.balance < x.debit THEN 'insufficient_balance'
           ELSE 'balance_too_large' END,
      jsonb_build_object('owner_id', a.owner_id, 'currency', a.currency, 'available', a.balance::text, 'requested', x.debit::text)
    FROM unnest(a_id, a_workspace, a_debit, a_delta) AS x(id, workspace_id, debit, delta)
    LEFT JOIN ledger_account a ON a.id = x.id AND a.workspace_id = x.workspace_id
    WHERE a.id IS NULL OR NOT ((a.status = 'open' OR a.status = 'blocked' AND x.debit = 0)
      AND (a.unbounded OR a.balance >= x.debit)
      AND a.balance + x.delta BETWEEN -900000000000000000 AND 900000000000000000);
  END IF;

  IF cardinality(s_workspace) > 0 THEN
    RETURN QUERY SELECT 'spender', (s.n - 1)::text, r.refusal, NULL::jsonb
    FROM unnest(s_workspace, s_agent, s_session, s_api_key) WITH ORDINALITY AS s(workspace, agent, session, api_key, n)
    CROSS JOIN LATERAL spender_refusal(s.workspace, s.agent, s.session, s.api_key) AS r(refusal)
    WHERE r.refusal IS NOT NULL;
    v_faulty := v_faulty OR FOUND;
  END IF;

  IF extras IS NOT NULL THEN
    RETURN QUERY SELECT * FROM ledger_extra_faults(extras);
    v_faulty := v_faulty OR FOUND;
  END IF;
  IF v_faulty THEN RETURN; END IF;

  INSERT INTO ledger_transaction (workspace_id, id, transfer_id, created_at)
  SELECT * FROM unnest(t_workspace, t_id, t_transfer, t_at);

  INSERT INTO ledger_entry (workspace_id, account_id, version, transaction_id, currency, amount, balance_after, created_at)
  SELECT a.workspace_id, a.id, a.version + e.number, e.transaction_id, a.currency, e.amount, a.balance + e.delta,
         greatest(a.last_entry_at, e.at)
  FROM unnest(e_account, e_transaction, e_amount, e_delta, e_number, e_at) AS e(account_id, transaction_id, amount, delta, number, at)
  JOIN ledger_account a ON a.id = e.account_id;

  IF v_crossed THEN
    WITH low AS (
      INSERT INTO event (workspace_id, id, type, data, object_id, created_at)
      SELECT a.workspace_id, uuid_at(x.at), 'account.balance.low',
             json_build_object('account_id', 'acc_' || w.account_id, 'wallet_id', 'wal_' || w.id,
               'balance', money_text(a.balance + x.delta, a.currency),
               'threshold', money_text(a.low_threshold, a.currency), 'currency', a.currency),
             w.id, x.at
      FROM unnest(a_id, a_delta, a_at) AS x(id, delta, at)
      JOIN ledger_account a ON a.id = x.id
      JOIN wallet w ON (w.workspace_id, w.id) = (a.workspace_id, a.owner_id)
      WHERE a.balance >= a.low_threshold AND a.balance + x.delta < a.low_threshold
      RETURNING event.workspace_id, event.id
    )
    INSERT INTO outbox (workspace_ids, event_ids) SELECT array_agg(low.workspace_id), array_agg(low.id) FROM low;
  END IF;

  UPDATE ledger_account a
  SET balance = a.balance + x.delta, version = a.version + x.entries, last_entry_at = greatest(a.last_entry_at, x.at)
  FROM unnest(a_id, a_delta, a_entries, a_at) AS x(id, delta, entries, at)
  WHERE a.id = x.id;

  IF transfers IS NOT NULL THEN
    INSERT INTO transfer SELECT * FROM json_populate_recordset(NULL::transfer, transfers);
  END IF;
  IF cardinality(n_id) > 0 THEN
    INSERT INTO event (workspace_id, id, type, object_id, agent_id, created_at, data)
    SELECT * FROM ROWS FROM (unnest(n_workspace, n_id, n_type, n_object, n_agent, n_at), json_array_elements(n_data));
    INSERT INTO outbox (workspace_ids, event_ids, sides) VALUES (n_workspace, n_id, n_sides);
  END IF;
  IF extras IS NOT NULL THEN PERFORM ledger_extras(extras); END IF;
END $$;

-- Faults of what only some postings carry: limits, idempotency keys, references. Locks counters, then keys.
CREATE FUNCTION ledger_extra_faults(extras jsonb) RETURNS SETOF ledger_fault LANGUAGE plpgsql AS $$
BEGIN
  IF extras ? 'limits' THEN
    INSERT INTO limit_counter (workspace_id, counter, "window")
    SELECT l.workspace_id, l.counter, l."window"
    FROM jsonb_to_recordset(extras -> 'limits') AS l(workspace_id uuid, counter text, "window" text)
    ON CONFLICT DO NOTHING;
    RETURN QUERY SELECT 'limit', l.workspace_id || ' ' || l.counter || ' ' || l."window", 'limit_exceeded',
      jsonb_build_object('counter', l.counter, 'window', l."window", 'maximum', l.maximum::text,
        'used', (c.used + c.reserved)::text, 'requested', l.requested::text)
    FROM (SELECT k.* FROM limit_counter k
          WHERE (k.workspace_id, k.counter, k."window") IN (
            SELECT l.workspace_id, l.counter, l."window"
            FROM jsonb_to_recordset(extras -> 'limits') AS l(workspace_id uuid, counter text, "window" text))
          ORDER BY k.workspace_id, k.counter, k."window" FOR NO KEY UPDATE) c
    JOIN jsonb_to_recordset(extras -> 'limits')
      AS l(workspace_id uuid, counter text, "window" text, requested bigint, maximum bigint)
      USING (workspace_id, counter, "window")
    WHERE c.used + c.reserved + l.requested > l.maximum;
  END IF;

  IF extras ? 'claims' THEN
    RETURN QUERY SELECT 'claim', k.id,
      CASE WHEN i.id IS NOT NULL THEN 'idempotency_done' ELSE 'idempotency_in_flight' END, NULL::jsonb
    FROM (SELECT c.id, pg_try_advisory_xact_lock(('x' || substring(c.id FOR 16))::bit(64)::bigint) AS taken
          FROM jsonb_to_recordset(extras -> 'claims') AS c(id text) ORDER BY c.id) k
    LEFT JOIN idempotency_key i ON i.id = decode(k.id, 'hex')
    WHERE NOT k.taken OR i.id IS NOT NULL;
  END IF;

  IF extras ? 'references' THEN
    RETURN QUERY SELECT 'reference', r.workspace_id || ' ' || r.reference, 'reference_taken', NULL::jsonb
    FROM jsonb_to_recordset(extras -> 'references') AS r(workspace_id uuid, reference text)
    JOIN transfer t ON t.workspace_id = r.workspace_id AND t.reference = r.reference;
  END IF;
END $$;

-- Writes what only some postings carry.
CREATE FUNCTION ledger_extras(extras jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF extras ? 'limits' THEN
    UPDATE limit_counter c SET used = c.used + l.used, reserved = c.reserved + l.reserved
    FROM jsonb_to_recordset(extras -> 'limits')
      AS l(workspace_id uuid, counter text, "window" text, used bigint, reserved bigint)
    WHERE (c.workspace_id, c.counter, c."window") = (l.workspace_id, l.counter, l."window");
  END IF;
  IF extras ? 'claims' THEN
    INSERT INTO idempotency_key (id, workspace_id, fingerprint, reference, expires_at)
    SELECT decode(c.id, 'hex'), c.workspace_id, decode(c.fingerprint, 'hex'), c.reference, c.expires_at
    FROM jsonb_to_recordset(extras -> 'claims')
      AS c(id text, workspace_id uuid, fingerprint text, reference text, expires_at timestamptz);
  END IF;
  IF extras ? 'holds' THEN
    INSERT INTO hold (workspace_id, id, transfer_id, from_account_id, held_account_id, to_account_id, currency, amount, limits, created_at)
    SELECT h.* FROM jsonb_to_recordset(extras -> 'holds')
      AS h(workspace_id uuid, id uuid, transfer_id uuid, from_account_id uuid, held_account_id uuid, to_account_id uuid, currency text,
           amount bigint, limits jsonb, created_at timestamptz);
  END IF;
END $$;

-- Posts sets one after the other in one transaction: a set that is refused leaves the others alone. Each element of `sets`
-- holds the arguments of ledger_post(); `n` is its place.
CREATE FUNCTION ledger_post_each(sets jsonb) RETURNS TABLE (n int, kind text, subject text, refusal text, detail jsonb)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  s jsonb;
  i int := 0;
BEGIN
  FOR s IN SELECT x FROM jsonb_array_elements(sets) x LOOP
    RETURN QUERY SELECT i, f.* FROM ledger_post(
      (s ->> 0)::uuid[], (s ->> 1)::uuid[], (s ->> 2)::bigint[], (s ->> 3)::bigint[], (s ->> 4)::int[], (s ->> 5)::timestamptz[],
      (s ->> 6)::uuid[], (s ->> 7)::uuid[], (s ->> 8)::bigint[], (s ->> 9)::bigint[], (s ->> 10)::int[], (s ->> 11)::timestamptz[],
      (s ->> 12)::uuid[], (s ->> 13)::uuid[], (s ->> 14)::uuid[], (s ->> 15)::timestamptz[],
      (s ->> 16)::uuid[], (s ->> 17)::uuid[], (s ->> 18)::uuid[], (s ->> 19)::uuid[],
      (s ->> 20)::json,
      (s ->> 21)::uuid[], (s ->> 22)::uuid[], (s ->> 23)::text[], (s ->> 24)::uuid[], (s ->> 25)::uuid[], (s ->> 26)::timestamptz[],
      (s ->> 27)::json, (s ->> 28)::jsonb, (s ->> 29)::jsonb) f;
    i := i + 1;
  END LOOP;
END $$;

-- What an account's balance was at a point in time. Entries of an account are numbered without a hole and their times never
-- go back, so the last one not after `at` is found by halving.
CREATE FUNCTION ledger_balance_at(account uuid, at timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  low bigint := 0;
  high bigint;
  middle bigint;
  moment timestamptz;
BEGIN
  SELECT a.version INTO high FROM ledger_account a WHERE a.id = account;
  WHILE low < high LOOP
    middle := (low + high + 1) / 2;
    SELECT e.created_at INTO moment FROM ledger_entry e WHERE e.account_id = account AND e.version = middle;
    IF moment <= at THEN low := middle; ELSE high := middle - 1; END IF;
  END LOOP;
  IF low = 0 THEN RETURN 0; END IF;
  RETURN (SELECT e.balance_after FROM ledger_entry e WHERE e.account_id = account AND e.version = low);
END $$;
