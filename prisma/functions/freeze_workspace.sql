-- A freeze waits for the postings that share its lock (guard_workspace()), and holds up those that come.
CREATE OR REPLACE FUNCTION freeze_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(x'66727a65'::int, spending_lock(NEW.id));
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER freeze_workspace BEFORE UPDATE OF frozen_at ON workspace FOR EACH ROW
  WHEN (NEW.frozen_at IS NOT NULL) EXECUTE FUNCTION freeze_workspace();
