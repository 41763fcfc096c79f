-- Printed by scripts/guards.ts. Of each card verification: the result never change; instruction_id is set once; it is erased with whom it belongs to.
CREATE OR REPLACE FUNCTION guard_card_verification() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('platform.erasing', true) <> '' THEN
    IF erases(to_jsonb(OLD), to_jsonb(NEW)) THEN
      RETURN NEW;
    END IF;
  END IF;
  IF (NEW.id, NEW.workspace_id, NEW.agent_id, NEW.network, NEW.rejection_reason, NEW.rejection_details, NEW.nonce_hash, NEW.merchant_ref, NEW.amount, NEW.currency, NEW.description, NEW.created_at, NEW.expires_at, NEW.kept_until)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.agent_id, OLD.network, OLD.rejection_reason, OLD.rejection_details, OLD.nonce_hash, OLD.merchant_ref, OLD.amount, OLD.currency, OLD.description, OLD.created_at, OLD.expires_at, OLD.kept_until) THEN
    RAISE EXCEPTION 'card verification %: the result of this card verification never change', OLD.id USING ERRCODE = 'AP010';
  END IF;
  IF OLD.instruction_id IS NOT NULL AND NEW.instruction_id IS DISTINCT FROM OLD.instruction_id THEN
    RAISE EXCEPTION 'card verification %: instruction_id is set once', OLD.id USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER guard BEFORE UPDATE ON card_verification FOR EACH ROW EXECUTE FUNCTION guard_card_verification();
