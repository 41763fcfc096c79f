-- The parties and the amount of a transfer never change, nor does a transfer leave a terminal status. The payee of a task is not known
-- until somebody claims it, and changes when a claim is lost.
CREATE OR REPLACE FUNCTION guard_transfer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.workspace_id, NEW.type, NEW.amount, NEW.currency, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.type, OLD.amount, OLD.currency, OLD.created_at)
     OR (NEW.from_wallet_id, NEW.from_account_id) IS DISTINCT FROM (OLD.from_wallet_id, OLD.from_account_id)
     OR (NEW.to_wallet_id, NEW.to_account_id) IS DISTINCT FROM (OLD.to_wallet_id, OLD.to_account_id)
       AND NOT (OLD.subject_type = 'task' AND OLD.status = 'pending' AND NEW.status = 'pending') THEN
    RAISE EXCEPTION 'the amount and the parties of a transfer never change' USING ERRCODE = 'AP010';
  END IF;
  IF (NEW.subject_type, NEW.subject_id, NEW.origin_type, NEW.origin_id, NEW.is_spend)
     IS DISTINCT FROM (OLD.subject_type, OLD.subject_id, OLD.origin_type, OLD.origin_id, OLD.is_spend) THEN
    RAISE EXCEPTION 'what a transfer is of never changes' USING ERRCODE = 'AP010';
  END IF;
  IF NEW.status <> OLD.status AND OLD.status IN ('completed', 'failed', 'cancelled') THEN
    RAISE EXCEPTION 'transfer % is %', OLD.id, OLD.status USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER guard BEFORE UPDATE ON transfer FOR EACH ROW EXECUTE FUNCTION guard_transfer();
