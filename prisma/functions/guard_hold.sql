-- A hold is resolved once, and what it holds never changes.
CREATE OR REPLACE FUNCTION guard_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> 'held'
     OR (NEW.transfer_id, NEW.from_account_id, NEW.held_account_id, NEW.currency, NEW.amount, NEW.created_at)
     IS DISTINCT FROM (OLD.transfer_id, OLD.from_account_id, OLD.held_account_id, OLD.currency, OLD.amount, OLD.created_at) THEN
    RAISE EXCEPTION 'hold % is %, and what it holds never changes', OLD.id, OLD.status USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER guard BEFORE UPDATE ON hold FOR EACH ROW EXECUTE FUNCTION guard_hold();
