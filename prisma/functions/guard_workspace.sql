-- The kill switch, exact over all processes: postings share a lock that the freeze takes alone (freeze_workspace()). So a freeze is
-- answered when every posting that passed before it has ended, and those that come after read it: the lock is a statement of its own,
-- and the next one sees what was committed until then. It is no lock of the row, which every posting would write.
CREATE OR REPLACE FUNCTION guard_workspace(workspace uuid) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(x'66727a65'::int, spending_lock(workspace));
  PERFORM FROM workspace w WHERE w.id = guard_workspace.workspace AND w.frozen_at IS NULL;
  RETURN CASE WHEN NOT FOUND THEN 'workspace_frozen' END;
END $$;
