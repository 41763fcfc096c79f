-- What an execution leaves is known when it is posted, and the posting writes the event: the counters of its windows have been updated
-- by then, and are locked until it is committed. A test event names no mandate, and keeps what it says.
CREATE OR REPLACE FUNCTION tell_mandate_left() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_data jsonb := NEW.data;
  v_at timestamp := NEW.created_at AT TIME ZONE 'UTC';
  v_mandate mandate;
BEGIN
  SELECT * INTO v_mandate FROM mandate m
  WHERE m.workspace_id = NEW.workspace_id AND m.id = right(v_data ->> 'mandate_id', 36)::uuid;
  IF FOUND THEN
    NEW.data := v_data || jsonb_build_object(
      'remaining_daily',
      mandate_left(NEW.workspace_id, v_mandate.id, v_mandate.max_per_day, to_char(v_at, 'YYYY-MM-DD'), v_mandate.currency),
      'remaining_monthly',
      mandate_left(NEW.workspace_id, v_mandate.id, v_mandate.max_per_month, to_char(v_at, 'YYYY-MM'), v_mandate.currency));
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER tell_mandate_left BEFORE INSERT ON event
  FOR EACH ROW WHEN (NEW.type = 'ap2.mandate.executed') EXECUTE FUNCTION tell_mandate_left();
