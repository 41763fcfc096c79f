-- Whom a mandate is for, whose money it spends and in which currency never changes, and what was revoked stays so.
CREATE OR REPLACE FUNCTION guard_change_of_mandate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.workspace_id, NEW.id, NEW.account_id, NEW.agent_id, NEW.currency, NEW.created_at)
     IS DISTINCT FROM (OLD.workspace_id, OLD.id, OLD.account_id, OLD.agent_id, OLD.currency, OLD.created_at) THEN
    RAISE EXCEPTION 'the parties and the currency of a mandate never change' USING ERRCODE = 'AP010';
  END IF;
  IF OLD.revoked_at IS NOT NULL AND (NEW.revoked_at IS DISTINCT FROM OLD.revoked_at OR NEW.version <> OLD.version) THEN
    RAISE EXCEPTION 'mandate % is revoked', OLD.id USING ERRCODE = 'AP010';
  END IF;
  -- Whoever ends a version waits for the postings that share its lock (guard_mandate()), and holds up those that come.
  IF NEW.revoked_at IS DISTINCT FROM OLD.revoked_at OR NEW.version_id <> OLD.version_id THEN
    PERFORM pg_advisory_xact_lock(x'6d6e6474'::int, spending_lock(OLD.version_id));
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER guard BEFORE UPDATE ON mandate FOR EACH ROW EXECUTE FUNCTION guard_change_of_mandate();
