-- Posts a set of postings: all of them, or none and every fault that stood in the way. Rows that are recorded with them come by
-- table, as lists of objects whose members are columns. Locks: accounts, counters, claims, each in order.
CREATE OR REPLACE FUNCTION ledger_post(
  s ledger_set, transfer_rows json, hold_rows json, event_rows json, outbox_rows json, decision_rows json, approval_rows json,
  operation_rows json, settlement_reserve_rows json DEFAULT NULL, x402_payment_rows json DEFAULT NULL
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
  IF s.checkout_changes IS NOT NULL THEN
    RETURN QUERY SELECT * FROM checkout_change_faults(s.checkout_changes);
    v_faulty := FOUND;
  END IF;

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

  -- A transaction that its transfer says all of has no row (decision 0059). A process of the release before says nothing of rows.
  IF s.use_limit IS NULL THEN
    IF s.transaction_row IS NULL OR true = ANY (s.transaction_row) THEN
      INSERT INTO ledger_transaction (workspace_id, id, transfer_id, created_at)
      SELECT s.transaction_workspace[n], s.transaction_id[n], s.transaction_transfer[n], s.transaction_at[n]
      FROM generate_series(1, cardinality(s.transaction_id)) n WHERE s.transaction_row[n] IS NOT FALSE;
    END IF;
  ELSE
    INSERT INTO ledger_transaction (workspace_id, id, transfer_id, limits, limits_before, created_at)
    SELECT s.transaction_workspace[n], s.transaction_id[n], s.transaction_transfer[n], nullif(s.transaction_limits -> (n - 1), 'null'),
           (SELECT array_agg(v_before[s.use_limit[u]] + s.use_total[u] ORDER BY u)
            FROM generate_series(s.transaction_first_use[n], s.transaction_last_use[n]) u),
           s.transaction_at[n]
    FROM generate_series(1, cardinality(s.transaction_id)) n WHERE s.transaction_row[n] IS NOT FALSE;
  END IF;

  INSERT INTO ledger_entry (workspace_id, account_id, version, transaction_id, currency, amount, balance_after, created_at)
  SELECT s.account_workspace[e.a], s.account_id[e.a], v_version[e.a] + s.entry_number[e.n], s.transaction_id[s.entry_transaction[e.n]],
         v_currency[e.a], s.entry_amount[e.n], v_balance[e.a] + s.entry_total[e.n], greatest(v_last[e.a], s.entry_at[e.n])
  FROM (SELECT n, s.entry_account[n] AS a FROM generate_series(1, cardinality(s.entry_account)) n) e;

  -- A process of the release before hands over no text.
  IF v_crossed AND s.low_event IS NOT NULL THEN
    WITH low AS MATERIALIZED (
      SELECT a.workspace_id, uuid_at(x.at) AS id, s.low_event ->> 'type' AS type,
             format(s.low_event ->> 'data', w.account_id, w.id, money_text(a.balance + x.delta, a.currency),
                    money_text(a.low_threshold, a.currency), a.currency)::json AS data,
             w.id AS object_id, x.at AS created_at
      FROM unnest(s.account_workspace, s.account_id, s.account_delta, s.account_at) AS x (workspace_id, id, delta, at)
      JOIN ledger_account a ON a.workspace_id = x.workspace_id AND a.id = x.id
      JOIN wallet w ON w.workspace_id = a.workspace_id AND w.id = a.owner_id
      WHERE a.balance >= a.low_threshold AND a.balance + x.delta < a.low_threshold
    ), written AS (
      INSERT INTO event (workspace_id, id, type, data, object_id, created_at) SELECT * FROM low
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

  IF s.checkout_changes IS NOT NULL THEN PERFORM change_checkouts(s.checkout_changes); END IF;

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
  IF s.left_events IS NOT NULL THEN
    INSERT INTO event SELECT r.* FROM json_populate_recordset(record_base(NULL::event), with_left(s.left_events)) r;
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
  IF settlement_reserve_rows IS NOT NULL THEN
    INSERT INTO settlement_reserve SELECT r.* FROM json_populate_recordset(record_base(NULL::settlement_reserve), settlement_reserve_rows) r;
  END IF;
  IF x402_payment_rows IS NOT NULL THEN
    INSERT INTO x402_payment SELECT r.* FROM json_populate_recordset(record_base(NULL::x402_payment), x402_payment_rows) r;
  END IF;
END $$;
