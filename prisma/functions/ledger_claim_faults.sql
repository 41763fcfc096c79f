-- The claims of a set that were taken before. With `take` those of the set are taken, unless one of them is a fault. A claim that
-- another transaction is taking is waited for: that one has all its other locks, and only writes and commits.
-- A reference is the paying account's: its claim has the key `<account>/<reference>` (decision 0048). Claims of before have the reference
-- alone, and belong to the account of the transfer that they name.
CREATE OR REPLACE FUNCTION ledger_claim_faults(s ledger_set, take boolean) RETURNS SETOF ledger_fault LANGUAGE plpgsql AS $$
DECLARE
  v_taken text[] := '{}';
  v_before text[] := '{}';
BEGIN
  IF 'reference' = ANY (s.claim_kind) THEN
    -- One look-up by key after the other: as a join it may begin with all transfers of the workspace.
    SELECT coalesce(array_agg(u.workspace_id || ' ' || u.kind || ' ' || u.key), '{}') INTO v_before
    FROM (SELECT x.*, (SELECT c.reference FROM claim c
            WHERE c.workspace_id = x.workspace_id AND c.kind = 'reference' AND c.key = substr(x.key, 38)) AS used_by
          FROM unnest(s.claim_workspace, s.claim_kind, s.claim_key) AS x (workspace_id, kind, key)
          WHERE x.kind = 'reference' OFFSET 0) u
    WHERE (SELECT coalesce(t.from_account_id, t.to_account_id)::text FROM transfer t
           WHERE t.workspace_id = u.workspace_id AND t.id = u.used_by::uuid) = left(u.key, 36);
  END IF;
  IF take THEN
    WITH taken AS (
      INSERT INTO claim (workspace_id, kind, key, reference, fingerprint, expires_at)
      SELECT x.*
      FROM unnest(s.claim_workspace, s.claim_kind, s.claim_key, s.claim_reference, s.claim_fingerprint, s.claim_expires_at)
        AS x (workspace_id, kind, key, reference, fingerprint, expires_at)
      WHERE x.workspace_id || ' ' || x.kind || ' ' || x.key <> ALL (v_before)
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
             ELSE x.workspace_id || ' ' || x.kind || ' ' || x.key = ANY (v_before)
               OR EXISTS (SELECT FROM claim c WHERE c.workspace_id = x.workspace_id AND c.kind = x.kind AND c.key = x.key) END;
END $$;
