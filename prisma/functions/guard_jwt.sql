-- A posting asks again, as it does for a key: the notification takes a moment.
CREATE OR REPLACE FUNCTION guard_jwt(workspace uuid, session uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM FROM ended_jwt e WHERE e.workspace_id = workspace AND e.id = session;
  RETURN CASE WHEN FOUND THEN 'invalid_jwt' END;
END $$;
