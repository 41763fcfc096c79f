-- The checkouts that a set changes and that are not as they were read any more: each change has the `version` of its row, which every
-- update gives another. The others are locked. One that somebody else has locked is a fault too: a set waits for no checkout, for
-- whoever has it may wait for the accounts of the set.
CREATE OR REPLACE FUNCTION checkout_change_faults(changes json) RETURNS SETOF ledger_fault LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_locked uuid[];
BEGIN
  SELECT coalesce(array_agg(l.id), '{}') INTO v_locked
  FROM (SELECT c.id FROM json_to_recordset(changes) AS x (workspace_id uuid, id uuid, version text)
        JOIN checkout c ON c.workspace_id = x.workspace_id AND c.id = x.id
        WHERE c.xmin::text = x.version FOR NO KEY UPDATE OF c SKIP LOCKED) l;
  IF cardinality(v_locked) = json_array_length(changes) THEN RETURN; END IF;
  RETURN QUERY SELECT 'guard', x.workspace_id || ' checkout ' || x.id, 'changed', jsonb_build_object('kind', 'checkout', 'id', x.id)
  FROM json_to_recordset(changes) AS x (workspace_id uuid, id uuid) WHERE x.id <> ALL (v_locked);
  IF NOT FOUND THEN RAISE EXCEPTION 'a set changes a checkout twice'; END IF;
END $$;
