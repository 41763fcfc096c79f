-- AlterTable
ALTER TABLE "x402_payment" ADD COLUMN     "protocol" "protocol" NOT NULL DEFAULT 'x402';

ALTER TABLE x402_payment ADD CONSTRAINT x402_payment_protocol CHECK (protocol IN ('x402', 'mpp'));

-- Where MPP finds whom a service_url means.
CREATE INDEX x402_endpoint_url ON x402_endpoint (workspace_id, url) WHERE url IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX merchant_url ON merchant (workspace_id, url) WHERE url IS NOT NULL;

-- Who pays whom, with which authorization, never changes; a final status stays, and a proof is used up once.
CREATE OR REPLACE FUNCTION guard_x402_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.workspace_id, NEW.id, NEW.endpoint_id, NEW.wallet_id, NEW.payer_wallet, NEW.pay_to, NEW.currency, NEW.network, NEW.asset,
      NEW.scheme, NEW.protocol, NEW.nonce, NEW.created_at)
     IS DISTINCT FROM (OLD.workspace_id, OLD.id, OLD.endpoint_id, OLD.wallet_id, OLD.payer_wallet, OLD.pay_to, OLD.currency, OLD.network,
      OLD.asset, OLD.scheme, OLD.protocol, OLD.nonce, OLD.created_at) THEN
    RAISE EXCEPTION 'the parties of an x402 payment never change' USING ERRCODE = 'AP010';
  END IF;
  IF OLD.status <> 'pending' AND (NEW.status, NEW.amount) IS DISTINCT FROM (OLD.status, OLD.amount)
     OR OLD.consumed_at IS NOT NULL AND NEW.consumed_at IS DISTINCT FROM OLD.consumed_at THEN
    RAISE EXCEPTION 'x402 payment % is %', OLD.id, OLD.status USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;

-- A payment whose transfer ends without its money has failed, by whichever protocol it was to be paid.
DROP TRIGGER end_x402_payment ON transfer;
CREATE TRIGGER end_x402_payment AFTER UPDATE OF status ON transfer FOR EACH ROW
  WHEN (NEW.protocol IN ('x402', 'mpp') AND NEW.status IN ('failed', 'cancelled') AND OLD.status <> NEW.status)
  EXECUTE FUNCTION end_x402_payment();
