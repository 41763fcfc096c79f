-- CreateEnum
CREATE TYPE "account_type" AS ENUM ('person', 'business');

-- CreateEnum
CREATE TYPE "account_status" AS ENUM ('active', 'suspended', 'closed');

-- CreateEnum
CREATE TYPE "wallet_owner_type" AS ENUM ('account', 'agent');

-- CreateEnum
CREATE TYPE "wallet_status" AS ENUM ('active', 'frozen', 'closed');

-- CreateEnum
CREATE TYPE "merchant_status" AS ENUM ('active', 'inactive');

-- CreateEnum
CREATE TYPE "agent_status" AS ENUM ('active', 'frozen', 'suspended', 'revoked');

-- CreateEnum
CREATE TYPE "agent_key_status" AS ENUM ('active', 'rotated', 'revoked');

-- CreateEnum
CREATE TYPE "environment" AS ENUM ('test', 'live');

-- CreateEnum
CREATE TYPE "directory_kind" AS ENUM ('agent', 'agent_token', 'api_key', 'session');

-- CreateEnum
CREATE TYPE "ledger_account_status" AS ENUM ('open', 'blocked', 'closed');

-- CreateEnum
CREATE TYPE "hold_status" AS ENUM ('held', 'captured', 'released');

-- CreateEnum
CREATE TYPE "transfer_type" AS ENUM ('internal', 'cross_border', 'wrap', 'unwrap', 'stream_start', 'stream_withdraw', 'stream_cancel');

-- CreateEnum
CREATE TYPE "transfer_status" AS ENUM ('pending', 'processing', 'completed', 'failed', 'cancelled');

-- CreateEnum
CREATE TYPE "protocol" AS ENUM ('ucp', 'acp', 'ap2', 'x402', 'mpp', 'internal', 'cross_border');

-- CreateEnum
CREATE TYPE "capture_mode" AS ENUM ('automatic', 'manual');

-- CreateEnum
CREATE TYPE "initiator_type" AS ENUM ('api_key', 'user', 'agent', 'system');

-- CreateTable
CREATE TABLE "account" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "type" "account_type" NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT,
    "country" TEXT,
    "status" "account_status" NOT NULL DEFAULT 'active',
    "kyc_tier" INTEGER NOT NULL DEFAULT 0,
    "customer_reference" TEXT,
    "default_currency" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL
);

-- CreateTable
CREATE TABLE "wallet" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "owner_type" "wallet_owner_type" NOT NULL,
    "account_id" UUID NOT NULL,
    "agent_id" UUID,
    "currency" TEXT NOT NULL,
    "name" TEXT,
    "status" "wallet_status" NOT NULL DEFAULT 'active',
    "low_balance_threshold" BIGINT,
    "frozen_at" TIMESTAMPTZ(3),
    "frozen_reason" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "wallet_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "merchant" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "category" TEXT NOT NULL,
    "account_id" UUID NOT NULL,
    "settlement_wallet_id" UUID,
    "url" TEXT,
    "status" "merchant_status" NOT NULL DEFAULT 'active',
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "merchant_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "agent" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "parent_account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "status" "agent_status" NOT NULL DEFAULT 'active',
    "status_reason" TEXT,
    "kya_tier" INTEGER NOT NULL DEFAULT 0,
    "skills" JSONB NOT NULL DEFAULT '[]',
    "key_revoked_at" TIMESTAMPTZ(3),
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agent_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "agent_key" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "public_key" BYTEA NOT NULL,
    "status" "agent_key_status" NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "rotated_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "agent_key_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "agent_token" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "agent_token_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "challenge" (
    "workspace_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "agent_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "challenge_pkey" PRIMARY KEY ("workspace_id","hash")
);

