-- Printed by scripts/guards.ts. Of each x402 endpoint: the account and the currency never change; nothing changes after deleted_at; it is erased with whom it belongs to.
CREATE OR REPLACE FUNCTION guard_x402_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('platform.erasing', true) <> '' THEN
    IF erases(to_jsonb(OLD), to_jsonb(NEW)) THEN
      RETURN NEW;
    END IF;
  END IF;
  IF (NEW.workspace_id, NEW.id, NEW.account_id, NEW.currency, NEW.created_at)
     IS DISTINCT FROM (OLD.workspace_id, OLD.id, OLD.account_id, OLD.currency, OLD.created_at) THEN
    RAISE EXCEPTION 'x402 endpoint %: the account and the currency of this x402 endpoint never change', OLD.id USING ERRCODE = 'AP010';
  END IF;
  IF OLD.deleted_at IS NOT NULL AND NEW IS DISTINCT FROM OLD THEN
    RAISE EXCEPTION 'x402 endpoint %: nothing of it changes any more', OLD.id USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER guard BEFORE UPDATE ON x402_endpoint FOR EACH ROW EXECUTE FUNCTION guard_x402_endpoint();
