-- A mandate is in force in one version at a time. Exact over all processes, as the kill switch is (guard_workspace()): postings share
-- a lock of the version that whoever ends it takes alone (guard_change_of_mandate()). So a revocation is answered when every posting that
-- passed before it has ended, and none passes after it. `at` is the time of the posting, by which a mandate expires.
CREATE OR REPLACE FUNCTION guard_mandate(workspace uuid, signed uuid, at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_revoked_at timestamptz;
  v_expires_at timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(x'6d6e6474'::int, spending_lock(signed));
  SELECT m.revoked_at, m.expires_at INTO v_revoked_at, v_expires_at
  FROM mandate m WHERE m.workspace_id = workspace AND m.version_id = signed;
  RETURN CASE WHEN NOT FOUND THEN 'invalid_mandate_jwt' WHEN v_revoked_at IS NOT NULL THEN 'mandate_revoked'
              WHEN v_expires_at <= at THEN 'mandate_expired' END;
END $$;
