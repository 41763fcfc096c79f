-- Uses a challenge up, if it is good still, and reads who could have signed it: the agent in the environment of the listener, and its
-- active key, or else the one that was revoked last. It takes the same statements for an agent that nobody knows, whose challenges are
-- kept in the workspace of nobody. One row, whose members are null where there is no agent or no key.
-- The table is small at night and large when everybody comes back at once: a plan that reads all of it must not be kept.
CREATE OR REPLACE FUNCTION consume_challenge(p_agent_hash bytea, p_environment environment, p_agent uuid, p_hash bytea, p_at timestamptz)
RETURNS TABLE (used boolean, workspace_id uuid, status agent_status, key_id uuid, public_key bytea, key_status agent_key_status)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  v_workspace uuid := coalesce(
    (SELECT c.workspace_id FROM credential c JOIN workspace w ON w.id = c.workspace_id
     WHERE c.hash = p_agent_hash AND c.kind = 'agent' AND w.environment = p_environment),
    '00000000-0000-0000-0000-000000000000');
  v_used boolean;
BEGIN
  UPDATE challenge SET used_at = p_at
  WHERE workspace_id = v_workspace AND hash = p_hash AND agent_id = p_agent AND used_at IS NULL AND expires_at > p_at;
  v_used := FOUND;
  RETURN QUERY
    SELECT v_used, a.workspace_id, a.status, k.id, k.public_key, k.status
    FROM (SELECT) one
    LEFT JOIN agent a ON a.workspace_id = v_workspace AND a.id = p_agent
    LEFT JOIN LATERAL (
      SELECT id, public_key, status FROM agent_key
      WHERE workspace_id = v_workspace AND agent_id = p_agent AND status IN ('active', 'revoked')
      ORDER BY status, id DESC LIMIT 1
    ) k ON true;
END $$;
