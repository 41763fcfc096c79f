-- Publishes lines of the outbox: removes them, notes the publication, writes deliveries and numbers what channels of agents show. Says how
-- long the oldest line had waited (`lag_ms`), and which traces go on with what was published. `p_sender` is that of show_events().
CREATE OR REPLACE FUNCTION publish_outbox(
  p_now timestamptz, p_sender text, p_most int, p_after bigint, p_shard int, p_shards int, p_workspace uuid,
  OUT busy boolean, OUT size int, OUT deliveries int, OUT shown json, OUT last bigint, OUT lag_ms float8, OUT traces json
) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_workspaces uuid[];
  v_events uuid[];
  v_counting uuid[];
  v_operations uuid[];
  v_audited uuid[];
  v_lines uuid[];
  v_roles jsonb;
BEGIN
  size := 0;
  deliveries := 0;
  busy := NOT pg_try_advisory_xact_lock(x'6f757462'::int, p_shard);
  IF busy THEN RETURN; END IF;
  WITH oldest AS (
    SELECT l.workspace_id, l.id,
           sum(greatest(cardinality(l.event_ids), 1)) OVER (ORDER BY l.id) - greatest(cardinality(l.event_ids), 1) AS ahead
    FROM (SELECT * FROM outbox o
          WHERE o.id > p_after AND (p_shards = 1 OR shard_of(o.workspace_id, p_shards) = p_shard)
            AND (p_workspace IS NULL OR o.workspace_id = p_workspace)
            -- Lines of who is absent stay where they are, however many there are: they keep nobody else waiting.
            AND NOT EXISTS (SELECT FROM moved_workspace m WHERE m.workspace_id = o.workspace_id)
          ORDER BY o.id LIMIT p_most) l
  ), taken AS (
    DELETE FROM outbox o USING oldest
    WHERE o.workspace_id = oldest.workspace_id AND o.id = oldest.id AND oldest.ahead < p_most
    RETURNING o.*
  )
  SELECT e.workspaces, e.events, o.workspaces, o.operations, a.workspaces, a.lines,
         (SELECT jsonb_object_agg(r.key, r.value) FROM taken, jsonb_each(taken.roles) r), l.last, l.size, l.lag_ms,
         (SELECT json_agg(json_build_object('traceparent', u.traceparent, 'lagMs', age_ms(t.written_at)))
          FROM taken t CROSS JOIN LATERAL unnest(t.traces) AS u (traceparent))
  INTO v_workspaces, v_events, v_counting, v_operations, v_audited, v_lines, v_roles, last, size, lag_ms, traces
  FROM (SELECT max(t.id) AS last, coalesce(sum(greatest(cardinality(t.event_ids), 1)), 0) AS size, age_ms(min(t.written_at)) AS lag_ms
        FROM taken t) l
  CROSS JOIN (
    SELECT array_agg(t.workspace_id ORDER BY t.id, u.place) AS workspaces, array_agg(u.id ORDER BY t.id, u.place) AS events
    FROM taken t CROSS JOIN LATERAL unnest(t.event_ids) WITH ORDINALITY AS u (id, place)
  ) e CROSS JOIN (
    SELECT array_agg(t.workspace_id ORDER BY t.id, u.place) AS workspaces, array_agg(u.id ORDER BY t.id, u.place) AS operations
    FROM taken t CROSS JOIN LATERAL unnest(t.operation_ids) WITH ORDINALITY AS u (id, place)
  ) o CROSS JOIN (
    SELECT array_agg(t.workspace_id ORDER BY t.id, u.place) AS workspaces, array_agg(u.id ORDER BY t.id, u.place) AS lines
    FROM taken t CROSS JOIN LATERAL unnest(t.line_ids) WITH ORDINALITY AS u (id, place)
  ) a;
  IF v_events IS NULL AND v_operations IS NULL AND v_lines IS NULL THEN RETURN; END IF;

  INSERT INTO publication (workspace_id, event_ids, operation_ids, line_ids, published_at)
  SELECT u.workspace_id, coalesce(array_agg(u.event_id ORDER BY u.place) FILTER (WHERE u.event_id IS NOT NULL), '{}'),
         coalesce(array_agg(u.operation_id ORDER BY u.place) FILTER (WHERE u.operation_id IS NOT NULL), '{}'),
         coalesce(array_agg(u.line_id ORDER BY u.place) FILTER (WHERE u.line_id IS NOT NULL), '{}'), p_now
  FROM (
    SELECT e.workspace_id, e.id AS event_id, NULL::uuid AS operation_id, NULL::uuid AS line_id, e.place
    FROM unnest(v_workspaces, v_events) WITH ORDINALITY AS e (workspace_id, id, place)
    UNION ALL
    SELECT o.workspace_id, NULL, o.id, NULL, o.place FROM unnest(v_counting, v_operations) WITH ORDINALITY AS o (workspace_id, id, place)
    UNION ALL
    SELECT a.workspace_id, NULL, NULL, a.id, a.place FROM unnest(v_audited, v_lines) WITH ORDINALITY AS a (workspace_id, id, place)
  ) u GROUP BY u.workspace_id;
  IF v_events IS NULL THEN RETURN; END IF;

  -- Most workspaces have none: then no event is read.
  IF EXISTS (SELECT FROM webhook w WHERE w.workspace_id = ANY (v_workspaces) AND w.status = 'active' AND w.deleted_at IS NULL) THEN
    -- The subscriptions are read for each event by itself (OFFSET 0 keeps them apart), so that a batch of many workspaces costs no more.
    -- A subscription does not receive webhook.dlq for its own deliveries: they would fail in the same way.
    WITH published AS MATERIALIZED (
      SELECT e.workspace_id, e.id, e.type, e.created_at, u.place,
             CASE WHEN e.type = 'webhook.dlq' THEN e.data ->> 'webhook_id' END AS failed_webhook
      FROM unnest(v_workspaces, v_events) WITH ORDINALITY AS u (workspace_id, event_id, place)
      JOIN event e ON e.workspace_id = u.workspace_id AND e.id = u.event_id
      WHERE NOT starts_with(e.type, '_')
    )
    INSERT INTO webhook_delivery (id, workspace_id, webhook_id, event_id, event_type, due_at, created_at)
    SELECT uuid_at(p.created_at, row_number() OVER (ORDER BY p.place, w.id)), p.workspace_id, w.id, p.id, p.type, p.created_at, p.created_at
    FROM published p CROSS JOIN LATERAL (
      SELECT id, events FROM webhook WHERE workspace_id = p.workspace_id AND status = 'active' AND deleted_at IS NULL OFFSET 0
    ) w
    WHERE EXISTS (
        SELECT FROM unnest(w.events) AS pattern
        WHERE pattern = p.type OR right(pattern, 1) = '*' AND starts_with(p.type, left(pattern, -1))
      )
      AND (p.failed_webhook IS NULL OR p.failed_webhook <> 'wh_' || w.id)
    ORDER BY p.place, w.id;
    GET DIAGNOSTICS deliveries = ROW_COUNT;
  END IF;

  IF v_roles IS NOT NULL THEN shown := show_events(v_workspaces, v_events, v_roles, p_sender); END IF;
END $$;
