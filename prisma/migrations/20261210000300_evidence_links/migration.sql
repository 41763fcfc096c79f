-- CreateTable
CREATE TABLE "evidence_link" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "transfer_id" UUID NOT NULL,
    "parts" TEXT[],
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3)
);

-- CreateIndex
CREATE UNIQUE INDEX "evidence_link_workspace_id_hash_key" ON "evidence_link"("workspace_id", "hash");

-- The key is made after the other index (decision 0017).
ALTER TABLE "evidence_link" ADD CONSTRAINT "evidence_link_pkey" PRIMARY KEY ("workspace_id","id");
