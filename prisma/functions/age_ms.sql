CREATE OR REPLACE FUNCTION age_ms(at timestamptz) RETURNS float8 LANGUAGE sql VOLATILE STRICT AS $$
  SELECT greatest(0, extract(epoch FROM clock_timestamp() - at) * 1000)::float8
$$;
