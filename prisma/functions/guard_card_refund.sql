-- Printed by scripts/guards.ts. Of each card refund: the amount and the parties never change; returned_at is set once; a final status stays.
CREATE OR REPLACE FUNCTION guard_card_refund() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.workspace_id, NEW.transfer_id, NEW.charge_id, NEW.amount, NEW.currency, NEW.rail, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.transfer_id, OLD.charge_id, OLD.amount, OLD.currency, OLD.rail, OLD.created_at) THEN
    RAISE EXCEPTION 'card refund %: the amount and the parties of this card refund never change', OLD.id USING ERRCODE = 'AP010';
  END IF;
  IF OLD.returned_at IS NOT NULL AND NEW.returned_at IS DISTINCT FROM OLD.returned_at THEN
    RAISE EXCEPTION 'card refund %: returned_at is set once', OLD.id USING ERRCODE = 'AP010';
  END IF;
  IF NEW.status <> OLD.status AND OLD.status NOT IN ('pending') THEN
    RAISE EXCEPTION 'card refund %: its status is final', OLD.id USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER guard BEFORE UPDATE ON card_refund FOR EACH ROW EXECUTE FUNCTION guard_card_refund();