-- CreateTable
CREATE TABLE "agent_session" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "ip" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "agent_session_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "kya_limit" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "tier" INTEGER NOT NULL,
    "currency" TEXT NOT NULL,
    "per_tx" BIGINT,
    "per_day" BIGINT,
    "per_month" BIGINT,

    CONSTRAINT "kya_limit_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "tenant" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tenant_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workspace" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "environment" "environment" NOT NULL,
    "clock_offset_ms" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workspace_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "credential" (
    "hash" BYTEA NOT NULL,
    "workspace_id" UUID NOT NULL,
    "kind" "directory_kind" NOT NULL,
    "id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "credential_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "signing_key" (
    "id" TEXT NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "sealed_key" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_account" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "owner_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "balance" BIGINT NOT NULL DEFAULT 0,
    "version" BIGINT NOT NULL DEFAULT 0,
    "status" "ledger_account_status" NOT NULL DEFAULT 'open',
    "unbounded" BOOLEAN NOT NULL DEFAULT false,
    "low_threshold" BIGINT,
    "last_entry_at" TIMESTAMPTZ(3),

    CONSTRAINT "ledger_account_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "ledger_transaction" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "transfer_id" UUID,
    "limits" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ledger_transaction_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "ledger_entry" (
    "workspace_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "version" BIGINT NOT NULL,
    "transaction_id" UUID NOT NULL,
    "currency" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "balance_after" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ledger_entry_pkey" PRIMARY KEY ("workspace_id","account_id","version")
);

-- CreateTable
CREATE TABLE "limit_counter" (
    "workspace_id" UUID NOT NULL,
    "counter" TEXT NOT NULL,
    "window" TEXT NOT NULL,
    "used" BIGINT NOT NULL DEFAULT 0,
    "reserved" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "limit_counter_pkey" PRIMARY KEY ("workspace_id","counter","window")
);

-- CreateTable
CREATE TABLE "hold" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "transfer_id" UUID NOT NULL,
    "from_account_id" UUID NOT NULL,
    "held_account_id" UUID NOT NULL,
    "to_account_id" UUID NOT NULL,
    "currency" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "captured_amount" BIGINT NOT NULL DEFAULT 0,
    "status" "hold_status" NOT NULL DEFAULT 'held',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "resolved_at" TIMESTAMPTZ(3),

    CONSTRAINT "hold_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "claim" (
    "workspace_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "reference" TEXT,
    "fingerprint" TEXT,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "claim_pkey" PRIMARY KEY ("workspace_id","kind","key")
);

-- CreateTable
CREATE TABLE "event" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSON NOT NULL,
    "object_id" UUID,
    "agent_id" UUID,
    "trace_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "event_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "outbox" (
    "workspace_id" UUID NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "event_ids" UUID[],
    "roles" JSONB,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "publication" (
    "workspace_id" UUID NOT NULL,
    "number" BIGSERIAL NOT NULL,
    "event_ids" UUID[],
    "published_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "publication_pkey" PRIMARY KEY ("workspace_id","number")
);

-- CreateTable
CREATE TABLE "event_listener" (
    "name" TEXT NOT NULL,
    "workspace_id" UUID NOT NULL,
    "number" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_listener_pkey" PRIMARY KEY ("workspace_id","name")
);

-- CreateTable
CREATE TABLE "keyed_answer" (
    "workspace_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "key" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "body" TEXT NOT NULL,

    CONSTRAINT "keyed_answer_pkey" PRIMARY KEY ("workspace_id","expires_at","key")
);

-- CreateTable
CREATE TABLE "transfer" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "type" "transfer_type" NOT NULL,
    "status" "transfer_status" NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "from_account_id" UUID,
    "to_account_id" UUID,
    "from_wallet_id" UUID,
    "to_wallet_id" UUID,
    "protocol" "protocol" NOT NULL,
    "description" TEXT,
    "reference" TEXT,
    "capture" "capture_mode" NOT NULL,
    "hold_id" UUID,
    "captured_amount" BIGINT,
    "hold_expires_at" TIMESTAMPTZ(3),
    "scheduled_for" TIMESTAMPTZ(3),
    "refunded_amount" BIGINT NOT NULL DEFAULT 0,
    "initiated_by_type" "initiator_type" NOT NULL,
    "initiated_by_id" UUID NOT NULL,
    "agent_id" UUID,
    "failure_code" TEXT,
    "failure_message" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "trace_id" TEXT
);

-- CreateIndex
CREATE INDEX "account_workspace_id_customer_reference_id_idx" ON "account"("workspace_id", "customer_reference", "id");

-- CreateIndex
CREATE INDEX "wallet_workspace_id_account_id_id_idx" ON "wallet"("workspace_id", "account_id", "id");

-- CreateIndex
CREATE INDEX "wallet_workspace_id_agent_id_id_idx" ON "wallet"("workspace_id", "agent_id", "id");

-- CreateIndex
CREATE INDEX "merchant_workspace_id_account_id_id_idx" ON "merchant"("workspace_id", "account_id", "id");

-- CreateIndex
CREATE INDEX "agent_workspace_id_parent_account_id_id_idx" ON "agent"("workspace_id", "parent_account_id", "id");

-- CreateIndex
CREATE INDEX "agent_key_workspace_id_agent_id_idx" ON "agent_key"("workspace_id", "agent_id");

-- CreateIndex
CREATE INDEX "agent_token_workspace_id_agent_id_idx" ON "agent_token"("workspace_id", "agent_id");

-- CreateIndex
CREATE INDEX "challenge_expires_at_idx" ON "challenge"("expires_at");

-- CreateIndex
CREATE INDEX "agent_session_expires_at_idx" ON "agent_session"("expires_at");

-- CreateIndex
CREATE INDEX "agent_session_workspace_id_agent_id_idx" ON "agent_session"("workspace_id", "agent_id");

-- CreateIndex
CREATE UNIQUE INDEX "kya_limit_workspace_id_tier_currency_key" ON "kya_limit"("workspace_id", "tier", "currency");

-- CreateIndex
CREATE UNIQUE INDEX "workspace_tenant_id_environment_key" ON "workspace"("tenant_id", "environment");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_account_workspace_id_owner_id_kind_currency_key" ON "ledger_account"("workspace_id", "owner_id", "kind", "currency");

-- CreateIndex
CREATE INDEX "ledger_entry_workspace_id_transaction_id_idx" ON "ledger_entry"("workspace_id", "transaction_id");

-- CreateIndex
CREATE INDEX "hold_workspace_id_transfer_id_idx" ON "hold"("workspace_id", "transfer_id");

-- CreateIndex
CREATE INDEX "outbox_id_idx" ON "outbox"("id");

-- CreateIndex
CREATE INDEX "publication_number_idx" ON "publication"("number");

-- CreateIndex
CREATE INDEX "transfer_workspace_id_from_wallet_id_id_idx" ON "transfer"("workspace_id", "from_wallet_id", "id");

-- CreateIndex
CREATE INDEX "transfer_workspace_id_to_wallet_id_id_idx" ON "transfer"("workspace_id", "to_wallet_id", "id");

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "account" ADD CONSTRAINT "account_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "transfer" ADD CONSTRAINT "transfer_pkey" PRIMARY KEY ("workspace_id", "id");

-- AddForeignKey
ALTER TABLE "account" ADD CONSTRAINT "account_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "wallet" ADD CONSTRAINT "wallet_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "wallet" ADD CONSTRAINT "wallet_workspace_id_account_id_fkey" FOREIGN KEY ("workspace_id", "account_id") REFERENCES "account"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "wallet" ADD CONSTRAINT "wallet_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "merchant" ADD CONSTRAINT "merchant_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "merchant" ADD CONSTRAINT "merchant_workspace_id_account_id_fkey" FOREIGN KEY ("workspace_id", "account_id") REFERENCES "account"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "merchant" ADD CONSTRAINT "merchant_workspace_id_settlement_wallet_id_fkey" FOREIGN KEY ("workspace_id", "settlement_wallet_id") REFERENCES "wallet"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "agent" ADD CONSTRAINT "agent_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "agent" ADD CONSTRAINT "agent_workspace_id_parent_account_id_fkey" FOREIGN KEY ("workspace_id", "parent_account_id") REFERENCES "account"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "agent_key" ADD CONSTRAINT "agent_key_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "agent_token" ADD CONSTRAINT "agent_token_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "agent_session" ADD CONSTRAINT "agent_session_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "agent_session" ADD CONSTRAINT "agent_session_workspace_id_key_id_fkey" FOREIGN KEY ("workspace_id", "key_id") REFERENCES "agent_key"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "kya_limit" ADD CONSTRAINT "kya_limit_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "workspace" ADD CONSTRAINT "workspace_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

