-- Settlement rules, and each time that one of them fired (src/contexts/settlement-rules).

-- CreateEnum
CREATE TYPE "settlement_trigger" AS ENUM ('balance_threshold', 'time_based', 'event_based', 'transaction_count', 'manual');

-- CreateEnum
CREATE TYPE "settlement_action" AS ENUM ('settle_to_bank', 'settle_to_account', 'settle_to_wallet', 'hold', 'notify');

-- CreateEnum
CREATE TYPE "execution_status" AS ENUM ('pending', 'completed', 'skipped', 'failed');

-- AlterTable
ALTER TABLE "transfer" ADD COLUMN     "execution_id" UUID;

-- CreateTable
CREATE TABLE "settlement_rule" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "wallet_id" UUID NOT NULL,
    "trigger_type" "settlement_trigger" NOT NULL,
    "trigger_config" JSONB NOT NULL,
    "action_type" "settlement_action" NOT NULL,
    "action_config" JSONB NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "priority" INTEGER NOT NULL,
    "armed_id" UUID NOT NULL,
    "seen_version" BIGINT NOT NULL,
    "counted" INTEGER NOT NULL DEFAULT 0,
    "recent" TIMESTAMPTZ(3)[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "settlement_execution" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "rule_id" UUID,
    "wallet_id" UUID NOT NULL,
    "trigger" "settlement_trigger" NOT NULL,
    "cause" TEXT NOT NULL,
    "priority" INTEGER NOT NULL,
    "fired_at" TIMESTAMPTZ(3) NOT NULL,
    "status" "execution_status" NOT NULL,
    "transfer_id" UUID,
    "payout_id" UUID,
    "error_code" TEXT,
    "error_message" TEXT,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "settlement_timer" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "fires_at" TIMESTAMPTZ(3) NOT NULL,
    "after_wallet_id" UUID,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateIndex
CREATE INDEX "settlement_execution_workspace_id_rule_id_id_idx" ON "settlement_execution"("workspace_id", "rule_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "settlement_execution_workspace_id_rule_id_cause_key" ON "settlement_execution"("workspace_id", "rule_id", "cause");

-- AddForeignKey
ALTER TABLE "settlement_rule" ADD CONSTRAINT "settlement_rule_workspace_id_wallet_id_fkey" FOREIGN KEY ("workspace_id", "wallet_id") REFERENCES "wallet"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- What is over has its end: a refusal its code, and nothing that is still to be done.
ALTER TABLE settlement_execution ADD CONSTRAINT settlement_execution_ended CHECK (
  (status = 'pending') = (due_at IS NOT NULL) AND (status IN ('skipped', 'failed')) = (error_code IS NOT NULL)
);
ALTER TABLE settlement_rule ADD CONSTRAINT settlement_rule_deleted CHECK (deleted_at IS NULL OR NOT enabled);
ALTER TABLE settlement_rule ADD CONSTRAINT settlement_rule_due CHECK (due_at IS NULL OR enabled);

CREATE INDEX settlement_rule_kept ON settlement_rule (workspace_id, wallet_id) WHERE deleted_at IS NULL;
CREATE INDEX settlement_rule_due ON settlement_rule (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX settlement_rule_due_workspace ON settlement_rule (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX settlement_rule_leased ON settlement_rule (workspace_id) WHERE lease_until IS NOT NULL;
CREATE INDEX settlement_timer_due ON settlement_timer (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX settlement_timer_due_workspace ON settlement_timer (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX settlement_timer_leased ON settlement_timer (workspace_id) WHERE lease_until IS NOT NULL;
-- A schedule fires once on each of its times for a wallet.
CREATE UNIQUE INDEX settlement_execution_schedule ON settlement_execution (workspace_id, wallet_id, cause) WHERE rule_id IS NULL;
CREATE INDEX settlement_execution_waiting ON settlement_execution (workspace_id, wallet_id, fired_at) WHERE status = 'pending';
CREATE INDEX settlement_execution_due ON settlement_execution (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX settlement_execution_due_workspace ON settlement_execution (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX settlement_execution_lane ON settlement_execution (wallet_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX settlement_execution_leased ON settlement_execution (workspace_id, wallet_id) WHERE lease_until IS NOT NULL;

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "settlement_rule" ADD CONSTRAINT "settlement_rule_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "settlement_execution" ADD CONSTRAINT "settlement_execution_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "settlement_timer" ADD CONSTRAINT "settlement_timer_pkey" PRIMARY KEY ("workspace_id", "id");
