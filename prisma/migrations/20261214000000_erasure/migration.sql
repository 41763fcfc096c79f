-- expand
-- CreateEnum
CREATE TYPE "erasure_status" AS ENUM ('pending', 'done');

-- CreateTable
CREATE TABLE "erasure" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "account_id" UUID,
    "member_id" UUID,
    "reason" TEXT,
    "status" "erasure_status" NOT NULL DEFAULT 'pending',
    "stage" TEXT NOT NULL,
    "cursor" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "named_by" UUID,
    "fields" BIGINT NOT NULL DEFAULT 0,
    "rows" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),
    CONSTRAINT "erasure_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT erasure_of_one CHECK ((account_id IS NULL) <> (member_id IS NULL))
);

-- An account or a member is erased once.
CREATE UNIQUE INDEX erasure_account ON erasure (workspace_id, account_id) WHERE account_id IS NOT NULL;
CREATE UNIQUE INDEX erasure_member ON erasure (workspace_id, member_id) WHERE member_id IS NOT NULL;
CREATE INDEX erasure_due ON erasure (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX erasure_due_workspace ON erasure (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX erasure_leased ON erasure (workspace_id) WHERE lease_until IS NOT NULL;

-- CreateTable
CREATE TABLE "erasure_subject" (
    "workspace_id" UUID NOT NULL,
    "erasure_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    CONSTRAINT "erasure_subject_pkey" PRIMARY KEY ("workspace_id","erasure_id","id")
);

-- AlterTable
ALTER TABLE "audit_entry" ADD COLUMN "kept" JSONB;

-- A card that was erased has no number any more.
ALTER TABLE vaulted_card DROP CONSTRAINT vaulted_card_last_four;
ALTER TABLE vaulted_card ADD CONSTRAINT vaulted_card_last_four
  CHECK ((card_last_four ~ '^[0-9]{4}$' OR card_last_four = 'erased') AND expiry_month >= 1 AND expiry_month <= 12) NOT VALID;
