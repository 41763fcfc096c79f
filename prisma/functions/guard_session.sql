CREATE OR REPLACE FUNCTION guard_session(workspace uuid, session uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM FROM agent_session s WHERE s.workspace_id = workspace AND s.id = session AND s.revoked_at IS NULL;
  RETURN CASE WHEN NOT FOUND THEN 'session_revoked' END;
END $$;
