-- Printed by scripts/guards.ts. Of each card charge: the amount and the parties never change; returned_at is set once; a final status stays.
CREATE OR REPLACE FUNCTION guard_card_charge() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.workspace_id, NEW.transfer_id, NEW.card_id, NEW.merchant_id, NEW.wallet_id, NEW.subject_type, NEW.subject_id, NEW.amount, NEW.fee, NEW.currency, NEW.rail, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.transfer_id, OLD.card_id, OLD.merchant_id, OLD.wallet_id, OLD.subject_type, OLD.subject_id, OLD.amount, OLD.fee, OLD.currency, OLD.rail, OLD.created_at) THEN
    RAISE EXCEPTION 'card charge %: the amount and the parties of this card charge never change', OLD.id USING ERRCODE = 'AP010';
  END IF;
  IF OLD.returned_at IS NOT NULL AND NEW.returned_at IS DISTINCT FROM OLD.returned_at THEN
    RAISE EXCEPTION 'card charge %: returned_at is set once', OLD.id USING ERRCODE = 'AP010';
  END IF;
  IF NEW.status <> OLD.status AND OLD.status NOT IN ('pending') THEN
    RAISE EXCEPTION 'card charge %: its status is final', OLD.id USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER guard BEFORE UPDATE ON card_charge FOR EACH ROW EXECUTE FUNCTION guard_card_charge();
