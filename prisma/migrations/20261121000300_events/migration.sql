-- CreateEnum
CREATE TYPE "webhook_status" AS ENUM ('active', 'paused', 'disabled');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('pending', 'processing', 'delivered', 'failed', 'dlq');

-- CreateTable
CREATE TABLE "agent_channel" (
    "agent_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "last_seq" BIGINT NOT NULL DEFAULT 0,
    "last_disconnect_at" TIMESTAMPTZ(3),

    CONSTRAINT "agent_channel_pkey" PRIMARY KEY ("agent_id")
);

-- CreateTable
CREATE TABLE "agent_event" (
    "workspace_id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "seq" BIGINT NOT NULL,
    "event_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agent_event_pkey" PRIMARY KEY ("workspace_id","agent_id","seq")
);

-- CreateTable
CREATE TABLE "agent_connection" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "connected_at" TIMESTAMPTZ(3) NOT NULL,
    "last_heartbeat_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agent_connection_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "description" TEXT,
    "status" "webhook_status" NOT NULL DEFAULT 'active',
    "sealed_secret" BYTEA NOT NULL,
    "previous_sealed_secret" BYTEA,
    "previous_secret_expires_at" TIMESTAMPTZ(3),
    "dlq_in_a_row" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" TEXT,
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "event_type" TEXT NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'pending',
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "max_attempts" INTEGER NOT NULL DEFAULT 5,
    "last_response_code" INTEGER,
    "last_response_body" TEXT,
    "last_error" TEXT,
    "override_url" TEXT,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),
    "first_attempt_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "dlq_at" TIMESTAMPTZ(3),
    "dlq_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery_attempt" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "response_code" INTEGER,
    "error" TEXT,

    CONSTRAINT "delivery_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "agent_channel_workspace_id_agent_id_key" ON "agent_channel"("workspace_id", "agent_id");

-- CreateIndex
CREATE UNIQUE INDEX "agent_connection_session_id_key" ON "agent_connection"("session_id");

-- CreateIndex
CREATE INDEX "agent_connection_workspace_id_agent_id_idx" ON "agent_connection"("workspace_id", "agent_id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_workspace_id_id_key" ON "webhook"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_workspace_id_webhook_id_id_idx" ON "webhook_delivery"("workspace_id", "webhook_id", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_workspace_id_event_id_idx" ON "webhook_delivery"("workspace_id", "event_id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_workspace_id_id_key" ON "webhook_delivery"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "delivery_attempt_workspace_id_delivery_id_idx" ON "delivery_attempt"("workspace_id", "delivery_id");

-- AddForeignKey
ALTER TABLE "agent_channel" ADD CONSTRAINT "agent_channel_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "agent_connection" ADD CONSTRAINT "agent_connection_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "webhook" ADD CONSTRAINT "webhook_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_workspace_id_webhook_id_fkey" FOREIGN KEY ("workspace_id", "webhook_id") REFERENCES "webhook"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "delivery_attempt" ADD CONSTRAINT "delivery_attempt_workspace_id_delivery_id_fkey" FOREIGN KEY ("workspace_id", "delivery_id") REFERENCES "webhook_delivery"("workspace_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_workspace_id_event_id_fkey" FOREIGN KEY ("workspace_id", "event_id") REFERENCES "event"("workspace_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- AlterTable
ALTER TABLE "workspace" ADD COLUMN "clock_target" TIMESTAMPTZ(3);

-- The events about one object, newest first.
CREATE INDEX event_object ON event (workspace_id, object_id, id) WHERE object_id IS NOT NULL;
CREATE INDEX event_agent ON event (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;

-- What is due, by table (docs/architecture.md "Time").
CREATE INDEX webhook_delivery_due ON webhook_delivery (due_at) WHERE due_at IS NOT NULL;
-- Deliveries are claimed by endpoint, and those under way are counted.
CREATE INDEX webhook_delivery_lane ON webhook_delivery (webhook_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_leased ON webhook_delivery (webhook_id) WHERE lease_until IS NOT NULL;
CREATE INDEX webhook_delivery_dlq ON webhook_delivery (workspace_id, id) WHERE status = 'dlq';
ALTER TABLE agent_channel ADD CONSTRAINT agent_channel_counts_up CHECK (last_seq >= 0);

-- Opens the stream of a session under the lock of its agent's channel: rows of the same session (`replaced`) and rows without a
-- recent heartbeat go; the new one is written unless `most` other sessions are connected. The process that has a replaced one
-- is told. No expires_at: the session is over.
CREATE FUNCTION open_agent_connection(
  p_workspace uuid, p_agent uuid, p_session uuid, p_id uuid, p_at timestamptz, p_since timestamptz, p_most int, p_sender text,
  OUT last_seq bigint, OUT expires_at timestamptz, OUT others int, OUT replaced uuid[]
) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO agent_channel AS c (workspace_id, agent_id) VALUES (p_workspace, p_agent)
  ON CONFLICT (agent_id) DO UPDATE SET last_seq = c.last_seq RETURNING c.last_seq INTO open_agent_connection.last_seq;
  SELECT s.expires_at INTO open_agent_connection.expires_at FROM agent_session s
  WHERE s.workspace_id = p_workspace AND s.id = p_session AND s.agent_id = p_agent AND s.revoked_at IS NULL AND s.expires_at > p_at;
  SELECT count(*) INTO others FROM agent_connection c
  WHERE c.workspace_id = p_workspace AND c.agent_id = p_agent AND c.session_id <> p_session AND c.last_heartbeat_at > p_since;
  IF open_agent_connection.expires_at IS NULL OR others >= p_most THEN RETURN; END IF;
  WITH gone AS (
    DELETE FROM agent_connection c
    WHERE c.workspace_id = p_workspace AND c.agent_id = p_agent AND (c.session_id = p_session OR c.last_heartbeat_at <= p_since)
    RETURNING c.id, c.session_id
  )
  SELECT array_agg(gone.id) INTO replaced FROM gone WHERE gone.session_id = p_session;
  INSERT INTO agent_connection (id, workspace_id, agent_id, session_id, connected_at, last_heartbeat_at)
  VALUES (p_id, p_workspace, p_agent, p_session, p_at, p_at);
  IF replaced IS NOT NULL THEN
    PERFORM pg_notify('fanout', jsonb_build_object('sender', p_sender, 'ended', replaced)::text);
  END IF;
END $$;
