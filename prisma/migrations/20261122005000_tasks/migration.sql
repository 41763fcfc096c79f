-- Tasks that agents give to each other (src/contexts/tasks), and what pays for them.

-- CreateEnum
CREATE TYPE "task_status" AS ENUM ('pending', 'accepted', 'declined', 'in_progress', 'input_required', 'completed', 'failed', 'disputed', 'cancelled', 'expired');

-- CreateEnum
CREATE TYPE "task_payment_status" AS ENUM ('awaiting_approval', 'reserved', 'released', 'refunded', 'disputed');

-- CreateEnum
CREATE TYPE "task_payment_method" AS ENUM ('wallet', 'x402', 'ap2', 'mpp');

-- CreateEnum
CREATE TYPE "task_audience" AS ENUM ('sender', 'worker', 'candidates', 'anybody');

-- CreateEnum
CREATE TYPE "task_side" AS ENUM ('sender', 'worker');

-- AlterTable
ALTER TABLE "transfer" ADD COLUMN     "task_id" UUID;

-- CreateTable
CREATE TABLE "task" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "from_agent_id" UUID NOT NULL,
    "to_agent_id" UUID,
    "skill_id" TEXT NOT NULL,
    "status" "task_status" NOT NULL,
    "status_reason" TEXT,
    "open" BOOLEAN NOT NULL,
    "candidate_agent_ids" UUID[],
    "audience" "task_audience" NOT NULL,
    "offered" BOOLEAN NOT NULL,
    "payload" JSONB NOT NULL,
    "context_id" TEXT NOT NULL,
    "acceptance_schema" JSONB,
    "claim_timeout_seconds" INTEGER NOT NULL,
    "review_window_seconds" INTEGER NOT NULL,
    "deadline" TIMESTAMPTZ(3),
    "claimed_at" TIMESTAMPTZ(3),
    "claim_deadline" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "progress" JSONB,
    "deliverable" JSONB,
    "completed_at" TIMESTAMPTZ(3),
    "review_deadline" TIMESTAMPTZ(3),
    "amount" BIGINT,
    "currency" TEXT,
    "method" "task_payment_method",
    "payment_status" "task_payment_status",
    "released" BIGINT,
    "wallet_id" UUID,
    "payee_wallet_id" UUID,
    "transfer_id" UUID,
    "approval_id" UUID,
    "dispute_id" UUID,
    "rating" INTEGER,
    "feedback" TEXT,
    "sender_rating" INTEGER,
    "sender_feedback" TEXT,
    "created_by_type" "initiator_type" NOT NULL,
    "created_by_id" UUID NOT NULL,
    "trace_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "task_message" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "task_id" UUID NOT NULL,
    "author" "task_side" NOT NULL,
    "parts" JSONB NOT NULL,
    "schema" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL
);

-- CreateIndex
CREATE INDEX "task_workspace_id_from_agent_id_id_idx" ON "task"("workspace_id", "from_agent_id", "id");

-- CreateIndex
CREATE INDEX "task_workspace_id_to_agent_id_id_idx" ON "task"("workspace_id", "to_agent_id", "id");

