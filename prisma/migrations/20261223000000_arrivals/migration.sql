-- expand
-- What reaches the addresses of wallets on a chain, and x402 payments that are settled there before they are credited.
-- CreateEnum
CREATE TYPE "chain_payment_kind" AS ENUM ('payout', 'x402', 'sweep');

-- CreateEnum
CREATE TYPE "chain_arrival_state" AS ENUM ('seen', 'deep', 'booked', 'gone');

-- AlterTable
ALTER TABLE "chain_payment" ADD COLUMN     "answered_at" TIMESTAMPTZ(3),
ADD COLUMN     "kind" "chain_payment_kind" NOT NULL DEFAULT 'payout',
ADD COLUMN     "valid_after" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "chain_watch" ADD COLUMN     "deposits_at" TIMESTAMPTZ(3),
ADD COLUMN     "deposits_to" BIGINT;

-- AlterTable
ALTER TABLE "x402_payment" ADD COLUMN     "credited_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "chain_address" (
    "chain_id" BIGINT NOT NULL,
    "address" TEXT NOT NULL,
    "payee_workspace_id" UUID NOT NULL,
    "wallet_id" UUID NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chain_address_pkey" PRIMARY KEY ("chain_id","address")
);

-- CreateTable
CREATE TABLE "chain_arrival" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "rail" TEXT NOT NULL,
    "chain_id" BIGINT NOT NULL,
    "tx_hash" TEXT NOT NULL,
    "place" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "payer" TEXT NOT NULL,
    "payee" TEXT NOT NULL,
    "value" BIGINT NOT NULL,
    "wallet_id" UUID NOT NULL,
    "state" "chain_arrival_state" NOT NULL DEFAULT 'seen',
    "payment_id" UUID,
    "funding_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateIndex
CREATE INDEX "chain_address_chain_id_asked_at_idx" ON "chain_address"("chain_id", "asked_at");

-- CreateIndex
CREATE INDEX "chain_arrival_chain_id_state_block_number_idx" ON "chain_arrival"("chain_id", "state", "block_number");

-- CreateIndex
CREATE INDEX "chain_arrival_workspace_id_wallet_id_idx" ON "chain_arrival"("workspace_id", "wallet_id");

-- CreateIndex
CREATE UNIQUE INDEX "chain_arrival_chain_id_tx_hash_place_key" ON "chain_arrival"("chain_id", "tx_hash", "place");
CREATE INDEX chain_arrival_due ON chain_arrival (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX chain_arrival_due_workspace ON chain_arrival (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX chain_arrival_leased ON chain_arrival (workspace_id) WHERE lease_until IS NOT NULL;

-- squawk-ignore adding-serial-primary-key-field
ALTER TABLE chain_arrival ADD CONSTRAINT chain_arrival_pkey PRIMARY KEY (workspace_id, id);

-- What is settled says by what, and what waits for its chain is not consumed. A chain may take back what it has settled, until it is credited.
ALTER TABLE x402_payment DROP CONSTRAINT x402_payment_settled;
ALTER TABLE x402_payment ADD CONSTRAINT x402_payment_settled CHECK ((amount >= 0)
  AND ((status <> 'settled') OR (settled_at IS NOT NULL AND tx_hash IS NOT NULL))
  AND ((status <> 'pending') OR (settled_at IS NULL AND consumed_at IS NULL AND credited_at IS NULL))
  AND ((status <> 'failed') OR (credited_at IS NULL AND due_at IS NULL AND (tx_hash IS NULL OR transfer_id IS NULL)))
  AND ((credited_at IS NULL) OR (transfer_id IS NOT NULL))) NOT VALID;
