CREATE OR REPLACE FUNCTION guard_agent(workspace uuid, agent_id uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_status agent_status;
BEGIN
  SELECT a.status INTO v_status FROM agent a WHERE a.workspace_id = workspace AND a.id = agent_id;
  RETURN CASE WHEN v_status = 'active' THEN NULL WHEN v_status = 'frozen' THEN 'agent_frozen' ELSE 'agent_suspended' END;
END $$;
