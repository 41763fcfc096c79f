-- Where the checkout is and whose never changes, and what was paid stays paid.
CREATE OR REPLACE FUNCTION guard_change_of_checkout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.workspace_id, NEW.id, NEW.protocol, NEW.merchant_id, NEW.merchant_account_id, NEW.currency, NEW.created_at)
     IS DISTINCT FROM (OLD.workspace_id, OLD.id, OLD.protocol, OLD.merchant_id, OLD.merchant_account_id, OLD.currency, OLD.created_at) THEN
    RAISE EXCEPTION 'the merchant and the currency of a checkout never change' USING ERRCODE = 'AP010';
  END IF;
  IF OLD.paid_at IS NOT NULL AND (NEW.total, NEW.paid_at, NEW.transfer_id) IS DISTINCT FROM (OLD.total, OLD.paid_at, OLD.transfer_id)
     OR OLD.ended_at IS NOT NULL AND NEW.status <> OLD.status THEN
    RAISE EXCEPTION 'checkout % has been paid or has ended', OLD.id USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER guard BEFORE UPDATE ON checkout FOR EACH ROW EXECUTE FUNCTION guard_change_of_checkout();
