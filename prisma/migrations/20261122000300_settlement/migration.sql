-- CreateEnum
CREATE TYPE "bank_rail" AS ENUM ('ach', 'wire', 'pix', 'spei', 'sepa');

-- CreateEnum
CREATE TYPE "payout_status" AS ENUM ('pending', 'confirmed', 'complete', 'failed', 'returned');

-- CreateEnum
CREATE TYPE "payout_destination" AS ENUM ('bank', 'wallet');

-- CreateEnum
CREATE TYPE "rail_order_state" AS ENUM ('accepted', 'settled', 'rejected', 'returned');

-- CreateEnum
CREATE TYPE "statement_direction" AS ENUM ('credit', 'debit');

-- CreateEnum
CREATE TYPE "rail_fault_kind" AS ENUM ('latency', 'lost_ack', 'reject', 'return', 'duplicate_callback', 'amount_mismatch', 'out_of_order');

-- AlterTable
ALTER TABLE "quote" ADD COLUMN     "rail" TEXT;

-- AlterTable
ALTER TABLE "transfer" ADD COLUMN     "destination" JSONB,
ADD COLUMN     "payout_id" UUID;

-- CreateTable
CREATE TABLE "bank_account" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "rail" "bank_rail" NOT NULL,
    "holder_name" TEXT NOT NULL,
    "sealed_details" BYTEA,
    "last4" TEXT NOT NULL,
    "is_default" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "payout" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "transfer_id" UUID NOT NULL,
    "wallet_id" UUID NOT NULL,
    "agent_id" UUID,
    "wallet_agent_id" UUID,
    "status" "payout_status" NOT NULL,
    "amount" BIGINT NOT NULL,
    "fee" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "rail" TEXT NOT NULL,
    "destination_type" "payout_destination" NOT NULL,
    "destination_ref" TEXT NOT NULL,
    "bank_account_id" UUID,
    "sealed_destination" BYTEA,
    "description" TEXT,
    "rail_reference" TEXT,
    "submitted_at" TIMESTAMPTZ(3),
    "submissions" INTEGER NOT NULL DEFAULT 0,
    "asked" INTEGER NOT NULL DEFAULT 0,
    "error_code" TEXT,
    "return_reason" TEXT,
    "return_code" TEXT,
    "expected_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "lane" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "rail_order" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "rail" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "state" "rail_order_state" NOT NULL,
    "told" "rail_order_state" NOT NULL,
    "faults" TEXT[],
    "code" TEXT,
    "settles_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "rail_statement" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "rail" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "direction" "statement_direction" NOT NULL,
    "description" TEXT,
    "booked_at" TIMESTAMPTZ(3) NOT NULL
);

-- CreateTable
CREATE TABLE "rail_fault" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "rail" TEXT NOT NULL,
    "kind" "rail_fault_kind" NOT NULL,
    "probability" INTEGER,
    "remaining" INTEGER,
    "match_amount" BIGINT,
    "match_destination" TEXT,
    "applied" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL
);

-- CreateIndex
CREATE INDEX "bank_account_workspace_id_account_id_id_idx" ON "bank_account"("workspace_id", "account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "payout_workspace_id_transfer_id_key" ON "payout"("workspace_id", "transfer_id");

-- CreateIndex
CREATE INDEX "payout_workspace_id_wallet_id_id_idx" ON "payout"("workspace_id", "wallet_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "rail_order_workspace_id_rail_reference_key" ON "rail_order"("workspace_id", "rail", "reference");

-- CreateIndex
CREATE INDEX "rail_statement_workspace_id_rail_id_idx" ON "rail_statement"("workspace_id", "rail", "id");

-- CreateIndex
CREATE INDEX "rail_fault_workspace_id_rail_id_idx" ON "rail_fault"("workspace_id", "rail", "id");

-- AddForeignKey
ALTER TABLE "bank_account" ADD CONSTRAINT "bank_account_workspace_id_account_id_fkey" FOREIGN KEY ("workspace_id", "account_id") REFERENCES "account"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- The fee of a payout comes on top of its amount; that of a quote is a part of it.
ALTER TABLE transfer DROP CONSTRAINT transfer_fee_within_amount;
ALTER TABLE transfer ADD CONSTRAINT transfer_fee_within_amount
  CHECK (fee_amount >= 0 AND (fee_amount <= amount OR payout_id IS NOT NULL AND quote_id IS NULL));
ALTER TABLE payout ADD CONSTRAINT payout_amount_positive CHECK (amount > 0 AND fee >= 0);
ALTER TABLE rail_fault ADD CONSTRAINT rail_fault_counts CHECK (remaining >= 0 AND probability BETWEEN 1 AND 10000);

-- Nobody but the one who paid, how much and over which rail; a final status is left by a return alone.
CREATE FUNCTION guard_payout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.workspace_id, NEW.transfer_id, NEW.wallet_id, NEW.amount, NEW.fee, NEW.currency, NEW.rail, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.transfer_id, OLD.wallet_id, OLD.amount, OLD.fee, OLD.currency, OLD.rail, OLD.created_at) THEN
    RAISE EXCEPTION 'the amount and the parties of a payout never change' USING ERRCODE = 'AP010';
  END IF;
  IF NEW.status <> OLD.status AND (OLD.status IN ('failed', 'returned') OR OLD.status = 'complete' AND NEW.status <> 'returned') THEN
    RAISE EXCEPTION 'payout % is %', OLD.id, OLD.status USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard BEFORE UPDATE ON payout FOR EACH ROW EXECUTE FUNCTION guard_payout();
CREATE TRIGGER immutable BEFORE DELETE ON payout FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON rail_statement FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- One bank account of an account is its default.
CREATE UNIQUE INDEX bank_account_default ON bank_account (workspace_id, account_id) WHERE is_default AND deleted_at IS NULL;

CREATE UNIQUE INDEX payout_reference ON payout (workspace_id, rail, rail_reference) WHERE rail_reference IS NOT NULL;
CREATE INDEX payout_agent ON payout (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX payout_wallet_agent ON payout (workspace_id, wallet_agent_id, id) WHERE wallet_agent_id IS NOT NULL;
CREATE INDEX payout_status ON payout (workspace_id, status, id) WHERE status <> 'complete';
-- What keeps a wallet from being closed, and a bank account from being deleted.
CREATE INDEX payout_open ON payout (workspace_id, wallet_id) WHERE status IN ('pending', 'confirmed');
CREATE INDEX payout_open_bank ON payout (workspace_id, bank_account_id) WHERE status IN ('pending', 'confirmed') AND bank_account_id IS NOT NULL;
CREATE INDEX payout_due ON payout (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX payout_due_workspace ON payout (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX payout_lane ON payout (lane, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX payout_leased ON payout (workspace_id, lane) WHERE lease_until IS NOT NULL;
CREATE INDEX rail_order_due ON rail_order (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX rail_order_due_workspace ON rail_order (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX rail_order_leased ON rail_order (workspace_id) WHERE lease_until IS NOT NULL;

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "bank_account" ADD CONSTRAINT "bank_account_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "payout" ADD CONSTRAINT "payout_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "rail_order" ADD CONSTRAINT "rail_order_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "rail_statement" ADD CONSTRAINT "rail_statement_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "rail_fault" ADD CONSTRAINT "rail_fault_pkey" PRIMARY KEY ("workspace_id", "id");
