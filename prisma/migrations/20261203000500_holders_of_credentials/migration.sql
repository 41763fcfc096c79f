-- AlterTable
ALTER TABLE "agent_key" ADD COLUMN "created_by" TEXT;

-- AlterTable
ALTER TABLE "approval" ADD COLUMN "held_by_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
