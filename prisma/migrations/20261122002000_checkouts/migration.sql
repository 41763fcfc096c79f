-- Checkouts of ACP and UCP (src/contexts/checkouts): a basket at a merchant, and its payment.

-- CreateEnum
CREATE TYPE "checkout_status" AS ENUM ('created', 'pending_payment', 'paid', 'fulfilled', 'failed', 'expired', 'cancelled');

-- CreateEnum
CREATE TYPE "checkout_payment_method" AS ENUM ('card', 'bank', 'stablecoin');

-- CreateEnum
CREATE TYPE "checkout_payment_kind" AS ENUM ('wallet', 'mandate', 'card', 'x402');

-- AlterTable
ALTER TABLE "transfer" ADD COLUMN     "checkout_id" UUID;

-- CreateTable
CREATE TABLE "checkout" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "protocol" "protocol" NOT NULL,
    "merchant_id" UUID NOT NULL,
    "merchant_account_id" UUID NOT NULL,
    "status" "checkout_status" NOT NULL,
    "items" JSONB NOT NULL,
    "currency" TEXT NOT NULL,
    "fulfillment_amount" BIGINT NOT NULL DEFAULT 0,
    "tax_amount" BIGINT NOT NULL DEFAULT 0,
    "total" BIGINT NOT NULL,
    "shipping_address" JSONB,
    "payment_method" "checkout_payment_method" NOT NULL DEFAULT 'card',
    "secret_hash" BYTEA NOT NULL,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "details" JSONB,
    "success_url" TEXT,
    "cancel_url" TEXT,
    "created_by_type" "initiator_type" NOT NULL,
    "created_by_id" UUID NOT NULL,
    "creator_agent_id" UUID,
    "agent_id" UUID,
    "payer_agent_id" UUID,
    "batch_id" UUID,
    "trace_id" TEXT,
    "paid_by" "checkout_payment_kind",
    "transfer_id" UUID,
    "approval_id" UUID,
    "failure_code" TEXT,
    "failure_message" TEXT,
    "cancel_reason" TEXT,
    "intent_trace" JSONB,
    "tracking" TEXT,
    "delivered_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "attempted_at" TIMESTAMPTZ(3),
    "paid_at" TIMESTAMPTZ(3),
    "fulfilled_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateIndex
CREATE INDEX "checkout_workspace_id_protocol_id_idx" ON "checkout"("workspace_id", "protocol", "id");

-- CreateIndex
CREATE INDEX "checkout_workspace_id_protocol_status_id_idx" ON "checkout"("workspace_id", "protocol", "status", "id");

-- CreateIndex
CREATE INDEX "checkout_workspace_id_merchant_id_id_idx" ON "checkout"("workspace_id", "merchant_id", "id");

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "checkout" ADD CONSTRAINT "checkout_pkey" PRIMARY KEY ("workspace_id", "id");

-- AddForeignKey
ALTER TABLE "checkout" ADD CONSTRAINT "checkout_workspace_id_merchant_id_fkey" FOREIGN KEY ("workspace_id", "merchant_id") REFERENCES "merchant"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "checkout" ADD CONSTRAINT "checkout_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE checkout ADD CONSTRAINT checkout_bounds CHECK (
  protocol IN ('acp', 'ucp') AND total > 0 AND fulfillment_amount >= 0 AND tax_amount >= 0 AND expires_at > created_at
  AND jsonb_array_length(items) BETWEEN 1 AND 100
);
-- What was paid has a transfer, and only it has been paid; what has ended is not due.
ALTER TABLE checkout ADD CONSTRAINT checkout_payment CHECK (
  (status IN ('paid', 'fulfilled')) = (paid_at IS NOT NULL) AND (paid_at IS NULL OR transfer_id IS NOT NULL)
  AND (status = 'fulfilled') = (fulfilled_at IS NOT NULL) AND (status IN ('cancelled', 'expired')) = (ended_at IS NOT NULL)
  AND (due_at IS NULL OR status IN ('created', 'pending_payment', 'failed'))
);
CREATE INDEX checkout_due ON checkout (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX checkout_due_workspace ON checkout (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX checkout_leased ON checkout (workspace_id) WHERE lease_until IS NOT NULL;
CREATE TRIGGER immutable BEFORE DELETE ON checkout FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Where the checkout is and whose never changes, and what was paid stays paid.
CREATE FUNCTION guard_change_of_checkout() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER guard BEFORE UPDATE ON checkout FOR EACH ROW EXECUTE FUNCTION guard_change_of_checkout();
