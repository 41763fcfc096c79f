-- CreateEnum
CREATE TYPE "evidence_state" AS ENUM ('open', 'halted', 'ended');

-- CreateEnum
CREATE TYPE "evidence_publish" AS ENUM ('off', 'heads', 'tiles');

-- AlterEnum
ALTER TYPE "directory_kind" ADD VALUE 'evidence_log';

-- AlterTable
ALTER TABLE "audit_head" ADD COLUMN     "moved" BOOLEAN NOT NULL DEFAULT true;

-- CreateTable
CREATE TABLE "audit_node" (
    "workspace_id" UUID NOT NULL,
    "level" SMALLINT NOT NULL,
    "index" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_node_pkey" PRIMARY KEY ("workspace_id","level","index")
);

-- CreateTable
CREATE TABLE "evidence_log" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "origin" TEXT NOT NULL,
    "state" "evidence_state" NOT NULL DEFAULT 'open',
    "reason" TEXT,
    "publish" "evidence_publish" NOT NULL DEFAULT 'off',
    "head_event_seconds" INTEGER NOT NULL DEFAULT 3600,
    "tree_size" BIGINT NOT NULL DEFAULT 0,
    "root" BYTEA,
    "head_at" TIMESTAMPTZ(3),
    "told_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "evidence_log_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "evidence_key" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "log_id" UUID NOT NULL,
    "public_key" BYTEA NOT NULL,
    "sealed_key" BYTEA NOT NULL,
    "jws" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "evidence_key_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "evidence_head" (
    "workspace_id" UUID NOT NULL,
    "log_id" UUID NOT NULL,
    "tree_size" BIGINT NOT NULL,
    "root" BYTEA NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "checkpoint" TEXT,

    CONSTRAINT "evidence_head_pkey" PRIMARY KEY ("workspace_id","log_id","tree_size")
);

-- CreateTable
CREATE TABLE "fence" (
    "only" BOOLEAN NOT NULL DEFAULT true,
    "id" UUID NOT NULL,
    "memory_id" TEXT NOT NULL,
    "system_identifier" TEXT NOT NULL,
    "timeline" TEXT NOT NULL,
    "database_oid" TEXT NOT NULL,

    CONSTRAINT "fence_pkey" PRIMARY KEY ("only")
);

-- Read by the round that signs heads.
CREATE INDEX "audit_head_moved" ON "audit_head" ("workspace_id") WHERE "moved";

-- A workspace has one log that has not ended.
CREATE UNIQUE INDEX "evidence_log_current" ON "evidence_log" ("workspace_id") WHERE "state" <> 'ended';

-- Heads that are kept for a day, and then as the last of their hour.
CREATE INDEX "evidence_head_at_idx" ON "evidence_head"("at");

CREATE INDEX "evidence_log_halted" ON "evidence_log" ("workspace_id") WHERE "state" = 'halted';
