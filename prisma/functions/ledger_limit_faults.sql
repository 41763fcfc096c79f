-- Which limits the uses of a set would pass. Its counters are locked.
CREATE OR REPLACE FUNCTION ledger_limit_faults(s ledger_set) RETURNS SETOF ledger_fault LANGUAGE sql AS $$
  SELECT 'limit', x.workspace_id || ' ' || x.counter || ' ' || x."window", 'limit_exceeded',
    jsonb_build_object('counter', x.counter, 'window', x."window", 'maximum', coalesce(x.maximum, 9223372036854775807)::text,
      'used', coalesce(k.used + k.reserved, 0)::text, 'requested', (x.used + x.reserved)::text)
  FROM unnest(s.limit_workspace, s.limit_counter, s.limit_window, s.limit_used, s.limit_reserved, s.limit_maximum)
    AS x (workspace_id, counter, "window", used, reserved, maximum)
  LEFT JOIN limit_counter k ON k.workspace_id = x.workspace_id AND k.counter = x.counter AND k."window" = x."window"
  WHERE coalesce(k.used + k.reserved, 0) + x.used + x.reserved > coalesce(x.maximum, 9223372036854775807);
$$;
