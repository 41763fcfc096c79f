-- CreateEnum
CREATE TYPE "refund_reason" AS ENUM ('duplicate_payment', 'customer_request', 'service_not_rendered', 'amount_incorrect', 'unauthorized', 'order_cancelled', 'other');

-- CreateEnum
CREATE TYPE "refund_status" AS ENUM ('pending', 'processing', 'completed', 'failed', 'cancelled');

-- CreateEnum
CREATE TYPE "dispute_reason" AS ENUM ('service_not_received', 'duplicate_charge', 'unauthorized', 'amount_incorrect', 'quality_issue', 'other');

-- CreateEnum
CREATE TYPE "dispute_status" AS ENUM ('open', 'under_review', 'escalated', 'resolved');

-- CreateEnum
CREATE TYPE "dispute_resolution" AS ENUM ('refund_full', 'refund_partial', 'rejected', 'withdrawn');

-- CreateEnum
CREATE TYPE "amount_side" AS ENUM ('send', 'receive');

-- AlterTable
ALTER TABLE "transfer" ADD COLUMN     "batch_id" UUID,
ADD COLUMN     "destination_amount" BIGINT,
ADD COLUMN     "destination_currency" TEXT,
ADD COLUMN     "fee_amount" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "quote_id" UUID,
ADD COLUMN     "refund_id" UUID,
ADD COLUMN     "stream_id" UUID;

-- CreateTable
CREATE TABLE "refund" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "original_transfer_id" UUID NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "reason" "refund_reason" NOT NULL,
    "reason_details" TEXT,
    "status" "refund_status" NOT NULL,
    "refund_transfer_id" UUID,
    "dispute_id" UUID,
    "payer_agent_id" UUID,
    "payee_agent_id" UUID,
    "initiated_by_type" "initiator_type" NOT NULL,
    "initiated_by_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "dispute" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "transfer_id" UUID NOT NULL,
    "status" "dispute_status" NOT NULL,
    "reason" "dispute_reason" NOT NULL,
    "description" TEXT NOT NULL,
    "amount_disputed" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "requested_resolution" "dispute_resolution",
    "evidence" JSONB NOT NULL DEFAULT '[]',
    "response" TEXT,
    "respond_by" TIMESTAMPTZ(3) NOT NULL,
    "resolution" "dispute_resolution",
    "notes" TEXT,
    "refund_id" UUID,
    "payer_agent_id" UUID,
    "payee_agent_id" UUID,
    "filed_by_type" "initiator_type" NOT NULL,
    "filed_by_id" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "responded_at" TIMESTAMPTZ(3),
    "escalated_at" TIMESTAMPTZ(3),
    "resolved_at" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "quote" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "from_currency" TEXT NOT NULL,
    "to_currency" TEXT NOT NULL,
    "rate_num" DECIMAL NOT NULL,
    "rate_den" DECIMAL NOT NULL,
    "rate_ids" TEXT[],
    "amount_side" "amount_side" NOT NULL,
    "send_amount" BIGINT NOT NULL,
    "receive_amount" BIGINT NOT NULL,
    "fee_amount" BIGINT NOT NULL,
    "agent_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "quote_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateIndex
CREATE INDEX "refund_workspace_id_original_transfer_id_id_idx" ON "refund"("workspace_id", "original_transfer_id", "id");

-- CreateIndex
CREATE INDEX "refund_workspace_id_status_id_idx" ON "refund"("workspace_id", "status", "id");

-- CreateIndex
CREATE INDEX "dispute_workspace_id_transfer_id_id_idx" ON "dispute"("workspace_id", "transfer_id", "id");

-- CreateIndex
CREATE INDEX "dispute_workspace_id_status_id_idx" ON "dispute"("workspace_id", "status", "id");

ALTER TABLE transfer ADD CONSTRAINT transfer_fee_within_amount CHECK (fee_amount BETWEEN 0 AND amount);
ALTER TABLE refund ADD CONSTRAINT refund_amount_positive CHECK (amount > 0);

-- What was offered is never changed.
CREATE TRIGGER immutable BEFORE UPDATE ON quote FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- What a transfer is part of: rare among the transfers of a workspace.
CREATE INDEX transfer_quote ON transfer (workspace_id, quote_id, id) WHERE quote_id IS NOT NULL;
CREATE INDEX transfer_batch ON transfer (workspace_id, batch_id, id) WHERE batch_id IS NOT NULL;
CREATE INDEX transfer_stream ON transfer (workspace_id, stream_id, id) WHERE stream_id IS NOT NULL;
CREATE INDEX refund_payer_agent ON refund (workspace_id, payer_agent_id, id) WHERE payer_agent_id IS NOT NULL;
CREATE INDEX refund_payee_agent ON refund (workspace_id, payee_agent_id, id) WHERE payee_agent_id IS NOT NULL;
CREATE INDEX dispute_payer_agent ON dispute (workspace_id, payer_agent_id, id) WHERE payer_agent_id IS NOT NULL;
CREATE INDEX dispute_payee_agent ON dispute (workspace_id, payee_agent_id, id) WHERE payee_agent_id IS NOT NULL;
-- What is swept, over all workspaces.
CREATE INDEX quote_expiry ON quote (expires_at);

-- One dispute of a transfer at a time.
CREATE UNIQUE INDEX dispute_one_open ON dispute (workspace_id, transfer_id) WHERE status <> 'resolved';
CREATE INDEX dispute_due ON dispute (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX dispute_due_workspace ON dispute (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX dispute_leased ON dispute (workspace_id) WHERE lease_until IS NOT NULL;

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "refund" ADD CONSTRAINT "refund_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "dispute" ADD CONSTRAINT "dispute_pkey" PRIMARY KEY ("workspace_id", "id");
