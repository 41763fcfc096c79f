-- CreateEnum
CREATE TYPE "connection_status" AS ENUM ('active', 'revoked', 'expired');

-- AlterEnum
ALTER TYPE "budget_scope" ADD VALUE 'connection';

-- AlterTable
ALTER TABLE "approval" ADD COLUMN     "connection_id" UUID;

-- CreateTable
CREATE TABLE "connection" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "status" "connection_status" NOT NULL DEFAULT 'active',
    "agent_id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "budget_id" UUID,
    "client_id" TEXT NOT NULL,
    "client_name" TEXT NOT NULL,
    "redirect_host" TEXT NOT NULL,
    "is_loopback" BOOLEAN NOT NULL,
    "resource" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "last_ip" TEXT
);

-- CreateTable
CREATE TABLE "oauth_artifact" (
    "hash" BYTEA NOT NULL,
    "kind" TEXT NOT NULL,
    "environment" "environment" NOT NULL,
    "workspace_id" UUID,
    "connection_id" UUID,
    "payload" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "consumed_at" TIMESTAMPTZ(3),
    "address" TEXT,
    "network" TEXT,

    CONSTRAINT "oauth_artifact_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "connection_workspace_id_agent_id_idx" ON "connection"("workspace_id", "agent_id");

-- CreateIndex
CREATE INDEX "connection_workspace_id_member_id_idx" ON "connection"("workspace_id", "member_id");

-- CreateIndex
CREATE INDEX "oauth_artifact_workspace_id_connection_id_idx" ON "oauth_artifact"("workspace_id", "connection_id");

-- After the indexes that begin as it does: a look-up that is planned while the table is empty goes by what is made last.
ALTER TABLE "connection" ADD CONSTRAINT "connection_pkey" PRIMARY KEY ("workspace_id", "id");

-- AddForeignKey
ALTER TABLE "connection" ADD CONSTRAINT "connection_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "connection" ADD CONSTRAINT "connection_workspace_id_budget_id_fkey" FOREIGN KEY ("workspace_id", "budget_id") REFERENCES "budget"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "oauth_artifact" ADD CONSTRAINT "oauth_artifact_workspace_id_connection_id_fkey" FOREIGN KEY ("workspace_id", "connection_id") REFERENCES "connection"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- What has expired is swept over all workspaces. Clients without a grant are counted, and the oldest makes room.
CREATE INDEX oauth_artifact_expiry ON oauth_artifact (expires_at);
CREATE INDEX oauth_artifact_waiting ON oauth_artifact (created_at, network) WHERE kind = 'Client' AND consumed_at IS NULL;
-- Connections that have expired are found over all workspaces.
CREATE INDEX connection_expiry ON connection (expires_at) WHERE status = 'active';
