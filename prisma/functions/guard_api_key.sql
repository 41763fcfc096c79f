-- A key that was revoked makes no posting.
CREATE OR REPLACE FUNCTION guard_api_key(workspace uuid, key_id uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM FROM api_key k WHERE k.workspace_id = workspace AND k.id = key_id AND k.revoked_at IS NULL;
  RETURN CASE WHEN NOT FOUND THEN 'invalid_api_key' END;
END $$;
