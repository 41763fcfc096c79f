-- Up to which publication a listener has heard everything after `p_after`, and the workspaces with publications that it has not heard, those
-- that wait longest first. Who is absent is heard in another cell.
CREATE OR REPLACE FUNCTION listener_behind(p_listener text, p_after bigint, p_most int, OUT heard bigint, OUT behind uuid[])
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  SELECT coalesce(min(b.oldest) - 1, (SELECT max(p.number) FROM publication p), 0),
         coalesce(array_agg(b.workspace_id ORDER BY b.oldest), '{}')
  INTO heard, behind
  FROM (SELECT p.workspace_id, min(p.number) AS oldest FROM publication p
        LEFT JOIN event_listener l ON l.workspace_id = p.workspace_id AND l.name = p_listener
        WHERE p.number > p_after AND p.number > coalesce(l.number, 0)
          AND NOT EXISTS (SELECT FROM moved_workspace m WHERE m.workspace_id = p.workspace_id)
        GROUP BY p.workspace_id ORDER BY min(p.number) LIMIT p_most) b;
END $$;
