-- A payment whose transfer ends without its money has failed, whoever ends it: an approval, an expiry, the payer.
CREATE OR REPLACE FUNCTION end_x402_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE x402_payment SET status = 'failed', failure_reason = coalesce(NEW.failure_code, NEW.status::text), due_at = NULL
  WHERE workspace_id = NEW.workspace_id AND id = NEW.id AND status = 'pending';
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER end_x402_payment AFTER UPDATE OF status ON transfer FOR EACH ROW
  WHEN (NEW.protocol IN ('x402', 'mpp') AND NEW.status IN ('failed', 'cancelled') AND OLD.status <> NEW.status)
  EXECUTE FUNCTION end_x402_payment();
