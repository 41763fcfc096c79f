-- Opens the stream of a session under the lock of its agent's channel: rows of the same session (`replaced`) and rows without a
-- recent heartbeat are deleted; the new one is written unless `most` other sessions are connected. The processes are notified of the
-- replaced ones. Without expires_at the session has ended.
CREATE OR REPLACE FUNCTION open_agent_connection(
  p_workspace uuid, p_agent uuid, p_session uuid, p_id uuid, p_at timestamptz, p_since timestamptz, p_most int, p_sender text,
  OUT last_seq bigint, OUT expires_at timestamptz, OUT others int, OUT replaced uuid[]
) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO agent_channel AS c (workspace_id, agent_id) VALUES (p_workspace, p_agent)
  ON CONFLICT (workspace_id, agent_id) DO UPDATE SET last_seq = c.last_seq RETURNING c.last_seq INTO open_agent_connection.last_seq;
  SELECT s.expires_at INTO open_agent_connection.expires_at FROM agent_session s
  WHERE s.workspace_id = p_workspace AND s.id = p_session AND s.agent_id = p_agent AND s.revoked_at IS NULL AND s.expires_at > p_at;
  SELECT count(*) INTO others FROM agent_connection c
  WHERE c.workspace_id = p_workspace AND c.agent_id = p_agent AND c.session_id <> p_session AND c.last_heartbeat_at > p_since;
  IF open_agent_connection.expires_at IS NULL OR others >= p_most THEN RETURN; END IF;
  WITH gone AS (
    DELETE FROM agent_connection c
    WHERE c.workspace_id = p_workspace AND c.agent_id = p_agent AND (c.session_id = p_session OR c.last_heartbeat_at <= p_since)
    RETURNING c.id, c.session_id
  )
  SELECT array_agg(gone.id) INTO replaced FROM gone WHERE gone.session_id = p_session;
  INSERT INTO agent_connection (id, workspace_id, agent_id, session_id, connected_at, last_heartbeat_at)
  VALUES (p_id, p_workspace, p_agent, p_session, p_at, p_at);
  IF replaced IS NOT NULL THEN
    PERFORM pg_notify('fanout', jsonb_build_object('sender', p_sender, 'ended', replaced)::text);
  END IF;
END $$;
