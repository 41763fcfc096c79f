-- Takes up to p_wanted places of a gate whose row is locked; how many there were. next_at is when the next one is free.
CREATE OR REPLACE FUNCTION webhook_take_places(p_gate webhook_gate, p_now timestamptz, p_wanted int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_step interval := p_gate.interval_us * interval '1 us';
  v_from timestamptz := greatest(p_gate.next_at, p_now - (p_gate.burst - 1) * v_step);
  v_day date := (p_now AT TIME ZONE 'UTC')::date;
  v_passed int := CASE WHEN p_gate.day = v_day THEN p_gate.passed ELSE 0 END;
  v_taken int;
BEGIN
  IF p_gate.next_at > p_now THEN RETURN 0; END IF;
  v_taken := least(p_wanted, floor(extract(epoch FROM p_now - v_from) * 1000000 / p_gate.interval_us)::int + 1);
  v_taken := greatest(0, least(v_taken, p_gate.daily - v_passed));
  UPDATE webhook_gate SET day = v_day, passed = v_passed + v_taken,
    next_at = CASE WHEN v_passed + v_taken >= p_gate.daily THEN (v_day + 1)::timestamp AT TIME ZONE 'UTC' ELSE v_from + v_taken * v_step END
  WHERE name = p_gate.name;
  RETURN v_taken;
END $$;
