-- Checkouts that are about to be paid, each with its merchant and the version that a posting holds its change to
-- (checkout_change_faults()). `settled` waits for whoever is changing them. By index, whatever the tables were when it was planned.
CREATE OR REPLACE FUNCTION payable_checkouts(workspaces uuid[], ids uuid[], settled boolean)
RETURNS TABLE (checkout checkout, version text, seller merchant) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF settled THEN
    PERFORM FROM unnest(workspaces, ids) AS x (workspace_id, id)
    JOIN checkout c ON c.workspace_id = x.workspace_id AND c.id = x.id FOR SHARE OF c;
  END IF;
  RETURN QUERY SELECT c, c.xmin::text, m
  FROM unnest(workspaces, ids) AS x (workspace_id, id)
  JOIN checkout c ON c.workspace_id = x.workspace_id AND c.id = x.id
  JOIN merchant m ON m.workspace_id = c.workspace_id AND m.id = c.merchant_id;
END $$;
