-- Batches (src/contexts/batches): what was taken together, and its items. A batch is carried out by the due engine.

-- CreateEnum
CREATE TYPE "batch_kind" AS ENUM ('transfers', 'acp_checkouts', 'ucp_checkouts');

-- CreateEnum
CREATE TYPE "batch_status" AS ENUM ('pending', 'processing', 'completed', 'failed');

-- CreateEnum
CREATE TYPE "batch_mode" AS ENUM ('independent', 'atomic');

-- CreateEnum
CREATE TYPE "batch_item_status" AS ENUM ('pending', 'succeeded', 'failed', 'skipped');

-- CreateTable
CREATE TABLE "batch" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "kind" "batch_kind" NOT NULL,
    "status" "batch_status" NOT NULL,
    "mode" "batch_mode" NOT NULL,
    "reference" TEXT,
    "total_count" INTEGER NOT NULL,
    "success_count" INTEGER NOT NULL DEFAULT 0,
    "failed_count" INTEGER NOT NULL DEFAULT 0,
    "total_amount" BIGINT NOT NULL,
    "currency" TEXT,
    "totals" JSONB NOT NULL,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "failure_code" TEXT,
    "failure_message" TEXT,
    "created_by_type" "initiator_type" NOT NULL,
    "created_by_id" UUID NOT NULL,
    "credential_kind" TEXT NOT NULL,
    "credential_id" TEXT NOT NULL,
    "agent_id" UUID,
    "trace_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "batch_item" (
    "workspace_id" UUID NOT NULL,
    "batch_id" UUID NOT NULL,
    "index" INTEGER NOT NULL,
    "status" "batch_item_status" NOT NULL,
    "made_id" UUID NOT NULL,
    "input" JSONB NOT NULL,
    "error_code" TEXT,
    "error_message" TEXT,

    CONSTRAINT "batch_item_pkey" PRIMARY KEY ("workspace_id","batch_id","index")
);

-- CreateIndex
CREATE INDEX "batch_workspace_id_status_id_idx" ON "batch"("workspace_id", "status", "id");

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "batch" ADD CONSTRAINT "batch_pkey" PRIMARY KEY ("workspace_id", "id");

-- AddForeignKey
ALTER TABLE "batch_item" ADD CONSTRAINT "batch_item_workspace_id_batch_id_fkey" FOREIGN KEY ("workspace_id", "batch_id") REFERENCES "batch"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE batch ADD CONSTRAINT batch_counts CHECK (success_count >= 0 AND failed_count >= 0 AND success_count + failed_count <= total_count);
ALTER TABLE batch ADD CONSTRAINT batch_due_while_open CHECK (due_at IS NULL OR status IN ('pending', 'processing'));
ALTER TABLE batch_item ADD CONSTRAINT batch_item_error CHECK ((error_code IS NOT NULL) = (status = 'failed'));

CREATE INDEX batch_agent ON batch (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;

-- What is due (docs/architecture.md "Time").
CREATE INDEX batch_due ON batch (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX batch_due_workspace ON batch (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX batch_leased ON batch (workspace_id) WHERE lease_until IS NOT NULL;
