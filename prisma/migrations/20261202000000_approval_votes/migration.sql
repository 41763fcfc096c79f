-- CreateEnum
CREATE TYPE "approval_vote_value" AS ENUM ('approve', 'reject');

-- CreateEnum
CREATE TYPE "approval_vote_via" AS ENUM ('console', 'api', 'link');

-- AlterTable
ALTER TABLE "approval" ADD COLUMN     "behind_member_id" UUID,
ADD COLUMN     "required" JSONB NOT NULL DEFAULT '[]';

-- CreateTable
CREATE TABLE "approval_vote" (
    "workspace_id" UUID NOT NULL,
    "approval_id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "vote" "approval_vote_value" NOT NULL,
    "via" "approval_vote_via" NOT NULL,
    "comment" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "counted" BOOLEAN,

    CONSTRAINT "approval_vote_pkey" PRIMARY KEY ("workspace_id","approval_id","member_id")
);
