-- CreateEnum
CREATE TYPE "webhook_status" AS ENUM ('active', 'paused', 'disabled');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('pending', 'processing', 'delivered', 'failed', 'dlq');

-- CreateTable
CREATE TABLE "agent_channel" (
    "workspace_id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "last_seq" BIGINT NOT NULL DEFAULT 0,
    "last_disconnect_at" TIMESTAMPTZ(3),

    CONSTRAINT "agent_channel_pkey" PRIMARY KEY ("workspace_id","agent_id")
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
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "connected_at" TIMESTAMPTZ(3) NOT NULL,
    "last_heartbeat_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agent_connection_pkey" PRIMARY KEY ("workspace_id","id")
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

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("workspace_id","id")
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
    "created_at" TIMESTAMPTZ(3) NOT NULL
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
CREATE UNIQUE INDEX "agent_connection_workspace_id_session_id_key" ON "agent_connection"("workspace_id", "session_id");

-- CreateIndex
CREATE INDEX "agent_connection_workspace_id_agent_id_idx" ON "agent_connection"("workspace_id", "agent_id");

-- CreateIndex
CREATE INDEX "webhook_delivery_workspace_id_webhook_id_id_idx" ON "webhook_delivery"("workspace_id", "webhook_id", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_workspace_id_event_id_idx" ON "webhook_delivery"("workspace_id", "event_id");

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("workspace_id", "id");

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
-- Free rows in the order of their time, of everybody, of a workspace and of a lane, and rows that are claimed.
CREATE INDEX webhook_delivery_due ON webhook_delivery (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX webhook_delivery_due_workspace ON webhook_delivery (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX webhook_delivery_lane ON webhook_delivery (webhook_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX webhook_delivery_leased ON webhook_delivery (workspace_id, webhook_id) WHERE lease_until IS NOT NULL;
-- Workspaces whose rows are due by a clock of their own.
CREATE INDEX workspace_moved ON workspace (id) WHERE clock_offset_ms <> 0;
CREATE INDEX webhook_delivery_dlq ON webhook_delivery (workspace_id, id) WHERE status = 'dlq';
ALTER TABLE agent_channel ADD CONSTRAINT agent_channel_counts_up CHECK (last_seq >= 0);

-- The shard of a workspace, from 0. src/platform/shard.ts computes the same.
CREATE FUNCTION shard_of(workspace uuid, shards int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT ('x' || right(workspace::text, 7))::bit(28)::int % shards
$$;

-- An id as uuid_at() makes them, with its place among those that are made together for one moment: so lists and indexes keep their order.
CREATE FUNCTION uuid_at(at timestamptz, place bigint) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT overlay(uuid_at(at)::text PLACING lpad(to_hex(least(place, 4095)), 3, '0') FROM 16 FOR 3)::uuid
$$;

-- Publishes lines of the outbox of one shard, oldest first: removes them, notes their events as published, and writes a delivery of
-- each event for each active subscription of its workspace that names its type. One process at a time publishes a shard: the others
-- get `busy`. `p_workspace` publishes the lines of one workspace alone.
-- An event that channels of agents show needs its channel events in the same transaction. So a line with roles is taken only when
-- `p_shown`; otherwise the step stops before the first of them and sets `shown_next`.
-- Only lines after `p_after` are read. Those before are gone, but until the next vacuum the index still has their entries, and each
-- step would read all of them.
CREATE FUNCTION publish_events(
  p_now timestamptz, p_shown boolean, p_most int, p_after bigint, p_shard int, p_shards int, p_workspace uuid,
  OUT busy boolean, OUT size int, OUT deliveries int, OUT shown json, OUT shown_next boolean, OUT last bigint
) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_workspaces uuid[];
  v_events uuid[];
  v_roles jsonb;
BEGIN
  size := 0;
  deliveries := 0;
  shown_next := false;
  busy := NOT pg_try_advisory_xact_lock(x'6f757462'::int, p_shard);
  IF busy THEN RETURN; END IF;
  WITH oldest AS (
    SELECT l.workspace_id, l.id, bool_or(l.roles IS NOT NULL) OVER (ORDER BY l.id) AS stops,
           sum(cardinality(l.event_ids)) OVER (ORDER BY l.id) - cardinality(l.event_ids) AS ahead
    FROM (SELECT * FROM outbox o
          WHERE o.id > p_after AND (p_shards = 1 OR shard_of(o.workspace_id, p_shards) = p_shard)
            AND (p_workspace IS NULL OR o.workspace_id = p_workspace)
          ORDER BY o.id LIMIT p_most) l
  ), taken AS (
    DELETE FROM outbox o USING oldest
    WHERE o.workspace_id = oldest.workspace_id AND o.id = oldest.id AND oldest.ahead < p_most AND (p_shown OR NOT oldest.stops)
    RETURNING o.*
  )
  SELECT array_agg(t.workspace_id ORDER BY t.id, u.place), array_agg(u.event_id ORDER BY t.id, u.place),
         (SELECT jsonb_object_agg(r.key, r.value) FROM taken, jsonb_each(taken.roles) r),
         (SELECT bool_or(oldest.stops) FROM oldest) AND NOT p_shown, max(t.id)
  INTO v_workspaces, v_events, v_roles, shown_next, last
  FROM taken t CROSS JOIN LATERAL unnest(t.event_ids) WITH ORDINALITY AS u (event_id, place);
  IF v_events IS NULL THEN RETURN; END IF;
  size := cardinality(v_events);

  INSERT INTO publication (workspace_id, event_ids, published_at)
  SELECT u.workspace_id, array_agg(u.event_id ORDER BY u.place), p_now
  FROM unnest(v_workspaces, v_events) WITH ORDINALITY AS u (workspace_id, event_id, place) GROUP BY u.workspace_id;

  -- The subscriptions are read for each event by itself (OFFSET 0 keeps them apart), so that a batch of many workspaces costs no more.
  -- A subscription does not receive webhook.dlq for its own deliveries: they would fail in the same way.
  WITH published AS MATERIALIZED (
    SELECT e.workspace_id, e.id, e.type, e.created_at, u.place,
           CASE WHEN e.type = 'webhook.dlq' THEN e.data ->> 'webhook_id' END AS failed_webhook
    FROM unnest(v_workspaces, v_events) WITH ORDINALITY AS u (workspace_id, event_id, place)
    JOIN event e ON e.workspace_id = u.workspace_id AND e.id = u.event_id
    WHERE NOT starts_with(e.type, '_')
  )
  INSERT INTO webhook_delivery (id, workspace_id, webhook_id, event_id, event_type, due_at, created_at)
  SELECT uuid_at(p.created_at, row_number() OVER (ORDER BY p.place, w.id)), p.workspace_id, w.id, p.id, p.type, p.created_at, p.created_at
  FROM published p CROSS JOIN LATERAL (
    SELECT id, events FROM webhook WHERE workspace_id = p.workspace_id AND status = 'active' AND deleted_at IS NULL OFFSET 0
  ) w
  WHERE EXISTS (
      SELECT FROM unnest(w.events) AS pattern
      WHERE pattern = p.type OR right(pattern, 1) = '*' AND starts_with(p.type, left(pattern, -1))
    )
    AND (p.failed_webhook IS NULL OR p.failed_webhook <> 'wh_' || w.id)
  ORDER BY p.place, w.id;
  GET DIAGNOSTICS deliveries = ROW_COUNT;

  IF v_roles IS NULL THEN RETURN; END IF;
  SELECT json_agg(json_build_object('workspaceId', e.workspace_id, 'id', e.id, 'type', e.type, 'data', e.data, 'objectId', e.object_id,
           'agentId', e.agent_id, 'createdAt', e.created_at, 'roles', v_roles -> e.id::text) ORDER BY u.place)
  INTO shown
  FROM unnest(v_workspaces, v_events) WITH ORDINALITY AS u (workspace_id, event_id, place)
  JOIN event e ON e.workspace_id = u.workspace_id AND e.id = u.event_id
  WHERE v_roles ? u.event_id::text;
END $$;

-- The events of publications of a workspace with numbers above `after`, up to `up_to`, in the order of their publication: what a
-- listener hears (src/events/listener.ts). Events that were swept are left out.
CREATE FUNCTION published_events(workspace uuid, after bigint, up_to bigint) RETURNS SETOF event LANGUAGE sql STABLE AS $$
  SELECT e.*
  FROM publication p
  CROSS JOIN LATERAL unnest(p.event_ids) WITH ORDINALITY AS u (event_id, index)
  -- OFFSET 0: the planner looks up each event, and never each number for an event of a table that it takes for small.
  CROSS JOIN LATERAL (SELECT * FROM event e WHERE e.workspace_id = p.workspace_id AND e.id = u.event_id OFFSET 0) e
  WHERE p.workspace_id = workspace AND p.number > after AND p.number <= up_to
  ORDER BY p.number, u.index
$$;

-- Opens the stream of a session under the lock of its agent's channel: rows of the same session (`replaced`) and rows without a
-- recent heartbeat are deleted; the new one is written unless `most` other sessions are connected. The processes are notified of the
-- replaced ones. Without expires_at the session has ended.
CREATE FUNCTION open_agent_connection(
  p_workspace uuid, p_agent uuid, p_session uuid, p_id uuid, p_at timestamptz, p_since timestamptz, p_most int, p_sender text,
  OUT last_seq bigint, OUT expires_at timestamptz, OUT others int, OUT replaced uuid[]
) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO agent_channel AS c (workspace_id, agent_id) VALUES (p_workspace, p_agent)
  ON CONFLICT (workspace_id, agent_id) DO UPDATE SET last_seq = c.last_seq RETURNING c.last_seq INTO open_agent_connection.last_seq;
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
