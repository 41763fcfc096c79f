-- CreateTable
CREATE TABLE "evidence_receipt" (
    "workspace_id" UUID NOT NULL,
    "transfer_id" UUID NOT NULL,
    "jws" TEXT NOT NULL,

    CONSTRAINT "evidence_receipt_pkey" PRIMARY KEY ("workspace_id","transfer_id")
);

-- CreateTable
CREATE TABLE "evidence_delivery" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "transfer_id" UUID NOT NULL,
    "side" "capture_by" NOT NULL,
    "sha256" BYTEA NOT NULL,
    "request_sha256" BYTEA,
    "media_type" TEXT,
    "bytes" BIGINT,
    "by_type" TEXT NOT NULL,
    "by_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL
);

-- CreateIndex
CREATE UNIQUE INDEX "evidence_delivery_workspace_id_transfer_id_side_key" ON "evidence_delivery"("workspace_id", "transfer_id", "side");

-- The key is made after the other index (decision 0017).
ALTER TABLE "evidence_delivery" ADD CONSTRAINT "evidence_delivery_pkey" PRIMARY KEY ("workspace_id","id");
