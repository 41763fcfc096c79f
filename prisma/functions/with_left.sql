-- Rows of events, with what limits have left in their data: `left` has the limit behind each such member. A posting asks when it has
-- updated its counters, which stay locked until it is committed.
CREATE OR REPLACE FUNCTION with_left(event_rows json) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT json_agg(e.event || jsonb_build_object('data', e.event -> 'data' || m.members))
    FROM jsonb_array_elements(event_rows::jsonb) AS e (event)
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_object_agg(l.key, money_text(
               greatest((l.value ->> 'maximum')::bigint - coalesce(c.used + c.reserved, 0), 0), l.value ->> 'currency')), '{}') AS members
      FROM jsonb_each(e.event -> 'left') AS l
      LEFT JOIN limit_counter c ON c.workspace_id = (e.event ->> 'workspace_id')::uuid
        AND c.counter = l.value ->> 'counter' AND c."window" = l.value ->> 'window'
    ) m);
END $$;
