-- The operations of publications of a workspace with numbers above `after`, up to `up_to`, in the order of their publication.
CREATE OR REPLACE FUNCTION published_operations(workspace uuid, after bigint, up_to bigint) RETURNS SETOF operation LANGUAGE sql STABLE AS $$
  SELECT o.*
  FROM publication p
  CROSS JOIN LATERAL unnest(p.operation_ids) WITH ORDINALITY AS u (operation_id, index)
  -- OFFSET 0: the planner looks up each operation by its key.
  CROSS JOIN LATERAL (SELECT * FROM operation o WHERE o.workspace_id = p.workspace_id AND o.id = u.operation_id OFFSET 0) o
  WHERE p.workspace_id = workspace AND p.number > after AND p.number <= up_to
  ORDER BY p.number, u.index
$$;
