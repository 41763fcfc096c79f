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

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("workspace_id","id")
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

    CONSTRAINT "delivery_attempt_pkey" PRIMARY KEY ("workspace_id","delivery_id","id")
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

-- Takes lines of the outbox, oldest first, notes their events as published and writes a delivery of each event for each active
-- subscription of its workspace that names its type. One process at a time: another finds it busy.
-- Events that channels of agents show need lines written in the same transaction, so a call takes them only when `p_shown`;
-- without it, it stops before the first of them and says so. Only lines after `p_after` are looked at: those before are gone, and
-- until the next vacuum each look would step over what they left in the index.
CREATE FUNCTION publish_events(
  p_now timestamptz, p_shown boolean, p_most int, p_after bigint,
  OUT size int, OUT deliveries int, OUT shown json, OUT shown_next boolean, OUT last bigint, OUT busy boolean
) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_workspaces uuid[];
  v_events uuid[];
  v_sides jsonb;
BEGIN
  size := 0;
  deliveries := 0;
  shown_next := false;
  busy := NOT pg_try_advisory_xact_lock(x'6f757462'::bigint);
  IF busy THEN RETURN; END IF;
  WITH oldest AS (
    SELECT l.id, bool_or(l.sides IS NOT NULL) OVER (ORDER BY l.id) AS sided,
           sum(cardinality(l.event_ids)) OVER (ORDER BY l.id) - cardinality(l.event_ids) AS ahead
    FROM (SELECT * FROM outbox o WHERE o.id > p_after ORDER BY o.id LIMIT p_most) l
  ), taken AS (
    DELETE FROM outbox o USING oldest WHERE o.id = oldest.id AND oldest.ahead < p_most AND (p_shown OR NOT oldest.sided) RETURNING o.*
  )
  SELECT array_agg(u.workspace_id ORDER BY t.id, u.place), array_agg(u.event_id ORDER BY t.id, u.place),
         (SELECT jsonb_object_agg(s.key, s.value) FROM taken, jsonb_each(taken.sides) s),
         (SELECT bool_or(oldest.sided) FROM oldest) AND NOT p_shown, max(t.id)
  INTO v_workspaces, v_events, v_sides, shown_next, last
  FROM taken t CROSS JOIN LATERAL unnest(t.workspace_ids, t.event_ids) WITH ORDINALITY AS u (workspace_id, event_id, place);
  IF v_events IS NULL THEN RETURN; END IF;
  size := cardinality(v_events);

  INSERT INTO publication (workspace_id, event_ids, published_at)
  SELECT u.workspace_id, array_agg(u.event_id ORDER BY u.place), p_now
  FROM unnest(v_workspaces, v_events) WITH ORDINALITY AS u (workspace_id, event_id, place) GROUP BY u.workspace_id;

  -- A subscription is not told of its own dead letters: they would fail as the letters did.
  INSERT INTO webhook_delivery (id, workspace_id, webhook_id, event_id, event_type, due_at, created_at)
  SELECT uuid_at(e.created_at), e.workspace_id, w.id, e.id, e.type, e.created_at, e.created_at
  FROM webhook w
  JOIN unnest(v_workspaces, v_events) WITH ORDINALITY AS u (workspace_id, event_id, place) ON u.workspace_id = w.workspace_id
  JOIN event e ON e.workspace_id = u.workspace_id AND e.id = u.event_id
  WHERE w.workspace_id = ANY (v_workspaces) AND w.status = 'active' AND w.deleted_at IS NULL
    AND EXISTS (
      SELECT FROM unnest(w.events) AS pattern
      WHERE pattern = e.type OR right(pattern, 1) = '*' AND starts_with(e.type, left(pattern, -1))
    )
    AND NOT (e.type = 'webhook.dlq' AND e.data ->> 'webhook_id' = 'wh_' || w.id)
  ORDER BY u.place, w.id;
  GET DIAGNOSTICS deliveries = ROW_COUNT;

  IF v_sides IS NULL THEN RETURN; END IF;
  SELECT json_agg(json_build_object('workspaceId', e.workspace_id, 'id', e.id, 'type', e.type, 'data', e.data, 'objectId', e.object_id,
           'agentId', e.agent_id, 'createdAt', e.created_at, 'sides', v_sides -> e.id::text) ORDER BY u.place)
  INTO shown
  FROM unnest(v_workspaces, v_events) WITH ORDINALITY AS u (workspace_id, event_id, place)
  JOIN event e ON e.workspace_id = u.workspace_id AND e.id = u.event_id
  WHERE v_sides ? u.event_id::text;
END $$;

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
