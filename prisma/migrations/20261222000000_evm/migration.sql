-- expand
-- USDC on chains: authorizations, transactions of relayers, and what was read of a chain.
-- CreateEnum
CREATE TYPE "chain_payment_state" AS ENUM ('open', 'signed', 'used', 'done', 'lapsed');

-- CreateTable
CREATE TABLE "chain_payment" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "rail" TEXT NOT NULL,
    "chain_id" BIGINT NOT NULL,
    "authorizer" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "payee" TEXT NOT NULL,
    "value" BIGINT NOT NULL,
    "valid_before" TIMESTAMPTZ(0) NOT NULL,
    "signature" TEXT,
    "state" "chain_payment_state" NOT NULL DEFAULT 'open',
    "refusal" TEXT,
    "tx_hash" TEXT,
    "block_number" BIGINT,
    "block_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chain_payment_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "chain_relayer" (
    "chain_id" BIGINT NOT NULL,
    "address" TEXT NOT NULL,
    "next_nonce" BIGINT NOT NULL,

    CONSTRAINT "chain_relayer_pkey" PRIMARY KEY ("chain_id","address")
);

-- CreateTable
CREATE TABLE "chain_transaction" (
    "chain_id" BIGINT NOT NULL,
    "relayer" TEXT NOT NULL,
    "nonce" BIGINT NOT NULL,
    "payer_workspace_id" UUID,
    "payment_id" UUID,
    "gas_limit" BIGINT NOT NULL,
    "mined_hash" TEXT,
    "reverted" BOOLEAN,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "mined_at" TIMESTAMPTZ(3),

    CONSTRAINT "chain_transaction_pkey" PRIMARY KEY ("chain_id","relayer","nonce")
);

-- CreateTable
CREATE TABLE "chain_form" (
    "chain_id" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,
    "relayer" TEXT NOT NULL,
    "nonce" BIGINT NOT NULL,
    "raw" TEXT NOT NULL,
    "max_fee" BIGINT NOT NULL,
    "tip" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "chain_form_pkey" PRIMARY KEY ("chain_id","hash")
);

-- CreateTable
CREATE TABLE "chain_block" (
    "chain_id" BIGINT NOT NULL,
    "number" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,
    "parent_hash" TEXT NOT NULL,
    "at" TIMESTAMPTZ(0) NOT NULL,

    CONSTRAINT "chain_block_pkey" PRIMARY KEY ("chain_id","number")
);

-- CreateTable
CREATE TABLE "chain_log" (
    "chain_id" BIGINT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "tx_hash" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "holder" TEXT NOT NULL,
    "payee" TEXT,
    "value" BIGINT,
    "nonce" TEXT,

    CONSTRAINT "chain_log_pkey" PRIMARY KEY ("chain_id","block_number","log_index")
);

-- CreateTable
CREATE TABLE "chain_watch" (
    "chain_id" BIGINT NOT NULL,
    "holder" UUID NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chain_watch_pkey" PRIMARY KEY ("chain_id")
);

-- CreateIndex
CREATE INDEX "chain_payment_chain_id_state_idx" ON "chain_payment"("chain_id", "state");

-- CreateIndex
CREATE UNIQUE INDEX "chain_payment_chain_id_authorizer_nonce_key" ON "chain_payment"("chain_id", "authorizer", "nonce");

-- CreateIndex
CREATE INDEX "chain_form_chain_id_relayer_nonce_idx" ON "chain_form"("chain_id", "relayer", "nonce");

-- CreateIndex
CREATE INDEX "chain_log_chain_id_holder_nonce_idx" ON "chain_log"("chain_id", "holder", "nonce");
