-- Numbers published events for the channels of the agents with a role in them, and notifies the processes other than `p_sender` of the last
-- numbers; it notifies nobody where that is null. Returns the lines with what their events say. The caller publishes alone.
CREATE OR REPLACE FUNCTION show_events(p_workspaces uuid[], p_events uuid[], p_roles jsonb, p_sender text)
RETURNS json LANGUAGE plpgsql SET enable_hashjoin = on AS $$
DECLARE
  v_shown json;
  v_last json;
BEGIN
  WITH given AS MATERIALIZED (
    -- Each event is looked up by itself (LIMIT), whatever else could be joined.
    SELECT u.workspace_id, r.key::uuid AS agent_id, r.value AS role, u.place, e.id, e.type, e.data, e.created_at
    FROM unnest(p_workspaces, p_events) WITH ORDINALITY AS u (workspace_id, event_id, place)
    CROSS JOIN LATERAL (
      SELECT v.id, v.type, event_data(v) AS data, v.created_at FROM event v WHERE v.workspace_id = u.workspace_id AND v.id = u.event_id LIMIT 1
    ) e CROSS JOIN LATERAL jsonb_each_text(p_roles -> u.event_id::text) r
    WHERE p_roles ? u.event_id::text
  ), channel AS (
    INSERT INTO agent_channel AS c (workspace_id, agent_id, last_seq)
    SELECT workspace_id, agent_id, count(*) FROM given GROUP BY workspace_id, agent_id ORDER BY workspace_id, agent_id
    ON CONFLICT (workspace_id, agent_id) DO UPDATE SET last_seq = c.last_seq + EXCLUDED.last_seq
    RETURNING c.workspace_id, c.agent_id, c.last_seq
  ), numbered AS MATERIALIZED (
    SELECT g.*, channel.last_seq + 1 - row_number() OVER (PARTITION BY g.workspace_id, g.agent_id ORDER BY g.place DESC) AS seq
    FROM given g JOIN channel USING (workspace_id, agent_id)
  ), written AS (
    INSERT INTO agent_event (workspace_id, agent_id, seq, event_id, role, created_at)
    SELECT workspace_id, agent_id, seq, id, role, created_at FROM numbered
  )
  SELECT (SELECT json_agg(json_build_object('agentId', n.agent_id, 'seq', n.seq, 'role', n.role, 'eventId', n.id, 'type', n.type,
            'data', n.data, 'createdAt', n.created_at) ORDER BY n.place, n.seq) FROM numbered n),
         (SELECT json_agg(json_build_array(channel.agent_id, channel.last_seq)) FROM channel)
  INTO v_shown, v_last;
  IF p_sender IS NOT NULL THEN
    -- A notification holds 8,000 bytes.
    PERFORM pg_notify('fanout', json_build_object('sender', p_sender, 'seqs', part.seqs)::text)
    FROM (
      SELECT json_agg(l.value) AS seqs FROM json_array_elements(v_last) WITH ORDINALITY AS l (value, n) GROUP BY (l.n - 1) / 120
    ) part;
  END IF;
  RETURN v_shown;
END $$;
