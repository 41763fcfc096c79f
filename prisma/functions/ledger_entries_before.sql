-- How many entries an account had before a point in time; null without one. Entries of an account are numbered without a hole and
-- their times never go back, so the last one before `at` is found by halving.
CREATE OR REPLACE FUNCTION ledger_entries_before(workspace uuid, account uuid, at timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE STRICT AS $$
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
