-- Guards are rows whose state must hold at the moment of a posting, so that a revocation counts at once. One function for each kind
-- answers why the row is in the way, or null. `at` is the real time by which what expires is judged. All of them are plpgsql, which keeps
-- its plans; an SQL function that is not inlined is planned again at each call.
CREATE OR REPLACE FUNCTION guard_refusal(workspace uuid, kind text, id uuid, at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  CASE kind
    WHEN 'api_key' THEN RETURN guard_api_key(workspace, id);
    WHEN 'jwt' THEN RETURN guard_jwt(workspace, id);
    WHEN 'login' THEN RETURN guard_login(workspace, id, at);
    WHEN 'member' THEN RETURN guard_member(workspace, id);
    WHEN 'session' THEN RETURN guard_session(workspace, id);
    WHEN 'agent' THEN RETURN guard_agent(workspace, id);
    WHEN 'agent_token' THEN RETURN guard_agent_token(workspace, id, at);
    WHEN 'connection' THEN RETURN guard_connection(workspace, id, at);
    WHEN 'payee' THEN RETURN guard_payee(workspace, id);
    WHEN 'payer' THEN RETURN guard_payer(workspace, id);
    WHEN 'workspace' THEN RETURN guard_workspace(workspace);
    WHEN 'mandate' THEN RETURN guard_mandate(workspace, id, at);
    ELSE RAISE EXCEPTION 'no rule for guards of kind %', kind;
  END CASE;
END $$;