-- CreateIndex
CREATE INDEX "task_workspace_id_to_agent_id_updated_at_id_idx" ON "task"("workspace_id", "to_agent_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "task_workspace_id_skill_id_offered_id_idx" ON "task"("workspace_id", "skill_id", "offered", "id");

-- CreateIndex
CREATE INDEX "task_workspace_id_status_id_idx" ON "task"("workspace_id", "status", "id");

-- CreateIndex
CREATE INDEX "task_message_workspace_id_task_id_id_idx" ON "task_message"("workspace_id", "task_id", "id");

-- What is kept open by money that is not settled yet, and what is disputed.
CREATE INDEX task_unpaid_from ON task (workspace_id, wallet_id, id) WHERE payment_status IN ('awaiting_approval', 'reserved', 'disputed');
CREATE INDEX task_unpaid_to ON task (workspace_id, payee_wallet_id, id) WHERE payment_status IN ('awaiting_approval', 'reserved', 'disputed');
CREATE INDEX task_offered ON task (workspace_id, id) WHERE offered;
CREATE INDEX task_disputed ON task (workspace_id, dispute_id) WHERE status = 'disputed';
CREATE INDEX task_due ON task (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX task_due_workspace ON task (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX task_leased ON task (workspace_id) WHERE lease_until IS NOT NULL;

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "task" ADD CONSTRAINT "task_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "task_message" ADD CONSTRAINT "task_message_pkey" PRIMARY KEY ("workspace_id", "id");

-- AddForeignKey
ALTER TABLE "task" ADD CONSTRAINT "task_workspace_id_from_agent_id_fkey" FOREIGN KEY ("workspace_id", "from_agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "task" ADD CONSTRAINT "task_workspace_id_to_agent_id_fkey" FOREIGN KEY ("workspace_id", "to_agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "task" ADD CONSTRAINT "task_workspace_id_wallet_id_fkey" FOREIGN KEY ("workspace_id", "wallet_id") REFERENCES "wallet"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "task" ADD CONSTRAINT "task_workspace_id_payee_wallet_id_fkey" FOREIGN KEY ("workspace_id", "payee_wallet_id") REFERENCES "wallet"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "task_message" ADD CONSTRAINT "task_message_workspace_id_task_id_fkey" FOREIGN KEY ("workspace_id", "task_id") REFERENCES "task"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE task ADD CONSTRAINT task_ratings CHECK (rating BETWEEN 1 AND 5 AND sender_rating BETWEEN 1 AND 5);
ALTER TABLE task ADD CONSTRAINT task_offered CHECK (offered = (audience IN ('candidates', 'anybody')) AND (NOT offered OR status = 'pending'));
-- A worker is never the sender, and whoever works on a task is named.
ALTER TABLE task ADD CONSTRAINT task_sides CHECK (
  to_agent_id IS DISTINCT FROM from_agent_id
  AND (to_agent_id IS NOT NULL OR status IN ('pending', 'failed', 'cancelled', 'expired'))
);
-- A payment is whole or not there. It ends with its task: released, or given back.
ALTER TABLE task ADD CONSTRAINT task_payment CHECK (
  (amount IS NULL) = (payment_status IS NULL) AND (amount IS NULL) = (currency IS NULL) AND (amount IS NULL) = (method IS NULL)
  AND (amount IS NULL) = (wallet_id IS NULL) AND (amount IS NULL) = (transfer_id IS NULL)
  AND (amount IS NULL OR amount > 0) AND coalesce(released BETWEEN 0 AND amount, true)
  AND (payment_status IS NULL OR CASE
    WHEN status IN ('declined', 'failed', 'cancelled', 'expired') THEN payment_status = 'refunded'
    WHEN status = 'disputed' THEN payment_status = 'disputed'
    WHEN status = 'completed' THEN payment_status IN ('reserved', 'released', 'refunded')
    WHEN status = 'pending' THEN payment_status IN ('awaiting_approval', 'reserved')
    ELSE payment_status = 'reserved'
  END)
);
ALTER TABLE task ADD CONSTRAINT task_due CHECK (due_at IS NULL OR status NOT IN ('declined', 'failed', 'disputed', 'cancelled', 'expired'));

CREATE TRIGGER immutable BEFORE DELETE ON task FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON task_message FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- As before, but that the payee of a task is not known until somebody claims it, and changes when a claim is lost.
CREATE OR REPLACE FUNCTION guard_transfer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.workspace_id, NEW.type, NEW.amount, NEW.currency, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.type, OLD.amount, OLD.currency, OLD.created_at)
     OR (NEW.from_wallet_id, NEW.from_account_id) IS DISTINCT FROM (OLD.from_wallet_id, OLD.from_account_id)
     OR (NEW.to_wallet_id, NEW.to_account_id) IS DISTINCT FROM (OLD.to_wallet_id, OLD.to_account_id)
       AND NOT (OLD.task_id IS NOT NULL AND OLD.status = 'pending' AND NEW.status = 'pending') THEN
    RAISE EXCEPTION 'the amount and the parties of a transfer never change' USING ERRCODE = 'AP010';
  END IF;
  IF NEW.status <> OLD.status AND OLD.status IN ('completed', 'failed', 'cancelled') THEN
    RAISE EXCEPTION 'transfer % is %', OLD.id, OLD.status USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
