-- Card networks (src/contexts/cards): agents that prove who they are, what the networks are asked to do, and what vaulted cards may pay.

-- CreateEnum
CREATE TYPE "card_instruction_type" AS ENUM ('authorize', 'cancel', 'refund');

-- CreateEnum
CREATE TYPE "card_instruction_status" AS ENUM ('pending', 'submitted', 'approved', 'declined', 'failed', 'cancelled');

-- AlterTable
ALTER TABLE "vaulted_card" ADD COLUMN     "limit_categories" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "limit_currency" TEXT,
ADD COLUMN     "limit_daily" BIGINT,
ADD COLUMN     "limit_monthly" BIGINT,
ADD COLUMN     "limit_per_tx" BIGINT;

-- AlterTable
ALTER TABLE "card_charge" ADD COLUMN     "agent_id" UUID;
UPDATE card_charge c SET agent_id = t.agent_id FROM transfer t WHERE t.workspace_id = c.workspace_id AND t.id = c.transfer_id;

-- CreateTable
CREATE TABLE "payment_handler" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "processor" TEXT NOT NULL,
    "connected_at" TIMESTAMPTZ(3) NOT NULL,
    "disconnected_at" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "card_verification" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "agent_id" UUID,
    "network" TEXT,
    "rejection_reason" TEXT,
    "nonce_hash" BYTEA,
    "merchant_ref" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "description" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "instruction_id" UUID,
    "kept_until" TIMESTAMPTZ(3) NOT NULL
);

-- CreateTable
CREATE TABLE "card_instruction" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "network" TEXT NOT NULL,
    "type" "card_instruction_type" NOT NULL,
    "status" "card_instruction_status" NOT NULL DEFAULT 'pending',
    "payload" JSONB NOT NULL,
    "amount" BIGINT,
    "currency" TEXT,
    "merchant_ref" TEXT,
    "original_id" UUID,
    "refunded" BIGINT NOT NULL DEFAULT 0,
    "approval_id" UUID,
    "decision_id" UUID,
    "reference" TEXT,
    "submitted_at" TIMESTAMPTZ(3),
    "submissions" INTEGER NOT NULL DEFAULT 0,
    "asked" INTEGER NOT NULL DEFAULT 0,
    "authorization_code" TEXT,
    "reason_code" TEXT,
    "reason_message" TEXT,
    "requested_by_type" "initiator_type" NOT NULL,
    "requested_by_id" UUID NOT NULL,
    "trace_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "lane" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "network_message" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "network" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "type" "card_instruction_type" NOT NULL,
    "original_reference" TEXT,
    "amount" BIGINT,
    "currency" TEXT,
    "outcome" TEXT NOT NULL,
    "code" TEXT,
    "answers_at" TIMESTAMPTZ(3) NOT NULL,
    "cancelled_at" TIMESTAMPTZ(3),
    "refunded" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL
);

-- CreateIndex
CREATE UNIQUE INDEX "payment_handler_workspace_id_processor_key" ON "payment_handler"("workspace_id", "processor");

-- CreateIndex
CREATE INDEX "card_verification_kept_until_idx" ON "card_verification"("kept_until");

-- CreateIndex
CREATE UNIQUE INDEX "card_verification_workspace_id_agent_id_nonce_hash_key" ON "card_verification"("workspace_id", "agent_id", "nonce_hash");

-- CreateIndex
CREATE INDEX "card_instruction_workspace_id_agent_id_id_idx" ON "card_instruction"("workspace_id", "agent_id", "id");

-- CreateIndex
CREATE INDEX "card_instruction_workspace_id_status_id_idx" ON "card_instruction"("workspace_id", "status", "id");

