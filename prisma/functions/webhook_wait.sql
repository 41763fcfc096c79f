-- Lets deliveries that were claimed wait at a gate. Those of a subscription that was verified meanwhile are given back: its row is shared
-- until the end, so a verification sees what waits, or is seen.
CREATE OR REPLACE FUNCTION webhook_wait(
  p_workspace uuid, p_ids uuid[], p_gate text, p_now timestamptz, p_interval_us int, p_burst int, p_daily int
) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_webhooks uuid[];
BEGIN
  PERFORM webhook_gate_of(p_gate, p_now, p_interval_us, p_burst, p_daily);
  UPDATE webhook_gate SET waiting = true WHERE name = p_gate AND NOT waiting;
  INSERT INTO webhook_queue (workspace_id, gate) VALUES (p_workspace, p_gate) ON CONFLICT DO NOTHING;
  SELECT array_agg(DISTINCT d.webhook_id) INTO v_webhooks
  FROM unnest(p_ids) AS wanted (id) JOIN webhook_delivery d ON d.workspace_id = p_workspace AND d.id = wanted.id;
  PERFORM FROM webhook WHERE workspace_id = p_workspace AND id = ANY (v_webhooks) ORDER BY id FOR SHARE;
  UPDATE webhook_delivery d
  SET lease_until = NULL, status = (CASE WHEN d.attempt_count = 0 THEN 'pending' ELSE 'failed' END)::delivery_status,
      waits_for = CASE WHEN stays THEN p_gate END, due_at = CASE WHEN stays THEN NULL ELSE d.due_at END
  FROM (
    SELECT c.id, c.override_url IS NOT NULL OR (h.verified_at IS NULL) = starts_with(p_gate, 'host:') OR h.verified_until IS NOT NULL AS stays
    FROM unnest(p_ids) AS wanted (id)
    JOIN webhook_delivery c ON c.workspace_id = p_workspace AND c.id = wanted.id
    JOIN webhook h ON h.workspace_id = p_workspace AND h.id = c.webhook_id
  ) held
  WHERE d.workspace_id = p_workspace AND d.id = held.id AND d.status = 'processing';
END $$;
