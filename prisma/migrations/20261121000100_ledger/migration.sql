-- The ledger's walls and its one way in. ARCHITECTURE: docs/architecture.md "The ledger".

ALTER TABLE ledger_account ADD CONSTRAINT ledger_account_never_negative CHECK (balance >= 0 OR unbounded);
ALTER TABLE limit_counter ADD CONSTRAINT limit_counter_never_negative CHECK (used >= 0 AND reserved >= 0);
ALTER TABLE hold ADD CONSTRAINT hold_within_amount CHECK (captured_amount BETWEEN 0 AND amount);
ALTER TABLE transfer ADD CONSTRAINT transfer_refund_within_amount CHECK (refunded_amount BETWEEN 0 AND amount);

-- Hot rows change in place: leave room for them on their page.
ALTER TABLE ledger_account SET (fillfactor = 70);
ALTER TABLE limit_counter SET (fillfactor = 70);

-- A transfer's first transaction has its id; here are those that follow.
CREATE INDEX ledger_transaction_further ON ledger_transaction (workspace_id, transfer_id) WHERE transfer_id <> id;
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
--
-- a: accounts in order of id. e: entries, which name their account and transaction by place. t: transactions. s: spenders.
-- x: transfers, which name their transaction by place, and in x_rest what few of them have. n: events.
CREATE FUNCTION ledger_post(
  a_id uuid[], a_workspace uuid[], a_debit bigint[], a_delta bigint[], a_entries int[], a_at timestamptz[],
  e_account int[], e_transaction int[], e_amount bigint[], e_delta bigint[], e_number int[], e_at timestamptz[],
  t_id uuid[], t_workspace uuid[], t_transfer uuid[], t_at timestamptz[],
  s_workspace uuid[], s_agent uuid[], s_session uuid[], s_api_key uuid[],
  x_transaction int[], x_type transfer_type[], x_status transfer_status[], x_amount bigint[], x_currency text[],
  x_from_account uuid[], x_to_account uuid[], x_from_wallet uuid[], x_to_wallet uuid[], x_protocol protocol[], x_capture capture_mode[],
  x_initiator initiator_type[], x_initiated_by uuid[], x_agent uuid[], x_completed timestamptz[], x_rest jsonb,
  n_workspace uuid[], n_id uuid[], n_type text[], n_object uuid[], n_agent uuid[], n_at timestamptz[], n_data json, n_sides jsonb,
  extras jsonb
) RETURNS SETOF ledger_fault LANGUAGE plpgsql
-- Plans once, for any size of set, by index: the plan must not depend on how small the tables were when it was made.
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_good int;
  v_crossed boolean;
  v_balance bigint[];
  v_version bigint[];
  v_currency text[];
  v_last timestamptz[];
  v_faulty boolean := false;
