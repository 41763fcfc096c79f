-- CreateEnum
CREATE TYPE "stream_status" AS ENUM ('pending', 'active', 'paused', 'exhausted', 'completed', 'cancelled');

-- CreateEnum
CREATE TYPE "rate_period" AS ENUM ('second', 'minute', 'hour', 'day', 'month30');

-- CreateTable
CREATE TABLE "stream" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "from_wallet_id" UUID NOT NULL,
    "to_wallet_id" UUID NOT NULL,
    "from_account_id" UUID NOT NULL,
    "to_account_id" UUID NOT NULL,
    "from_agent_id" UUID,
    "to_agent_id" UUID,
    "agent_id" UUID,
    "currency" TEXT NOT NULL,
    "escrow_account_id" UUID NOT NULL,
    "status" "stream_status" NOT NULL,
    "status_reason" TEXT,
    "rate_amount" TEXT NOT NULL,
    "rate_per" "rate_period" NOT NULL,
    "rate_units" DECIMAL NOT NULL,
    "accrued" DECIMAL NOT NULL DEFAULT 0,
    "checkpoint_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "deposited" BIGINT NOT NULL DEFAULT 0,
    "buffer" BIGINT NOT NULL,
    "withdrawn" BIGINT NOT NULL DEFAULT 0,
    "returned" BIGINT NOT NULL DEFAULT 0,
    "max_total" BIGINT,
    "ends_at" TIMESTAMPTZ(3),
    "stops_at" TIMESTAMPTZ(3),
    "alerted" INTEGER NOT NULL DEFAULT 0,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),
    "is_revoked" BOOLEAN NOT NULL DEFAULT false
);

-- CreateTable
CREATE TABLE "stream_checkpoint" (
    "workspace_id" UUID NOT NULL,
    "stream_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "status" "stream_status" NOT NULL,
    "rate_amount" TEXT NOT NULL,
    "rate_per" "rate_period" NOT NULL,
    "rate_units" DECIMAL NOT NULL,
    "accrued" DECIMAL NOT NULL,
    "deposited" BIGINT NOT NULL,
    "buffer" BIGINT NOT NULL,
    "withdrawn" BIGINT NOT NULL,
    "returned" BIGINT NOT NULL,
    "max_total" BIGINT,
    "ends_at" TIMESTAMPTZ(3)
);

-- CreateIndex
CREATE INDEX "stream_workspace_id_from_wallet_id_id_idx" ON "stream"("workspace_id", "from_wallet_id", "id");

-- CreateIndex
CREATE INDEX "stream_workspace_id_to_wallet_id_id_idx" ON "stream"("workspace_id", "to_wallet_id", "id");

-- CreateIndex
CREATE INDEX "stream_workspace_id_status_id_idx" ON "stream"("workspace_id", "status", "id");

-- CreateIndex
CREATE INDEX "stream_checkpoint_workspace_id_stream_id_at_version_idx" ON "stream_checkpoint"("workspace_id", "stream_id", "at", "version");

-- What belongs to agents, and what an account pays now: a freeze looks for it.
CREATE INDEX stream_agent ON stream (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX stream_from_agent ON stream (workspace_id, from_agent_id, id) WHERE from_agent_id IS NOT NULL;
CREATE INDEX stream_to_agent ON stream (workspace_id, to_agent_id, id) WHERE to_agent_id IS NOT NULL;
CREATE INDEX stream_flowing ON stream (workspace_id, from_account_id) WHERE status = 'active';
CREATE INDEX stream_due ON stream (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX stream_due_workspace ON stream (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX stream_leased ON stream (workspace_id) WHERE lease_until IS NOT NULL;

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "stream" ADD CONSTRAINT "stream_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "stream_checkpoint" ADD CONSTRAINT "stream_checkpoint_pkey" PRIMARY KEY ("workspace_id", "stream_id", "version");

-- AddForeignKey
ALTER TABLE "stream" ADD CONSTRAINT "stream_workspace_id_from_wallet_id_fkey" FOREIGN KEY ("workspace_id", "from_wallet_id") REFERENCES "wallet"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "stream" ADD CONSTRAINT "stream_workspace_id_to_wallet_id_fkey" FOREIGN KEY ("workspace_id", "to_wallet_id") REFERENCES "wallet"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "stream_checkpoint" ADD CONSTRAINT "stream_checkpoint_workspace_id_stream_id_fkey" FOREIGN KEY ("workspace_id", "stream_id") REFERENCES "stream"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- What is put in is what was paid out, what went back and what is still there; the buffer never flows.
ALTER TABLE stream ADD CONSTRAINT stream_never_negative
  CHECK (deposited >= 0 AND buffer >= 0 AND withdrawn >= 0 AND returned >= 0 AND accrued >= 0 AND rate_units > 0);
ALTER TABLE stream ADD CONSTRAINT stream_within_deposits CHECK (withdrawn + returned <= deposited);

-- What a stream was is never changed.
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON stream_checkpoint FOR EACH ROW EXECUTE FUNCTION refuse_change();
