-- Gives turns at the gates that have places: at each to the workspace whose last turn is the longest ago, and there to the oldest. Says
-- how many got one, whether to look again at once, and in how many milliseconds a gate opens at which something waits.
CREATE OR REPLACE FUNCTION webhook_give_turns(p_now timestamptz, p_most int, OUT given int, OUT more boolean, OUT next_ms float8) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_gate webhook_gate;
  v_workspace uuid;
  v_ids uuid[];
  v_taken int;
  v_looked int := 0;
BEGIN
  given := 0;
  FOR v_gate IN
    SELECT * FROM webhook_gate WHERE waiting AND next_at <= p_now ORDER BY next_at LIMIT p_most FOR UPDATE SKIP LOCKED
  LOOP
    v_looked := v_looked + 1;
    SELECT workspace_id INTO v_workspace FROM webhook_queue WHERE gate = v_gate.name ORDER BY turn LIMIT 1;
    IF NOT FOUND THEN
      UPDATE webhook_gate SET waiting = false WHERE name = v_gate.name;
      CONTINUE;
    END IF;
    SELECT array_agg(id) INTO v_ids FROM (
      SELECT id FROM webhook_delivery
      WHERE workspace_id = v_workspace AND waits_for = v_gate.name AND due_at IS NULL AND status IN ('pending', 'failed')
      ORDER BY id LIMIT v_gate.burst FOR NO KEY UPDATE
    ) oldest;
    IF v_ids IS NULL THEN
      DELETE FROM webhook_queue WHERE workspace_id = v_workspace AND gate = v_gate.name;
      CONTINUE;
    END IF;
    v_taken := webhook_take_places(v_gate, p_now, cardinality(v_ids));
    UPDATE webhook_delivery d SET due_at = p_now + w.clock_offset_ms * interval '1 ms'
    FROM workspace w WHERE w.id = v_workspace AND d.workspace_id = v_workspace AND d.id = ANY (v_ids[1:v_taken]);
    UPDATE webhook_queue SET turn = nextval('webhook_queue_turn_seq') WHERE workspace_id = v_workspace AND gate = v_gate.name;
    given := given + v_taken;
  END LOOP;
  more := v_looked > 0;
  SELECT extract(epoch FROM min(next_at) - p_now) * 1000 INTO next_ms FROM webhook_gate WHERE waiting;
END $$;