-- CreateIndex
CREATE INDEX "card_instruction_workspace_id_original_id_id_idx" ON "card_instruction"("workspace_id", "original_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "network_message_workspace_id_network_reference_key" ON "network_message"("workspace_id", "network", "reference");

CREATE UNIQUE INDEX card_instruction_reference ON card_instruction (workspace_id, network, reference) WHERE reference IS NOT NULL;
-- An authorization is called off once: a cancellation that failed may be followed by another one.
CREATE UNIQUE INDEX card_instruction_cancel ON card_instruction (workspace_id, original_id)
  WHERE type = 'cancel' AND status IN ('pending', 'submitted', 'approved');
CREATE INDEX card_instruction_due ON card_instruction (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX card_instruction_due_workspace ON card_instruction (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX card_instruction_lane ON card_instruction (lane, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX card_instruction_leased ON card_instruction (workspace_id, lane) WHERE lease_until IS NOT NULL;
-- The public directory lists keys by themselves: nothing in their order says whose they are, or how old.
CREATE INDEX agent_key_directory ON agent_key (public_key) WHERE status = 'active';

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "payment_handler" ADD CONSTRAINT "payment_handler_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "card_verification" ADD CONSTRAINT "card_verification_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "card_instruction" ADD CONSTRAINT "card_instruction_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "network_message" ADD CONSTRAINT "network_message_pkey" PRIMARY KEY ("workspace_id", "id");

-- AddForeignKey
ALTER TABLE "card_verification" ADD CONSTRAINT "card_verification_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "card_instruction" ADD CONSTRAINT "card_instruction_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "card_instruction" ADD CONSTRAINT "card_instruction_workspace_id_original_id_fkey" FOREIGN KEY ("workspace_id", "original_id") REFERENCES "card_instruction"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- Limits of a card are in one currency, and a card without limits has none.
ALTER TABLE vaulted_card ADD CONSTRAINT vaulted_card_limits CHECK (
  (limit_currency IS NOT NULL OR coalesce(limit_per_tx, limit_daily, limit_monthly) IS NULL)
  AND coalesce(limit_per_tx, 1) > 0 AND coalesce(limit_daily, 1) > 0 AND coalesce(limit_monthly, 1) > 0);
-- What can be used was verified, and is used once.
ALTER TABLE card_verification ADD CONSTRAINT card_verification_outcome CHECK (
  (expires_at IS NULL) = (rejection_reason IS NOT NULL)
  AND (expires_at IS NULL OR agent_id IS NOT NULL AND network IS NOT NULL AND nonce_hash IS NOT NULL)
  AND (instruction_id IS NULL OR expires_at IS NOT NULL) AND amount > 0);
ALTER TABLE card_instruction ADD CONSTRAINT card_instruction_parts CHECK (
  (type = 'authorize') = (original_id IS NULL)
  AND (type = 'cancel') = (amount IS NULL) AND (amount IS NULL) = (currency IS NULL)
  AND coalesce(amount, 1) > 0 AND refunded BETWEEN 0 AND coalesce(amount, 0)
  AND (merchant_ref IS NOT NULL OR type <> 'authorize'));
ALTER TABLE network_message ADD CONSTRAINT network_message_refunded CHECK (refunded BETWEEN 0 AND coalesce(amount, 0));

-- What was verified never changes; one authorization uses it.
CREATE FUNCTION guard_card_verification() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (to_jsonb(NEW) - 'instruction_id') IS DISTINCT FROM (to_jsonb(OLD) - 'instruction_id')
     OR OLD.instruction_id IS NOT NULL AND NEW.instruction_id IS DISTINCT FROM OLD.instruction_id THEN
    RAISE EXCEPTION 'card verification % never changes, and is used once', OLD.id USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard BEFORE UPDATE ON card_verification FOR EACH ROW EXECUTE FUNCTION guard_card_verification();

-- What is asked never changes; a final status stays, but for an approved authorization that is called off.
CREATE FUNCTION guard_card_instruction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.workspace_id, NEW.agent_id, NEW.account_id, NEW.network, NEW.type, NEW.payload, NEW.amount, NEW.currency, NEW.merchant_ref,
      NEW.original_id, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.agent_id, OLD.account_id, OLD.network, OLD.type, OLD.payload, OLD.amount, OLD.currency,
      OLD.merchant_ref, OLD.original_id, OLD.created_at) THEN
    RAISE EXCEPTION 'what a card instruction asks never changes' USING ERRCODE = 'AP010';
  END IF;
  IF NEW.status <> OLD.status AND (OLD.status IN ('declined', 'failed', 'cancelled')
     OR OLD.status = 'approved' AND NOT (NEW.status = 'cancelled' AND NEW.type = 'authorize' AND OLD.refunded = 0)) THEN
    RAISE EXCEPTION 'card instruction % is %', OLD.id, OLD.status USING ERRCODE = 'AP010';
  END IF;
  IF NEW.refunded < OLD.refunded OR NEW.refunded > OLD.refunded AND NEW.status <> 'approved' THEN
    RAISE EXCEPTION 'card instruction % cannot give back %', OLD.id, NEW.refunded USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard BEFORE UPDATE ON card_instruction FOR EACH ROW EXECUTE FUNCTION guard_card_instruction();
CREATE TRIGGER immutable BEFORE DELETE ON card_instruction FOR EACH ROW EXECUTE FUNCTION refuse_change();
