-- A connection that was revoked or has expired makes no posting, whatever its tokens say, nor one whose member is not active. The posting
-- shares a lock that whoever revokes it waits for: nothing is paid after the word that it is revoked. It is volatile, so that it looks again
-- after it has waited.
CREATE OR REPLACE FUNCTION guard_connection(workspace uuid, connection_id uuid, at timestamptz) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('connection ' || connection_id, 0));
  PERFORM FROM connection c
    JOIN workspace w ON w.id = c.workspace_id
    JOIN member m ON m.tenant_id = w.tenant_id AND m.id = c.member_id
    WHERE c.workspace_id = workspace AND c.id = connection_id AND c.status = 'active' AND c.expires_at > at AND m.status = 'active';
  RETURN CASE WHEN NOT FOUND THEN 'connection_ended' END;
END $$;
