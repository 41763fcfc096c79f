-- Whoever lets a payout wait for a window shares a lock of its workspace until it has committed; whoever closes or changes a window takes
-- it alone. So no payout waits for a window that does not see it.
CREATE OR REPLACE FUNCTION share_windows(workspace_id uuid) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock_shared(x'77696e64'::int, spending_lock(workspace_id))
$$;
