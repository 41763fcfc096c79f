-- The row of a gate, locked, with the measure that counts from now on. A new one has all of its places.
CREATE OR REPLACE FUNCTION webhook_gate_of(p_gate text, p_now timestamptz, p_interval_us int, p_burst int, p_daily int)
RETURNS webhook_gate LANGUAGE sql AS $$
  INSERT INTO webhook_gate AS known (name, next_at, interval_us, burst, daily, day)
  VALUES (p_gate, p_now - p_burst * p_interval_us * interval '1 us', p_interval_us, p_burst, p_daily, (p_now AT TIME ZONE 'UTC')::date)
  ON CONFLICT (name) DO UPDATE SET interval_us = EXCLUDED.interval_us, burst = EXCLUDED.burst, daily = EXCLUDED.daily
  RETURNING known.*
$$;
