-- What a listener is to hear of a workspace, and its position moved behind it: both are kept when the transaction that hears it is. No row
-- when the listener has no position there yet; no end when there is nothing to hear, or another process hears it. What follows in the
-- transaction is planned once and goes by index: a listener hears some stretches a second, and planning one took as long as hearing it.
CREATE OR REPLACE FUNCTION take_stretch(p_workspace uuid, p_listener text, p_most int)
RETURNS TABLE (after bigint, up_to bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true);
  SELECT l.number INTO after FROM event_listener l WHERE l.workspace_id = p_workspace AND l.name = p_listener FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    -- To make a position that another process is moving would wait for that process.
    IF EXISTS (SELECT FROM event_listener l WHERE l.workspace_id = p_workspace AND l.name = p_listener) THEN RETURN NEXT; END IF;
    RETURN;
  END IF;
  SELECT max(s.number) INTO up_to FROM (
    SELECT p.number FROM publication p WHERE p.workspace_id = p_workspace AND p.number > after ORDER BY p.number LIMIT p_most) s;
  IF up_to IS NOT NULL THEN
    UPDATE event_listener l SET number = up_to WHERE l.workspace_id = p_workspace AND l.name = p_listener;
  END IF;
  RETURN NEXT;
END $$;
