-- The claims of a set that were taken before. With `take` those of the set are taken, unless one of them is a fault. A claim that
-- another transaction is taking is waited for: that one has all its other locks, and only writes and commits.
CREATE OR REPLACE FUNCTION ledger_claim_faults(s ledger_set, take boolean) RETURNS SETOF ledger_fault LANGUAGE plpgsql AS $$
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
