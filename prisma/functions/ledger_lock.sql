-- Locks what several sets touch, all at once and in order, before they are posted one after the other in one transaction: locks
-- are kept from set to set, and taken set by set two such transactions would wait for each other. Each element of `sets` has the
-- arguments of ledger_post() as members; the answer is the argument, so that a statement that uses it waits for the locks.
CREATE OR REPLACE FUNCTION ledger_lock(sets json) RETURNS json LANGUAGE plpgsql
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
