-- Funding: money that comes into wallets (src/contexts/funding), and orders that rails carry into the platform.

-- CreateEnum
CREATE TYPE "funding_type" AS ENUM ('card', 'bank_transfer', 'stablecoin', 'sandbox');

-- CreateEnum
CREATE TYPE "funding_status" AS ENUM ('pending', 'completed', 'failed');

-- CreateEnum
CREATE TYPE "rail_direction" AS ENUM ('out', 'in');

-- AlterTable
ALTER TABLE "rail_order" ADD COLUMN     "direction" "rail_direction" NOT NULL DEFAULT 'out';

-- AlterTable
ALTER TABLE "transfer" ADD COLUMN     "funding_id" UUID;

-- CreateTable
CREATE TABLE "funding_transaction" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "transfer_id" UUID NOT NULL,
    "wallet_id" UUID NOT NULL,
    "wallet_agent_id" UUID,
    "provider" TEXT NOT NULL,
    "type" "funding_type" NOT NULL,
    "status" "funding_status" NOT NULL,
    "amount" BIGINT NOT NULL,
    "fee" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "rail" TEXT NOT NULL,
    "source_ref" TEXT,
    "rail_reference" TEXT,
    "submitted_at" TIMESTAMPTZ(3),
    "submissions" INTEGER NOT NULL DEFAULT 0,
    "asked" INTEGER NOT NULL DEFAULT 0,
    "error_code" TEXT,
    "return_reason" TEXT,
    "return_code" TEXT,
    "shortfall" BIGINT NOT NULL DEFAULT 0,
    "expected_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "returned_at" TIMESTAMPTZ(3),
    "lane" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateIndex
CREATE INDEX "funding_transaction_workspace_id_wallet_id_id_idx" ON "funding_transaction"("workspace_id", "wallet_id", "id");

-- CreateIndex
CREATE INDEX "funding_transaction_workspace_id_provider_id_idx" ON "funding_transaction"("workspace_id", "provider", "id");

-- CreateIndex
CREATE UNIQUE INDEX "funding_transaction_workspace_id_transfer_id_key" ON "funding_transaction"("workspace_id", "transfer_id");

ALTER TABLE funding_transaction ADD CONSTRAINT funding_amount CHECK (amount > 0 AND fee BETWEEN 0 AND amount - 1 AND shortfall BETWEEN 0 AND amount);

-- Nobody but the wallet that it is for, how much and over which rail; a final status stays, and it comes back once.
CREATE FUNCTION guard_funding_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.workspace_id, NEW.transfer_id, NEW.wallet_id, NEW.amount, NEW.fee, NEW.currency, NEW.rail, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.transfer_id, OLD.wallet_id, OLD.amount, OLD.fee, OLD.currency, OLD.rail, OLD.created_at) THEN
    RAISE EXCEPTION 'the amount and the parties of a funding transaction never change' USING ERRCODE = 'AP010';
  END IF;
  IF NEW.status <> OLD.status AND OLD.status <> 'pending' OR NEW.returned_at IS DISTINCT FROM OLD.returned_at AND OLD.returned_at IS NOT NULL THEN
    RAISE EXCEPTION 'funding transaction % is %', OLD.id, OLD.status USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard BEFORE UPDATE ON funding_transaction FOR EACH ROW EXECUTE FUNCTION guard_funding_transaction();
CREATE TRIGGER immutable BEFORE DELETE ON funding_transaction FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE UNIQUE INDEX funding_reference ON funding_transaction (workspace_id, rail, rail_reference) WHERE rail_reference IS NOT NULL;
CREATE INDEX funding_wallet_agent ON funding_transaction (workspace_id, wallet_agent_id, id) WHERE wallet_agent_id IS NOT NULL;
CREATE INDEX funding_status ON funding_transaction (workspace_id, status, id) WHERE status <> 'completed';
-- What keeps a wallet from being closed.
CREATE INDEX funding_open ON funding_transaction (workspace_id, wallet_id) WHERE status = 'pending';
CREATE INDEX funding_due ON funding_transaction (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX funding_due_workspace ON funding_transaction (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX funding_lane ON funding_transaction (lane, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX funding_leased ON funding_transaction (workspace_id, lane) WHERE lease_until IS NOT NULL;

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "funding_transaction" ADD CONSTRAINT "funding_transaction_pkey" PRIMARY KEY ("workspace_id", "id");
