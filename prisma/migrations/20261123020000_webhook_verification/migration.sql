-- Endpoints prove themselves, and what may not be sent yet waits at the gate of its host (docs/decisions/0046). A subscription is the job
-- of asking its endpoint, and of letting go what waits for nothing any more.
ALTER TABLE "webhook" ADD COLUMN "verified_at" TIMESTAMPTZ(3);
ALTER TABLE "webhook" ADD COLUMN "verified_until" TIMESTAMPTZ(3);
ALTER TABLE "webhook" ADD COLUMN "asked" INTEGER NOT NULL DEFAULT 0;
-- A process of the version before knows nothing of it: what it makes is asked at once.
ALTER TABLE "webhook" ADD COLUMN "due_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP;
ALTER TABLE "webhook" ADD COLUMN "lease_until" TIMESTAMPTZ(3);
-- Endpoints of before count as verified for 30 days, and are asked then.
UPDATE "webhook" SET verified_until = now() + interval '30 days', due_at = NULL;
UPDATE "webhook" h SET due_at = now() + interval '30 days' + w.clock_offset_ms * interval '1 ms'
FROM "workspace" w WHERE w.id = h.workspace_id AND h.deleted_at IS NULL;
CREATE INDEX webhook_due ON webhook (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX webhook_due_workspace ON webhook (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX webhook_leased ON webhook (workspace_id) WHERE lease_until IS NOT NULL;

-- The gate that a delivery waits at. One that is due again has its turn there.
ALTER TABLE "webhook_delivery" ADD COLUMN "waits_for" TEXT;
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (workspace_id, waits_for, id)
  WHERE waits_for IS NOT NULL AND due_at IS NULL AND status IN ('pending', 'failed');
CREATE INDEX webhook_delivery_waiting_webhook ON webhook_delivery (workspace_id, webhook_id, waits_for)
  WHERE waits_for IS NOT NULL AND due_at IS NULL AND status IN ('pending', 'failed');

-- CreateTable
CREATE TABLE "webhook_gate" (
    "name" TEXT NOT NULL,
    "next_at" TIMESTAMPTZ(6) NOT NULL,
    "interval_us" INTEGER NOT NULL,
    "burst" INTEGER NOT NULL,
    "daily" INTEGER,
    "day" DATE NOT NULL,
    "passed" INTEGER NOT NULL DEFAULT 0,
    "waiting" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "webhook_gate_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "webhook_queue" (
    "workspace_id" UUID NOT NULL,
    "gate" TEXT NOT NULL,
    "turn" BIGSERIAL NOT NULL,

    CONSTRAINT "webhook_queue_pkey" PRIMARY KEY ("workspace_id","gate")
);

-- CreateIndex
CREATE INDEX "webhook_gate_waiting_next_at_idx" ON "webhook_gate"("waiting", "next_at");

-- CreateIndex
CREATE INDEX "webhook_queue_gate_turn_idx" ON "webhook_queue"("gate", "turn");

-- AddForeignKey
ALTER TABLE "webhook_queue" ADD CONSTRAINT "webhook_queue_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
