-- How many of p_wanted may pass a gate now: none while others wait there.
CREATE OR REPLACE FUNCTION webhook_pass(p_gate text, p_now timestamptz, p_wanted int, p_interval_us int, p_burst int, p_daily int)
RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_gate webhook_gate := webhook_gate_of(p_gate, p_now, p_interval_us, p_burst, p_daily);
BEGIN
  IF v_gate.waiting THEN RETURN 0; END IF;
  RETURN webhook_take_places(v_gate, p_now, p_wanted);
END $$;
