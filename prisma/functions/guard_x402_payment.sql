-- Printed by scripts/guards.ts. Of each x402 payment: the parties never change; consumed_at, credited_at is set once; a final status stays.
CREATE OR REPLACE FUNCTION guard_x402_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.workspace_id, NEW.id, NEW.endpoint_id, NEW.wallet_id, NEW.payer_wallet, NEW.pay_to, NEW.currency, NEW.network, NEW.asset, NEW.scheme, NEW.protocol, NEW.nonce, NEW.created_at)
     IS DISTINCT FROM (OLD.workspace_id, OLD.id, OLD.endpoint_id, OLD.wallet_id, OLD.payer_wallet, OLD.pay_to, OLD.currency, OLD.network, OLD.asset, OLD.scheme, OLD.protocol, OLD.nonce, OLD.created_at) THEN
    RAISE EXCEPTION 'x402 payment %: the parties of this x402 payment never change', OLD.id USING ERRCODE = 'AP010';
  END IF;
  IF OLD.consumed_at IS NOT NULL AND NEW.consumed_at IS DISTINCT FROM OLD.consumed_at THEN
    RAISE EXCEPTION 'x402 payment %: consumed_at is set once', OLD.id USING ERRCODE = 'AP010';
  END IF;
  IF OLD.credited_at IS NOT NULL AND NEW.credited_at IS DISTINCT FROM OLD.credited_at THEN
    RAISE EXCEPTION 'x402 payment %: credited_at is set once', OLD.id USING ERRCODE = 'AP010';
  END IF;
  IF NEW.status <> OLD.status AND OLD.status NOT IN ('pending') AND (OLD.status, NEW.status) NOT IN (('settled', 'failed')) THEN
    RAISE EXCEPTION 'x402 payment %: its status is final', OLD.id USING ERRCODE = 'AP010';
  END IF;
  IF OLD.status NOT IN ('pending') AND (NEW.amount) IS DISTINCT FROM (OLD.amount) THEN
    RAISE EXCEPTION 'x402 payment %: amount is settled', OLD.id USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER guard BEFORE UPDATE ON x402_payment FOR EACH ROW EXECUTE FUNCTION guard_x402_payment();
