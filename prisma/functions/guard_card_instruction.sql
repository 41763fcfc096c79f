-- What is asked never changes; a final status stays, but for an approved authorization that is called off. It is erased
-- with its agent.
CREATE OR REPLACE FUNCTION guard_card_instruction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('platform.erasing', true) <> '' THEN
    IF erases(to_jsonb(OLD), to_jsonb(NEW)) THEN
      RETURN NEW;
    END IF;
  END IF;
  IF (NEW.id, NEW.workspace_id, NEW.agent_id, NEW.account_id, NEW.network, NEW.type, NEW.payload, NEW.amount, NEW.currency, NEW.merchant_ref,
      NEW.original_id, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.agent_id, OLD.account_id, OLD.network, OLD.type, OLD.payload, OLD.amount, OLD.currency,
      OLD.merchant_ref, OLD.original_id, OLD.created_at) THEN
    RAISE EXCEPTION 'what a card instruction asks never changes' USING ERRCODE = 'AP010';
  END IF;
  IF NEW.status <> OLD.status AND (OLD.status IN ('declined', 'failed', 'cancelled')
     OR OLD.status = 'approved' AND NOT (NEW.status = 'cancelled' AND NEW.type = 'authorize' AND OLD.refunded = 0)) THEN
    RAISE EXCEPTION 'card instruction % is %', OLD.id, OLD.status USING ERRCODE = 'AP010';
  END IF;
  IF NEW.refunded < OLD.refunded OR NEW.refunded > OLD.refunded AND NEW.status <> 'approved' THEN
    RAISE EXCEPTION 'card instruction % cannot give back %', OLD.id, NEW.refunded USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER guard BEFORE UPDATE ON card_instruction FOR EACH ROW EXECUTE FUNCTION guard_card_instruction();
