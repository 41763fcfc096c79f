
-- NEWER: -- As it was, with one more kind.
CREATE OR REPLACE FUNCTION guard_refusal(workspace uuid, kind text, id uuid, at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  CASE kind
    WHEN 'api_key' THEN RETURN guard_api_key(workspace, id);
    WHEN 'session' THEN RETURN guard_session(workspace, id);
    WHEN 'agent' THEN RETURN guard_agent(workspace, id);
    WHEN 'agent_token' THEN RETURN guard_agent_token(workspace, id, at);
    WHEN 'payee' THEN RETURN guard_payee(workspace, id);
    WHEN 'payer' THEN RETURN guard_payer(workspace, id);
    WHEN 'workspace' THEN RETURN guard_workspace(workspace);
    WHEN 'mandate' THEN RETURN guard_mandate(workspace, id, at);
    ELSE RAISE EXCEPTION 'no rule for guards of kind %', kind;
  END CASE;
END $$;
