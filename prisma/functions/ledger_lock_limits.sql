-- Locks the counters of a set, after making those that are missing and that something is used of. `before`, by limit: what its counter
-- stands at. `exceeded`: the set passes a maximum. `passed`: it passes a mark.
CREATE OR REPLACE FUNCTION ledger_lock_limits(s ledger_set, OUT before bigint[], OUT exceeded boolean, OUT passed boolean) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_missing boolean;
BEGIN
  FOR v_try IN 1..2 LOOP
    SELECT array_agg(coalesce(l.stands, 0) ORDER BY l.index),
           bool_or(coalesce(l.stands, 0) + l.requested > coalesce(l.maximum, 9223372036854775807)),
           bool_or(l.marks IS NOT NULL AND EXISTS (
             SELECT FROM unnest(l.marks::bigint[]) AS m (mark)
             WHERE coalesce(l.stands, 0) < m.mark AND coalesce(l.stands, 0) + l.requested >= m.mark)),
           bool_or(l.stands IS NULL AND l.requested > 0)
    INTO before, exceeded, passed, v_missing
    FROM (SELECT x.index, x.maximum, x.marks, x.used + x.reserved AS requested,
            (SELECT k.used + k.reserved FROM limit_counter k
             WHERE k.workspace_id = x.workspace_id AND k.counter = x.counter AND k."window" = x."window" FOR NO KEY UPDATE) AS stands
          FROM unnest(s.limit_workspace, s.limit_counter, s.limit_window, s.limit_used, s.limit_reserved, s.limit_maximum, s.limit_marks)
            WITH ORDINALITY AS x (workspace_id, counter, "window", used, reserved, maximum, marks, index)
          OFFSET 0) l;
    EXIT WHEN NOT v_missing;
    INSERT INTO limit_counter (workspace_id, counter, "window")
    SELECT x.workspace_id, x.counter, x."window"
    FROM unnest(s.limit_workspace, s.limit_counter, s.limit_window, s.limit_used, s.limit_reserved)
      AS x (workspace_id, counter, "window", used, reserved)
    WHERE x.used + x.reserved > 0
    ON CONFLICT DO NOTHING;
  END LOOP;
END $$;
