-- Reconciliation: runs over the statements of rails, and what they find (src/contexts/reconciliation).

-- CreateEnum
CREATE TYPE "report_status" AS ENUM ('running', 'completed', 'failed');

-- CreateEnum
CREATE TYPE "report_phase" AS ENUM ('ledger', 'statement', 'same_day', 'next_day', 'day_before', 'remainder');

-- CreateEnum
CREATE TYPE "remainder_side" AS ENUM ('ledger', 'rail');

-- CreateEnum
CREATE TYPE "discrepancy_type" AS ENUM ('ledger_only', 'rail_only', 'amount_mismatch', 'timing_mismatch', 'duplicate');

-- CreateEnum
CREATE TYPE "discrepancy_status" AS ENUM ('open', 'chasing', 'resolved', 'cleared');

-- CreateEnum
CREATE TYPE "discrepancy_resolution" AS ENUM ('adjusted', 'written_off', 'chasing', 'no_action');

-- AlterTable
ALTER TABLE "rail_statement" ADD COLUMN     "import_id" UUID;

-- CreateTable
CREATE TABLE "reconciliation_report" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "rail" TEXT NOT NULL,
    "status" "report_status" NOT NULL,
    "date_from" DATE NOT NULL,
    "date_to" DATE NOT NULL,
    "phase" "report_phase" NOT NULL,
    "cursor" JSONB,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "matched" INTEGER NOT NULL DEFAULT 0,
    "unmatched_ledger" INTEGER NOT NULL DEFAULT 0,
    "unmatched_rail" INTEGER NOT NULL DEFAULT 0,
    "discrepancies" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "reconciliation_remainder" (
    "workspace_id" UUID NOT NULL,
    "report_id" UUID NOT NULL,
    "side" "remainder_side" NOT NULL,
    "direction" "statement_direction" NOT NULL,
    "amount" BIGINT NOT NULL,
    "day" DATE NOT NULL,
    "line_id" UUID NOT NULL,
    "reference" TEXT,
    "payout_id" UUID,

    CONSTRAINT "reconciliation_remainder_pkey" PRIMARY KEY ("workspace_id","report_id","side","direction","amount","day","line_id")
);

-- CreateTable
CREATE TABLE "discrepancy" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "report_id" UUID NOT NULL,
    "rail" TEXT NOT NULL,
    "type" "discrepancy_type" NOT NULL,
    "status" "discrepancy_status" NOT NULL,
    "ledger_entry_id" UUID,
    "rail_entry_id" UUID,
    "reference" TEXT,
    "payout_id" UUID,
    "direction" "statement_direction" NOT NULL,
    "expected_amount" BIGINT,
    "actual_amount" BIGINT,
    "currency" TEXT NOT NULL,
    "resolution" "discrepancy_resolution",
    "note" TEXT,
    "adjustment_transfer_id" UUID,
    "detected_at" TIMESTAMPTZ(3) NOT NULL,
    "resolved_at" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "reconciliation_finding" (
    "workspace_id" UUID NOT NULL,
    "report_id" UUID NOT NULL,
    "discrepancy_id" UUID NOT NULL,

    CONSTRAINT "reconciliation_finding_pkey" PRIMARY KEY ("workspace_id","report_id","discrepancy_id")
);

-- CreateIndex
CREATE INDEX "reconciliation_report_workspace_id_rail_id_idx" ON "reconciliation_report"("workspace_id", "rail", "id");

-- CreateIndex
CREATE INDEX "rail_statement_workspace_id_rail_reference_direction_booked_idx" ON "rail_statement"("workspace_id", "rail", "reference", "direction", "booked_at", "id");

CREATE INDEX reconciliation_report_status ON reconciliation_report (workspace_id, status, id) WHERE status <> 'completed';
CREATE INDEX reconciliation_report_due ON reconciliation_report (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX reconciliation_report_due_workspace ON reconciliation_report (workspace_id, due_at)
  WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX reconciliation_report_leased ON reconciliation_report (workspace_id) WHERE lease_until IS NOT NULL;
-- By day and not by instant, so that nobody takes it for the one that finds the first line of a reference.
CREATE INDEX rail_statement_day ON rail_statement (workspace_id, rail, ((booked_at AT TIME ZONE 'UTC')::date), id);
CREATE INDEX rail_statement_import ON rail_statement (workspace_id, import_id) WHERE import_id IS NOT NULL;

-- A discrepancy is one thing, however many runs find it.
CREATE UNIQUE INDEX discrepancy_of_ledger ON discrepancy (workspace_id, ledger_entry_id, type) WHERE ledger_entry_id IS NOT NULL;
CREATE UNIQUE INDEX discrepancy_of_rail ON discrepancy (workspace_id, rail_entry_id, type) WHERE ledger_entry_id IS NULL;
CREATE INDEX discrepancy_open ON discrepancy (workspace_id, status, id) WHERE status IN ('open', 'chasing');
CREATE TRIGGER immutable BEFORE DELETE ON discrepancy FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON reconciliation_finding FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "reconciliation_report" ADD CONSTRAINT "reconciliation_report_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "discrepancy" ADD CONSTRAINT "discrepancy_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "rail_statement" DROP CONSTRAINT "rail_statement_pkey";
ALTER TABLE "rail_statement" ADD CONSTRAINT "rail_statement_pkey" PRIMARY KEY ("workspace_id", "id");

-- AddForeignKey
ALTER TABLE "reconciliation_finding" ADD CONSTRAINT "reconciliation_finding_workspace_id_report_id_fkey" FOREIGN KEY ("workspace_id", "report_id") REFERENCES "reconciliation_report"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "reconciliation_finding" ADD CONSTRAINT "reconciliation_finding_workspace_id_discrepancy_id_fkey" FOREIGN KEY ("workspace_id", "discrepancy_id") REFERENCES "discrepancy"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
