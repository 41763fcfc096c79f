-- Printed by scripts/guards.ts. Of each payout: the amount and the parties never change; a final status stays.
CREATE OR REPLACE FUNCTION guard_payout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.workspace_id, NEW.transfer_id, NEW.wallet_id, NEW.amount, NEW.fee, NEW.currency, NEW.rail, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.transfer_id, OLD.wallet_id, OLD.amount, OLD.fee, OLD.currency, OLD.rail, OLD.created_at) THEN
    RAISE EXCEPTION 'payout %: the amount and the parties of this payout never change', OLD.id USING ERRCODE = 'AP010';
  END IF;
  IF NEW.status <> OLD.status AND OLD.status NOT IN ('pending', 'confirmed') AND (OLD.status, NEW.status) NOT IN (('complete', 'returned')) THEN
    RAISE EXCEPTION 'payout %: its status is final', OLD.id USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER guard BEFORE UPDATE ON payout FOR EACH ROW EXECUTE FUNCTION guard_payout();
