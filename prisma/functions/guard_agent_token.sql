-- A token ends when it was rotated, and rests while its agent has no key after a revocation.
CREATE OR REPLACE FUNCTION guard_agent_token(workspace uuid, token uuid, at timestamptz) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_key_revoked boolean;
BEGIN
  SELECT a.key_revoked_at IS NOT NULL INTO v_key_revoked
  FROM agent_token t JOIN agent a ON a.workspace_id = t.workspace_id AND a.id = t.agent_id
  WHERE t.workspace_id = workspace AND t.id = token AND (t.expires_at IS NULL OR t.expires_at > at);
  RETURN CASE WHEN NOT FOUND THEN 'invalid_agent_token' WHEN v_key_revoked THEN 'key_revoked' END;
END $$;