BEGIN
  -- Rows come in order of id, as the accounts of the set do: a row at another place than its id says is not a good one.
  SELECT count(*) FILTER (WHERE a.id = a_id[a.place] AND a.workspace_id = a_workspace[a.place]
             AND (a.status = 'open' OR a.status = 'blocked' AND a_debit[a.place] = 0)
             AND (a.unbounded OR a.balance >= a_debit[a.place])
             AND a.balance + a_delta[a.place] BETWEEN -900000000000000000 AND 900000000000000000),
         bool_or(a.balance >= a.low_threshold AND a.balance + a_delta[a.place] < a.low_threshold),
         array_agg(a.balance), array_agg(a.version), array_agg(a.currency), array_agg(a.last_entry_at)
  INTO v_good, v_crossed, v_balance, v_version, v_currency, v_last
  FROM (SELECT locked.*, row_number() OVER () AS place
        FROM (SELECT l.id, l.workspace_id, l.status, l.unbounded, l.balance, l.low_threshold, l.version, l.currency, l.last_entry_at
              FROM ledger_account l WHERE l.id = ANY (a_id) ORDER BY l.id FOR NO KEY UPDATE) locked) a;

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
    -- An account that was committed while this waited for locks is there now, and was not locked: no faults would say "posted".
    IF NOT FOUND THEN RAISE EXCEPTION 'an account of the set has just appeared' USING ERRCODE = 'serialization_failure'; END IF;
  END IF;

  IF cardinality(s_workspace) > 0 THEN
    RETURN QUERY SELECT 'spender', (s.n - 1)::text, s.refusal, NULL::jsonb
    FROM (SELECT n, spender_refusal(s_workspace[n], s_agent[n], s_session[n], s_api_key[n]) AS refusal
          FROM generate_series(1, cardinality(s_workspace)) n OFFSET 0) s
    WHERE s.refusal IS NOT NULL;
    v_faulty := v_faulty OR FOUND;
  END IF;

  IF extras IS NOT NULL THEN
    RETURN QUERY SELECT * FROM ledger_extra_faults(extras);
    v_faulty := v_faulty OR FOUND;
  END IF;
  IF v_faulty THEN RETURN; END IF;

  INSERT INTO ledger_transaction (workspace_id, id, transfer_id, created_at)
  SELECT t_workspace[n], t_id[n], t_transfer[n], t_at[n] FROM generate_series(1, cardinality(t_id)) n;

  INSERT INTO ledger_entry (workspace_id, account_id, version, transaction_id, currency, amount, balance_after, created_at)
  SELECT a_workspace[e.a], a_id[e.a], v_version[e.a] + e_number[e.n], t_id[e_transaction[e.n]], v_currency[e.a], e_amount[e.n],
         v_balance[e.a] + e_delta[e.n], greatest(v_last[e.a], e_at[e.n])
  FROM (SELECT n, e_account[n] AS a FROM generate_series(1, cardinality(e_account)) n) e;

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
  SET balance = v_balance[n] + a_delta[n], version = v_version[n] + a_entries[n], last_entry_at = greatest(v_last[n], a_at[n])
  FROM generate_series(1, cardinality(a_id)) n
  WHERE a.id = a_id[n];

  IF cardinality(x_transaction) > 0 THEN
    INSERT INTO transfer (
      workspace_id, id, type, status, amount, currency, from_account_id, to_account_id, from_wallet_id, to_wallet_id, protocol, capture,
      initiated_by_type, initiated_by_id, agent_id, created_at, updated_at, completed_at,
      description, reference, metadata, hold_id, captured_amount, hold_expires_at, due_at)
    SELECT t_workspace[x.t], t_transfer[x.t], x_type[x.n], x_status[x.n], x_amount[x.n], x_currency[x.n], x_from_account[x.n],
           x_to_account[x.n], x_from_wallet[x.n], x_to_wallet[x.n], x_protocol[x.n], x_capture[x.n], x_initiator[x.n],
           x_initiated_by[x.n], x_agent[x.n], t_at[x.t], t_at[x.t], x_completed[x.n],
           x.rest ->> 'description', x.rest ->> 'reference', coalesce(x.rest -> 'metadata', '{}'), (x.rest ->> 'hold_id')::uuid,
           (x.rest ->> 'captured_amount')::bigint, (x.rest ->> 'hold_expires_at')::timestamptz, (x.rest ->> 'due_at')::timestamptz
    FROM (SELECT n, x_transaction[n] AS t, x_rest -> (n - 1) AS rest FROM generate_series(1, cardinality(x_transaction)) n) x;
  END IF;
  IF cardinality(n_id) > 0 THEN
    INSERT INTO event (workspace_id, id, type, object_id, agent_id, created_at, data)
    SELECT n_workspace[d.n], n_id[d.n], n_type[d.n], n_object[d.n], n_agent[d.n], n_at[d.n], d.value
    FROM json_array_elements(n_data) WITH ORDINALITY AS d(value, n);
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
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
  s jsonb;
  i int := 0;
BEGIN
  -- Locks are kept from set to set: taken all at once they are in order of id, or two of these calls would wait for each other.
  PERFORM FROM ledger_account l
  WHERE l.id = ANY (ARRAY(SELECT unnest((x ->> 0)::uuid[]) FROM jsonb_array_elements(sets) x)) ORDER BY l.id FOR NO KEY UPDATE;
  FOR s IN SELECT x FROM jsonb_array_elements(sets) x LOOP
    RETURN QUERY SELECT i, f.* FROM ledger_post(
      (s ->> 0)::uuid[], (s ->> 1)::uuid[], (s ->> 2)::bigint[], (s ->> 3)::bigint[], (s ->> 4)::int[],
      (s ->> 5)::timestamptz[], (s ->> 6)::int[], (s ->> 7)::int[], (s ->> 8)::bigint[], (s ->> 9)::bigint[],
      (s ->> 10)::int[], (s ->> 11)::timestamptz[], (s ->> 12)::uuid[], (s ->> 13)::uuid[], (s ->> 14)::uuid[],
      (s ->> 15)::timestamptz[], (s ->> 16)::uuid[], (s ->> 17)::uuid[], (s ->> 18)::uuid[], (s ->> 19)::uuid[],
      (s ->> 20)::int[], (s ->> 21)::transfer_type[], (s ->> 22)::transfer_status[], (s ->> 23)::bigint[], (s ->> 24)::text[],
      (s ->> 25)::uuid[], (s ->> 26)::uuid[], (s ->> 27)::uuid[], (s ->> 28)::uuid[], (s ->> 29)::protocol[],
      (s ->> 30)::capture_mode[], (s ->> 31)::initiator_type[], (s ->> 32)::uuid[], (s ->> 33)::uuid[],
      (s ->> 34)::timestamptz[], (s ->> 35)::jsonb, (s ->> 36)::uuid[], (s ->> 37)::uuid[], (s ->> 38)::text[],
      (s ->> 39)::uuid[], (s ->> 40)::uuid[], (s ->> 41)::timestamptz[], (s ->> 42)::json, (s ->> 43)::jsonb,
      (s ->> 44)::jsonb) f;
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
