-- Printed by scripts/guards.ts. Of each funding transaction: the amount and the parties never change; returned_at is set once; a final status stays.
CREATE OR REPLACE FUNCTION guard_funding_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.workspace_id, NEW.transfer_id, NEW.wallet_id, NEW.amount, NEW.fee, NEW.currency, NEW.rail, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.transfer_id, OLD.wallet_id, OLD.amount, OLD.fee, OLD.currency, OLD.rail, OLD.created_at) THEN
    RAISE EXCEPTION 'funding transaction %: the amount and the parties of this funding transaction never change', OLD.id USING ERRCODE = 'AP010';
  END IF;
  IF OLD.returned_at IS NOT NULL AND NEW.returned_at IS DISTINCT FROM OLD.returned_at THEN
    RAISE EXCEPTION 'funding transaction %: returned_at is set once', OLD.id USING ERRCODE = 'AP010';
  END IF;
  IF NEW.status <> OLD.status AND OLD.status NOT IN ('pending') THEN
    RAISE EXCEPTION 'funding transaction %: its status is final', OLD.id USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER guard BEFORE UPDATE ON funding_transaction FOR EACH ROW EXECUTE FUNCTION guard_funding_transaction();
