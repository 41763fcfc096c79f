-- The events of publications of a workspace with numbers above `after`, up to `up_to`, in the order of their publication: what a
-- listener hears (src/events/listener.ts), each with its data, also where another one holds it. Events that were swept are left out.
CREATE OR REPLACE FUNCTION heard_events(workspace uuid, after bigint, up_to bigint)
RETURNS TABLE (
  workspace_id uuid, id uuid, type text, data json, object_id uuid, agent_id uuid, trace_id text, created_at timestamptz, trace_span text, data_of uuid
) LANGUAGE sql STABLE AS $$
  SELECT e.workspace_id, e.id, e.type, event_data(ROW(e.*)::event), e.object_id, e.agent_id, e.trace_id, e.created_at, e.trace_span, e.data_of
  FROM publication p
  CROSS JOIN LATERAL unnest(p.event_ids) WITH ORDINALITY AS u (event_id, index)
  -- OFFSET 0: the planner looks up each event, and never each number for an event of a table that it takes for small.
  CROSS JOIN LATERAL (SELECT * FROM event e WHERE e.workspace_id = p.workspace_id AND e.id = u.event_id OFFSET 0) e
  WHERE p.workspace_id = workspace AND p.number > after AND p.number <= up_to
  ORDER BY p.number, u.index
$$;
