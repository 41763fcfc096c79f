CREATE OR REPLACE FUNCTION lock_windows(workspace_id uuid) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock(x'77696e64'::int, spending_lock(workspace_id))
$$;
