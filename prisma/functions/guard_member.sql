-- What a person set up moves money while the person is an active member of the tenant.
CREATE OR REPLACE FUNCTION guard_member(workspace uuid, member_id uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM FROM workspace w JOIN member m ON m.tenant_id = w.tenant_id AND m.id = member_id
    WHERE w.id = workspace AND m.status = 'active';
  RETURN CASE WHEN NOT FOUND THEN 'login_expired' END;
END $$;
