-- Printed by scripts/guards.ts. Of each vaulted card: the owner and the number never change; nothing changes after deleted_at; it is erased with whom it belongs to.
CREATE OR REPLACE FUNCTION guard_vaulted_card() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('platform.erasing', true) <> '' THEN
    IF erases(to_jsonb(OLD), to_jsonb(NEW)) THEN
      RETURN NEW;
    END IF;
  END IF;
  IF (NEW.id, NEW.workspace_id, NEW.account_id, NEW.agent_id, NEW.processor, NEW.card_last_four, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.account_id, OLD.agent_id, OLD.processor, OLD.card_last_four, OLD.created_at) THEN
    RAISE EXCEPTION 'vaulted card %: the owner and the number of this vaulted card never change', OLD.id USING ERRCODE = 'AP010';
  END IF;
  IF OLD.deleted_at IS NOT NULL AND NEW IS DISTINCT FROM OLD THEN
    RAISE EXCEPTION 'vaulted card %: nothing of it changes any more', OLD.id USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER guard BEFORE UPDATE ON vaulted_card FOR EACH ROW EXECUTE FUNCTION guard_vaulted_card();
