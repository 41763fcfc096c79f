-- Guards: rows whose state must hold at the moment of a posting, so that a revocation counts at once. One function for each kind
-- answers why the row is in the way, or null; `guard_refusal` knows the kinds. `at` is the real time by which what expires is judged.
-- plpgsql keeps its plans; an SQL function that is not inlined is planned again at each call.
CREATE OR REPLACE FUNCTION guard_api_key(workspace uuid, key_id uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM FROM api_key k WHERE k.workspace_id = workspace AND k.id = key_id AND k.revoked_at IS NULL;
  RETURN CASE WHEN NOT FOUND THEN 'invalid_api_key' END;
END $$;
