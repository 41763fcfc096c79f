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
CREATE INDEX transfer_reference ON transfer (workspace_id, reference) WHERE reference IS NOT NULL;
CREATE INDEX transfer_agent ON transfer (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
-- The rare ones among the transfers of a workspace; the list inlines these words.
CREATE INDEX transfer_status ON transfer (workspace_id, status, id) WHERE status <> 'completed';
CREATE INDEX transfer_type ON transfer (workspace_id, type, id) WHERE type <> 'internal';
CREATE INDEX transfer_protocol ON transfer (workspace_id, protocol, id) WHERE protocol <> 'internal';
-- What keeps a wallet from being closed.
CREATE INDEX transfer_open_from ON transfer (workspace_id, from_wallet_id) WHERE status IN ('pending', 'processing');
CREATE INDEX transfer_open_to ON transfer (workspace_id, to_wallet_id) WHERE status IN ('pending', 'processing');
-- What was pending for a payee at a point in time: holds that were resolved later.
CREATE INDEX hold_resolved ON hold (workspace_id, to_account_id, resolved_at) INCLUDE (created_at, amount) WHERE resolved_at IS NOT NULL;
CREATE INDEX hold_incoming ON hold (workspace_id, to_account_id) WHERE status = 'held';
CREATE INDEX hold_open ON hold (workspace_id, held_account_id) WHERE status = 'held';
CREATE INDEX transfer_due ON transfer (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX transfer_due_workspace ON transfer (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX transfer_leased ON transfer (workspace_id) WHERE lease_until IS NOT NULL;
-- What is swept, over all workspaces.
CREATE INDEX claim_expiry ON claim (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX hold_old ON hold (resolved_at) WHERE resolved_at IS NOT NULL;
CREATE INDEX limit_counter_over ON limit_counter ("window" COLLATE "C") WHERE "window" COLLATE "C" < 'A';

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

-- A hold is resolved once, and what it holds never changes.
CREATE FUNCTION guard_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> 'held'
     OR (NEW.transfer_id, NEW.from_account_id, NEW.held_account_id, NEW.currency, NEW.amount, NEW.created_at)
     IS DISTINCT FROM (OLD.transfer_id, OLD.from_account_id, OLD.held_account_id, OLD.currency, OLD.amount, OLD.created_at) THEN
    RAISE EXCEPTION 'hold % is %, and what it holds never changes', OLD.id, OLD.status USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard BEFORE UPDATE ON hold FOR EACH ROW EXECUTE FUNCTION guard_hold();

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

-- What stands in the way of a posting. `subject` begins with the workspace and names the account, guard, limit or claim that
-- refuses; `detail` has the numbers.
CREATE TYPE ledger_fault AS (kind text, subject text, refusal text, detail jsonb);

-- A set of postings, as ledger_post() takes it: arrays that stand beside each other, one group of them for each concept. The caller
-- sends an object with members of these names (src/ledger/posting-set.ts); this is the one place that says their types.
CREATE TYPE ledger_set AS (
  -- Accounts in order of workspace and id: the sum of their debits, the sum of all their entries, whether an entry that is not a
  -- return of held money raises the balance, the number of entries, and the time of the last one.
  account_workspace uuid[], account_id uuid[], account_debit bigint[], account_delta bigint[], account_grows boolean[],
  account_entries int[], account_at timestamptz[],
  -- Entries, which name their account and their transaction by index: with the running total of their account within the set, and
  -- their number within it.
  entry_account int[], entry_transaction int[], entry_amount bigint[], entry_total bigint[], entry_number int[], entry_at timestamptz[],
  transaction_workspace uuid[], transaction_id uuid[], transaction_transfer uuid[], transaction_at timestamptz[],
  -- By transaction: the uses of limits that it makes, or null, and the range of its uses in the lists below.
  transaction_limits jsonb, transaction_first_use int[], transaction_last_use int[],
  -- Uses of limits in order of their transactions: the index of the limit, and its running total within the set before the use.
  use_limit int[], use_total bigint[],
  guard_workspace uuid[], guard_kind text[], guard_id uuid[], guard_at timestamptz[],
  -- Limits in order of workspace, counter and window. Numeric, for what is asked for may be more than a bigint holds. Without a
  -- maximum nothing is checked. Marks are amounts (a bigint[] as text): passing one upwards is recorded.
  limit_workspace uuid[], limit_counter text[], limit_window text[], limit_used numeric[], limit_reserved numeric[], limit_maximum numeric[],
  limit_marks text[], limit_at timestamptz[],
  -- Claims in order of workspace, kind and key.
  claim_workspace uuid[], claim_kind text[], claim_key text[], claim_reference text[], claim_fingerprint text[], claim_expires_at timestamptz[]
);

-- Why an account does not take its entries of a set, or null. An account must cover the sum of its debits: credits of the set are
-- not counted, so that any order of the postings is good. No balance grows beyond 9 * 10^17 minor units (or falls below that); money
-- that was held always returns, for which bigint leaves room. (Gap G-11)
CREATE FUNCTION account_refusal(
  status ledger_account_status, unbounded boolean, balance bigint, debit bigint, delta bigint, grows boolean
) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN status = 'closed' THEN 'wallet_closed'
    WHEN status = 'blocked' AND debit > 0 THEN 'wallet_frozen'
    WHEN NOT unbounded AND balance < debit THEN 'insufficient_balance'
    WHEN grows AND delta > 900000000000000000 - balance OR debit > 0 AND delta < -900000000000000000 - balance THEN 'balance_too_large'
  END
$$;

-- A row of the defaults of a table, on which rows that come by name are built: a member that is left out has its default. Only
-- constant defaults count; a column with another one (a sequence, a time) has to be given.
-- Declared immutable, so that the planner asks once for each plan. A plan that inserts into a table is made again when the table is
-- altered, so a new column or default is seen at once.
CREATE FUNCTION record_base(kind anyelement) RETURNS anyelement LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_defaults text;
  v_row jsonb;
BEGIN
  SELECT string_agg(format('%L, %s', a.attname, pg_get_expr(d.adbin, d.adrelid)), ', ') INTO v_defaults
  FROM pg_type t
  JOIN pg_attrdef d ON d.adrelid = t.typrelid
  JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
  WHERE t.oid = pg_typeof(kind) AND pg_get_expr(d.adbin, d.adrelid) !~ '\(|CURRENT_';
  EXECUTE format('SELECT jsonb_build_object(%s)', v_defaults) INTO v_row;
  RETURN jsonb_populate_record(kind, v_row);
END $$;

-- Rows of the outbox come by name, and their number is no constant default.
CREATE FUNCTION number_outbox_line() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.id := nextval('outbox_id_seq');
  RETURN NEW;
END $$;
CREATE TRIGGER number_line BEFORE INSERT ON outbox FOR EACH ROW WHEN (NEW.id IS NULL) EXECUTE FUNCTION number_outbox_line();

-- Posts a set of postings: all of them, or none and every fault that stood in the way. Rows that are recorded with them come by
-- table, as lists of objects whose members are columns. Locks: accounts, counters, claims, each in order.
CREATE FUNCTION ledger_post(
  s ledger_set, transfer_rows json, hold_rows json, event_rows json, outbox_rows json, decision_rows json, approval_rows json,
  operation_rows json
)
RETURNS SETOF ledger_fault LANGUAGE plpgsql
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
  v_before bigint[];
  v_exceeded boolean;
  v_passed boolean;
  v_faulty boolean := false;
BEGIN
  SELECT count(*) FILTER (WHERE account_refusal(a.status, a.unbounded, a.balance, a.debit, a.delta, a.grows) IS NULL),
         bool_or(a.balance >= a.low_threshold AND a.balance + a.delta < a.low_threshold),
         array_agg(a.balance), array_agg(a.version), array_agg(a.currency), array_agg(a.last_entry_at)
  INTO v_good, v_crossed, v_balance, v_version, v_currency, v_last
  FROM (SELECT l.status, l.unbounded, l.balance, l.low_threshold, l.version, l.currency, l.last_entry_at,
               s.account_debit[x.index] AS debit, s.account_delta[x.index] AS delta, s.account_grows[x.index] AS grows
        FROM unnest(s.account_id) WITH ORDINALITY AS x (id, index)
        JOIN ledger_account l ON l.workspace_id = s.account_workspace[x.index] AND l.id = x.id
        ORDER BY x.index FOR NO KEY UPDATE OF l) a;

  IF v_good <> cardinality(s.account_id) THEN
    v_faulty := true;
    RETURN QUERY SELECT 'account', f.workspace_id || ' ' || f.id, f.refusal,
      jsonb_build_object('owner_id', f.owner_id, 'currency', f.currency, 'available', f.balance::text, 'requested', f.debit::text)
    FROM (SELECT x.*, a.owner_id, a.currency, a.balance,
            CASE WHEN a.id IS NULL THEN 'not_found'
                 ELSE account_refusal(a.status, a.unbounded, a.balance, x.debit, x.delta, x.grows) END AS refusal
          FROM unnest(s.account_workspace, s.account_id, s.account_debit, s.account_delta, s.account_grows)
            AS x (workspace_id, id, debit, delta, grows)
          LEFT JOIN ledger_account a ON a.workspace_id = x.workspace_id AND a.id = x.id) f
    WHERE f.refusal IS NOT NULL;
    -- An account that was committed while this waited for locks is there now, and was not locked: no faults would mean "posted".
    IF NOT FOUND THEN RAISE EXCEPTION 'an account of the set has just appeared' USING ERRCODE = 'serialization_failure'; END IF;
  END IF;

  IF s.guard_id IS NOT NULL THEN
    RETURN QUERY SELECT 'guard', g.workspace_id || ' ' || g.kind || ' ' || g.id, g.refusal, jsonb_build_object('kind', g.kind, 'id', g.id)
    FROM (SELECT x.*, guard_refusal(x.workspace_id, x.kind, x.id, x.at) AS refusal
          FROM unnest(s.guard_workspace, s.guard_kind, s.guard_id, s.guard_at) AS x (workspace_id, kind, id, at) OFFSET 0) g
    WHERE g.refusal IS NOT NULL;
    v_faulty := v_faulty OR FOUND;
  END IF;

  IF s.limit_counter IS NOT NULL THEN
    SELECT l.before, l.exceeded, l.passed INTO v_before, v_exceeded, v_passed FROM ledger_lock_limits(s) l;
    IF v_exceeded THEN
      v_faulty := true;
      RETURN QUERY SELECT * FROM ledger_limit_faults(s);
    END IF;
  END IF;

  -- Claims are taken when nothing else is in the way; a set that is refused anyway is told of those that were taken before.
  IF s.claim_key IS NOT NULL THEN
    RETURN QUERY SELECT * FROM ledger_claim_faults(s, NOT v_faulty);
    v_faulty := v_faulty OR FOUND;
  END IF;
  IF v_faulty THEN RETURN; END IF;

  IF s.use_limit IS NULL THEN
    INSERT INTO ledger_transaction (workspace_id, id, transfer_id, created_at)
    SELECT s.transaction_workspace[n], s.transaction_id[n], s.transaction_transfer[n], s.transaction_at[n]
    FROM generate_series(1, cardinality(s.transaction_id)) n;
  ELSE
    INSERT INTO ledger_transaction (workspace_id, id, transfer_id, limits, limits_before, created_at)
    SELECT s.transaction_workspace[n], s.transaction_id[n], s.transaction_transfer[n], nullif(s.transaction_limits -> (n - 1), 'null'),
           (SELECT array_agg(v_before[s.use_limit[u]] + s.use_total[u] ORDER BY u)
            FROM generate_series(s.transaction_first_use[n], s.transaction_last_use[n]) u),
           s.transaction_at[n]
    FROM generate_series(1, cardinality(s.transaction_id)) n;
  END IF;

  INSERT INTO ledger_entry (workspace_id, account_id, version, transaction_id, currency, amount, balance_after, created_at)
  SELECT s.account_workspace[e.a], s.account_id[e.a], v_version[e.a] + s.entry_number[e.n], s.transaction_id[s.entry_transaction[e.n]],
         v_currency[e.a], s.entry_amount[e.n], v_balance[e.a] + s.entry_total[e.n], greatest(v_last[e.a], s.entry_at[e.n])
  FROM (SELECT n, s.entry_account[n] AS a FROM generate_series(1, cardinality(s.entry_account)) n) e;

  IF v_crossed THEN
    WITH low AS (
      INSERT INTO event (workspace_id, id, type, data, object_id, created_at)
      SELECT a.workspace_id, uuid_at(x.at), 'account.balance.low',
             json_build_object('account_id', 'acc_' || w.account_id, 'wallet_id', 'wal_' || w.id,
               'balance', money_text(a.balance + x.delta, a.currency),
               'threshold', money_text(a.low_threshold, a.currency), 'currency', a.currency),
             w.id, x.at
      FROM unnest(s.account_workspace, s.account_id, s.account_delta, s.account_at) AS x (workspace_id, id, delta, at)
      JOIN ledger_account a ON a.workspace_id = x.workspace_id AND a.id = x.id
      JOIN wallet w ON w.workspace_id = a.workspace_id AND w.id = a.owner_id
      WHERE a.balance >= a.low_threshold AND a.balance + x.delta < a.low_threshold
      RETURNING event.workspace_id, event.id
    )
    INSERT INTO outbox (workspace_id, event_ids) SELECT low.workspace_id, array_agg(low.id) FROM low GROUP BY low.workspace_id;
  END IF;

  UPDATE ledger_account a
  SET balance = v_balance[n] + s.account_delta[n], version = v_version[n] + s.account_entries[n],
      last_entry_at = greatest(v_last[n], s.account_at[n])
  FROM generate_series(1, cardinality(s.account_id)) n
  WHERE a.workspace_id = s.account_workspace[n] AND a.id = s.account_id[n];

  -- A counter that was swept is not missed by what gives back: its window is long over.
  IF s.limit_counter IS NOT NULL THEN
    UPDATE limit_counter c SET used = c.used + x.used, reserved = c.reserved + x.reserved
    FROM unnest(s.limit_workspace, s.limit_counter, s.limit_window, s.limit_used, s.limit_reserved)
      AS x (workspace_id, counter, "window", used, reserved)
    WHERE c.workspace_id = x.workspace_id AND c.counter = x.counter AND c."window" = x."window";
    IF v_passed THEN
      INSERT INTO limit_crossing (workspace_id, id, counter, "window", mark, used, at, due_at)
      SELECT x.workspace_id, uuid_at(x.at), x.counter, x."window", m.mark, v_before[x.index] + x.used + x.reserved, x.at, x.at
      FROM unnest(s.limit_workspace, s.limit_counter, s.limit_window, s.limit_used, s.limit_reserved, s.limit_marks, s.limit_at)
        WITH ORDINALITY AS x (workspace_id, counter, "window", used, reserved, marks, at, index)
      CROSS JOIN LATERAL unnest(x.marks::bigint[]) AS m (mark)
      WHERE v_before[x.index] < m.mark AND v_before[x.index] + x.used + x.reserved >= m.mark;
    END IF;
  END IF;

  -- The tables whose rows can be recorded with a posting (src/ledger/record.ts names the same).
  IF transfer_rows IS NOT NULL THEN
    INSERT INTO transfer SELECT r.* FROM json_populate_recordset(record_base(NULL::transfer), transfer_rows) r;
  END IF;
  IF hold_rows IS NOT NULL THEN
    INSERT INTO hold SELECT r.* FROM json_populate_recordset(record_base(NULL::hold), hold_rows) r;
  END IF;
  IF event_rows IS NOT NULL THEN
    INSERT INTO event SELECT r.* FROM json_populate_recordset(record_base(NULL::event), event_rows) r;
  END IF;
  IF outbox_rows IS NOT NULL THEN
    INSERT INTO outbox SELECT r.* FROM json_populate_recordset(record_base(NULL::outbox), outbox_rows) r;
  END IF;
  IF decision_rows IS NOT NULL THEN
    INSERT INTO decision SELECT r.* FROM json_populate_recordset(record_base(NULL::decision), decision_rows) r;
  END IF;
  IF approval_rows IS NOT NULL THEN
    INSERT INTO approval SELECT r.* FROM json_populate_recordset(record_base(NULL::approval), approval_rows) r;
  END IF;
  IF operation_rows IS NOT NULL THEN
    INSERT INTO operation SELECT r.* FROM json_populate_recordset(record_base(NULL::operation), operation_rows) r;
  END IF;
END $$;

-- Locks the counters of a set, after making those that are missing and that something is used of. `before`, by limit: what its counter
-- stands at. `exceeded`: the set passes a maximum. `passed`: it passes a mark.
CREATE FUNCTION ledger_lock_limits(s ledger_set, OUT before bigint[], OUT exceeded boolean, OUT passed boolean) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_missing boolean;
BEGIN
  FOR v_try IN 1..2 LOOP
    SELECT array_agg(coalesce(l.stands, 0) ORDER BY l.index),
           bool_or(coalesce(l.stands, 0) + l.requested > coalesce(l.maximum, 9223372036854775807)),
           bool_or(l.marks IS NOT NULL AND EXISTS (
             SELECT FROM unnest(l.marks::bigint[]) AS m (mark)
             WHERE coalesce(l.stands, 0) < m.mark AND coalesce(l.stands, 0) + l.requested >= m.mark)),
           bool_or(l.stands IS NULL AND l.requested > 0)
    INTO before, exceeded, passed, v_missing
    FROM (SELECT x.index, x.maximum, x.marks, x.used + x.reserved AS requested,
            (SELECT k.used + k.reserved FROM limit_counter k
             WHERE k.workspace_id = x.workspace_id AND k.counter = x.counter AND k."window" = x."window" FOR NO KEY UPDATE) AS stands
          FROM unnest(s.limit_workspace, s.limit_counter, s.limit_window, s.limit_used, s.limit_reserved, s.limit_maximum, s.limit_marks)
            WITH ORDINALITY AS x (workspace_id, counter, "window", used, reserved, maximum, marks, index)
          OFFSET 0) l;
    EXIT WHEN NOT v_missing;
    INSERT INTO limit_counter (workspace_id, counter, "window")
    SELECT x.workspace_id, x.counter, x."window"
    FROM unnest(s.limit_workspace, s.limit_counter, s.limit_window, s.limit_used, s.limit_reserved)
      AS x (workspace_id, counter, "window", used, reserved)
    WHERE x.used + x.reserved > 0
    ON CONFLICT DO NOTHING;
  END LOOP;
END $$;

-- Which limits the uses of a set would pass. Its counters are locked.
CREATE FUNCTION ledger_limit_faults(s ledger_set) RETURNS SETOF ledger_fault LANGUAGE sql AS $$
  SELECT 'limit', x.workspace_id || ' ' || x.counter || ' ' || x."window", 'limit_exceeded',
    jsonb_build_object('counter', x.counter, 'window', x."window", 'maximum', coalesce(x.maximum, 9223372036854775807)::text,
      'used', coalesce(k.used + k.reserved, 0)::text, 'requested', (x.used + x.reserved)::text)
  FROM unnest(s.limit_workspace, s.limit_counter, s.limit_window, s.limit_used, s.limit_reserved, s.limit_maximum)
    AS x (workspace_id, counter, "window", used, reserved, maximum)
  LEFT JOIN limit_counter k ON k.workspace_id = x.workspace_id AND k.counter = x.counter AND k."window" = x."window"
  WHERE coalesce(k.used + k.reserved, 0) + x.used + x.reserved > coalesce(x.maximum, 9223372036854775807);
$$;

-- The claims of a set that were taken before. With `take` those of the set are taken, unless one of them is a fault. A claim that
-- another transaction is taking is waited for: that one has all its other locks, and only writes and commits.
CREATE FUNCTION ledger_claim_faults(s ledger_set, take boolean) RETURNS SETOF ledger_fault LANGUAGE plpgsql AS $$
DECLARE
  v_taken text[] := '{}';
BEGIN
  IF take THEN
    WITH taken AS (
      INSERT INTO claim (workspace_id, kind, key, reference, fingerprint, expires_at)
      SELECT x.*
      FROM unnest(s.claim_workspace, s.claim_kind, s.claim_key, s.claim_reference, s.claim_fingerprint, s.claim_expires_at) x
      ON CONFLICT DO NOTHING
      RETURNING claim.workspace_id || ' ' || claim.kind || ' ' || claim.key AS subject
    )
    SELECT coalesce(array_agg(taken.subject), '{}') INTO v_taken FROM taken;
    IF cardinality(v_taken) = cardinality(s.claim_key) THEN RETURN; END IF;
    DELETE FROM claim c USING unnest(s.claim_workspace, s.claim_kind, s.claim_key) AS x (workspace_id, kind, key)
    WHERE c.workspace_id = x.workspace_id AND c.kind = x.kind AND c.key = x.key
      AND x.workspace_id || ' ' || x.kind || ' ' || x.key = ANY (v_taken);
  END IF;
  RETURN QUERY SELECT 'claim', x.workspace_id || ' ' || x.kind || ' ' || x.key, 'claimed', jsonb_build_object('kind', x.kind, 'key', x.key)
  FROM unnest(s.claim_workspace, s.claim_kind, s.claim_key) AS x (workspace_id, kind, key)
  WHERE CASE WHEN take THEN x.workspace_id || ' ' || x.kind || ' ' || x.key <> ALL (v_taken)
             ELSE EXISTS (SELECT FROM claim c WHERE c.workspace_id = x.workspace_id AND c.kind = x.kind AND c.key = x.key) END;
END $$;

-- Locks what several sets touch, all at once and in order, before they are posted one after the other in one transaction: locks
-- are kept from set to set, and taken set by set two such transactions would wait for each other. Each element of `sets` has the
-- arguments of ledger_post() as members; the answer is the argument, so that a statement that uses it waits for the locks.
CREATE FUNCTION ledger_lock(sets json) RETURNS json LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM FROM (
    SELECT DISTINCT x.* FROM json_array_elements(sets) e, json_populate_record(NULL::ledger_set, e -> 's') s,
      unnest(s.account_workspace, s.account_id) AS x (workspace_id, id)) x
  JOIN ledger_account l ON l.workspace_id = x.workspace_id AND l.id = x.id
  ORDER BY l.workspace_id, l.id FOR NO KEY UPDATE OF l;
  PERFORM FROM (
    SELECT DISTINCT x.* FROM json_array_elements(sets) e, json_populate_record(NULL::ledger_set, e -> 's') s,
      unnest(s.limit_workspace, s.limit_counter, s.limit_window) AS x (workspace_id, counter, "window")) x
  JOIN limit_counter k ON k.workspace_id = x.workspace_id AND k.counter = x.counter AND k."window" = x."window"
  ORDER BY k.workspace_id, k.counter, k."window" FOR NO KEY UPDATE OF k;
  RETURN sets;
END $$;

-- How many entries an account had before a point in time; null without one. Entries of an account are numbered without a hole and
-- their times never go back, so the last one before `at` is found by halving.
CREATE FUNCTION ledger_entries_before(workspace uuid, account uuid, at timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE STRICT AS $$
DECLARE
  low bigint := 0;
  high bigint;
  middle bigint;
  moment timestamptz;
BEGIN
  SELECT a.version INTO high FROM ledger_account a WHERE a.workspace_id = workspace AND a.id = account;
  WHILE low < high LOOP
    middle := (low + high + 1) / 2;
    SELECT e.created_at INTO moment FROM ledger_entry e WHERE e.workspace_id = workspace AND e.account_id = account AND e.version = middle;
    IF moment < at THEN low := middle; ELSE high := middle - 1; END IF;
  END LOOP;
  RETURN low;
END $$;

-- What an account's balance was at a point in time, what happened then included. Times are in whole milliseconds.
CREATE FUNCTION ledger_balance_at(workspace uuid, account uuid, at timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce((SELECT e.balance_after FROM ledger_entry e
    WHERE e.workspace_id = workspace AND e.account_id = account
      AND e.version = ledger_entries_before(workspace, account, at + interval '1 microsecond')), 0);
END $$;

-- The claims of requests with a key, and the answers that were kept for them. By index, whatever the tables were when it was planned.
CREATE FUNCTION used_keys(workspaces uuid[], keys text[])
RETURNS TABLE (workspace_id uuid, key text, fingerprint text, reference text, expires_at timestamptz, status int, body text)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY SELECT c.workspace_id, c.key, c.fingerprint, c.reference, c.expires_at, a.status, a.body
  FROM unnest(workspaces, keys) AS x (workspace_id, key)
  JOIN claim c ON c.workspace_id = x.workspace_id AND c.kind = 'idempotency_key' AND c.key = x.key
  LEFT JOIN keyed_answer a ON a.workspace_id = c.workspace_id AND a.expires_at = c.expires_at AND a.key = c.key;
END $$;
