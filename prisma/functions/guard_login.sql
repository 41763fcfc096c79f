-- A browser session moves money while it was not signed out, in its own environment, and while its member is active.
CREATE OR REPLACE FUNCTION guard_login(workspace uuid, login_id uuid, at timestamptz) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM FROM workspace w
    JOIN login l ON l.tenant_id = w.tenant_id AND l.id = login_id AND l.environment = w.environment
    JOIN member m ON m.tenant_id = l.tenant_id AND m.id = l.member_id
    WHERE w.id = workspace AND l.ended_at IS NULL AND l.expires_at > at AND m.status = 'active';
  RETURN CASE WHEN NOT FOUND THEN 'login_expired' END;
END $$;
