-- The claims of requests with a key, and the answers that were kept for them. By index, whatever the tables were when it was planned. The
-- times of the claims say in which partitions the answers are: the others are not opened, and none is for keys that were never used.
CREATE OR REPLACE FUNCTION used_keys(workspaces uuid[], keys text[])
RETURNS TABLE (workspace_id uuid, key text, fingerprint text, reference text, expires_at timestamptz, status int, body text)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  earliest timestamptz;
  latest timestamptz;
BEGIN
  SELECT min(c.expires_at), max(c.expires_at) INTO earliest, latest FROM unnest(workspaces, keys) AS x (workspace_id, key)
  JOIN claim c ON c.workspace_id = x.workspace_id AND c.kind = 'idempotency_key' AND c.key = x.key;
  IF earliest IS NULL THEN RETURN; END IF;
  RETURN QUERY SELECT c.workspace_id, c.key, c.fingerprint, c.reference, c.expires_at, a.status, a.body
  FROM unnest(workspaces, keys) AS x (workspace_id, key)
  JOIN claim c ON c.workspace_id = x.workspace_id AND c.kind = 'idempotency_key' AND c.key = x.key
  LEFT JOIN keyed_answer a ON a.workspace_id = c.workspace_id AND a.expires_at = c.expires_at AND a.key = c.key
    AND a.expires_at BETWEEN earliest AND latest;
END $$;
