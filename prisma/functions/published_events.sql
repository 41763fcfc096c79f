-- The events of publications of a workspace with numbers above `after`, up to `up_to`, in the order of their publication: what a
-- listener hears (src/events/listener.ts). Events that were swept are left out.
CREATE OR REPLACE FUNCTION published_events(workspace uuid, after bigint, up_to bigint) RETURNS SETOF event LANGUAGE sql STABLE AS $$
  SELECT e.*
  FROM publication p
  CROSS JOIN LATERAL unnest(p.event_ids) WITH ORDINALITY AS u (event_id, index)
  -- OFFSET 0: the planner looks up each event, and never each number for an event of a table that it takes for small.
  CROSS JOIN LATERAL (SELECT * FROM event e WHERE e.workspace_id = p.workspace_id AND e.id = u.event_id OFFSET 0) e
  WHERE p.workspace_id = workspace AND p.number > after AND p.number <= up_to
  ORDER BY p.number, u.index
$$;
