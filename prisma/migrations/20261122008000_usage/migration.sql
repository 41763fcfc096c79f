-- What reports read: operations are published as events are, and rolled up by a listener; HTTP requests are counted.

-- AlterTable
ALTER TABLE "operation" ADD COLUMN     "provider" TEXT;

-- AlterTable
ALTER TABLE "outbox" ADD COLUMN     "operation_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];

-- AlterTable
ALTER TABLE "publication" ADD COLUMN     "operation_ids" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];

-- CreateTable
CREATE TABLE "usage_rollup" (
    "workspace_id" UUID NOT NULL,
    "owner_id" UUID NOT NULL,
    "size" INTEGER NOT NULL,
    "start" TIMESTAMPTZ(3) NOT NULL,
    "protocol" "protocol" NOT NULL,
    "category" TEXT NOT NULL,
    "success" BOOLEAN NOT NULL,
    "currency" TEXT NOT NULL,
    "provider" TEXT NOT NULL DEFAULT '',
    "operations" BIGINT NOT NULL,
    "amount" DECIMAL(38,0) NOT NULL,
    "amount_usd" DECIMAL(38,0) NOT NULL,
    "external_cost_usd" DECIMAL(38,0) NOT NULL,

    CONSTRAINT "usage_rollup_pkey" PRIMARY KEY ("workspace_id","owner_id","size","start","protocol","category","success","currency","provider")
);

-- CreateTable
CREATE TABLE "counted_checkout" (
    "workspace_id" UUID NOT NULL,
    "checkout_id" UUID NOT NULL,

    CONSTRAINT "counted_checkout_pkey" PRIMARY KEY ("workspace_id","checkout_id")
);

-- CreateTable
CREATE TABLE "checkout_rollup" (
    "workspace_id" UUID NOT NULL,
    "size" INTEGER NOT NULL,
    "start" TIMESTAMPTZ(3) NOT NULL,
    "dimension" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "checkouts" BIGINT NOT NULL,
    "seconds" BIGINT NOT NULL,

    CONSTRAINT "checkout_rollup_pkey" PRIMARY KEY ("workspace_id","size","start","dimension","key","outcome")
);

-- CreateTable
CREATE TABLE "request_count" (
    "workspace_id" UUID NOT NULL,
    "size" INTEGER NOT NULL,
    "start" TIMESTAMPTZ(3) NOT NULL,
    "method" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "duration" INTEGER NOT NULL,
    "requests" BIGINT NOT NULL,

    CONSTRAINT "request_count_pkey" PRIMARY KEY ("workspace_id","size","start","method","route","status","duration")
);

-- CreateIndex
CREATE INDEX "operation_workspace_id_actor_id_id_idx" ON "operation"("workspace_id", "actor_id", "id");

-- CreateIndex
CREATE INDEX "operation_workspace_id_protocol_category_success_id_idx" ON "operation"("workspace_id", "protocol", "category", "success", "id");

-- The key is made after the indexes that begin as it does (docs/decisions/0017).
ALTER TABLE "operation" DROP CONSTRAINT "operation_pkey";
ALTER TABLE "operation" ADD CONSTRAINT "operation_pkey" PRIMARY KEY ("workspace_id", "id");

-- Buckets of five minutes go after 400 days, the oldest first.
CREATE INDEX usage_rollup_fine ON usage_rollup (workspace_id, start) WHERE size = 300;
-- The key is made after it.
ALTER TABLE "usage_rollup" DROP CONSTRAINT "usage_rollup_pkey";
ALTER TABLE "usage_rollup" ADD CONSTRAINT "usage_rollup_pkey" PRIMARY KEY ("workspace_id", "owner_id", "size", "start", "protocol", "category", "success", "currency", "provider");

-- Checkouts that have not ended, which no rollup has counted yet.
CREATE INDEX checkout_open ON checkout (workspace_id, id) WHERE status IN ('created', 'pending_payment', 'failed');

-- Publishes lines of the outbox of one shard, oldest first: removes them, notes their events and operations as published, and writes a
-- delivery of each event for each active subscription of its workspace that names its type. A line without events counts as one event. One process at a time publishes a shard: the others
-- get `busy`. `p_workspace` publishes the lines of one workspace alone.
-- An event that channels of agents show needs its channel events in the same transaction. So a line with roles is taken only when
-- `p_shown`; otherwise the step stops before the first of them and sets `shown_next`.
-- Only lines after `p_after` are read. Those before are gone, but until the next vacuum the index still has their entries, and each
-- step would read all of them.
CREATE OR REPLACE FUNCTION publish_events(
  p_now timestamptz, p_shown boolean, p_most int, p_after bigint, p_shard int, p_shards int, p_workspace uuid,
  OUT busy boolean, OUT size int, OUT deliveries int, OUT shown json, OUT shown_next boolean, OUT last bigint
) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_workspaces uuid[];
  v_events uuid[];
  v_counting uuid[];
  v_operations uuid[];
  v_roles jsonb;
BEGIN
  size := 0;
  deliveries := 0;
  shown_next := false;
  busy := NOT pg_try_advisory_xact_lock(x'6f757462'::int, p_shard);
  IF busy THEN RETURN; END IF;
  WITH oldest AS (
    SELECT l.workspace_id, l.id, bool_or(l.roles IS NOT NULL) OVER (ORDER BY l.id) AS stops,
           sum(greatest(cardinality(l.event_ids), 1)) OVER (ORDER BY l.id) - greatest(cardinality(l.event_ids), 1) AS ahead
    FROM (SELECT * FROM outbox o
          WHERE o.id > p_after AND (p_shards = 1 OR shard_of(o.workspace_id, p_shards) = p_shard)
            AND (p_workspace IS NULL OR o.workspace_id = p_workspace)
          ORDER BY o.id LIMIT p_most) l
  ), taken AS (
    DELETE FROM outbox o USING oldest
    WHERE o.workspace_id = oldest.workspace_id AND o.id = oldest.id AND oldest.ahead < p_most AND (p_shown OR NOT oldest.stops)
    RETURNING o.*
  )
  SELECT e.workspaces, e.events, o.workspaces, o.operations,
         (SELECT jsonb_object_agg(r.key, r.value) FROM taken, jsonb_each(taken.roles) r),
         (SELECT bool_or(oldest.stops) FROM oldest) AND NOT p_shown, l.last, l.size
  INTO v_workspaces, v_events, v_counting, v_operations, v_roles, shown_next, last, size
  FROM (SELECT max(t.id) AS last, coalesce(sum(greatest(cardinality(t.event_ids), 1)), 0) AS size FROM taken t) l
  CROSS JOIN (
    SELECT array_agg(t.workspace_id ORDER BY t.id, u.place) AS workspaces, array_agg(u.id ORDER BY t.id, u.place) AS events
    FROM taken t CROSS JOIN LATERAL unnest(t.event_ids) WITH ORDINALITY AS u (id, place)
  ) e CROSS JOIN (
    SELECT array_agg(t.workspace_id ORDER BY t.id, u.place) AS workspaces, array_agg(u.id ORDER BY t.id, u.place) AS operations
    FROM taken t CROSS JOIN LATERAL unnest(t.operation_ids) WITH ORDINALITY AS u (id, place)
  ) o;
  IF v_events IS NULL AND v_operations IS NULL THEN RETURN; END IF;

  INSERT INTO publication (workspace_id, event_ids, operation_ids, published_at)
  SELECT u.workspace_id, coalesce(array_agg(u.event_id ORDER BY u.place) FILTER (WHERE u.event_id IS NOT NULL), '{}'),
         coalesce(array_agg(u.operation_id ORDER BY u.place) FILTER (WHERE u.operation_id IS NOT NULL), '{}'), p_now
  FROM (
    SELECT e.workspace_id, e.id AS event_id, NULL::uuid AS operation_id, e.place
    FROM unnest(v_workspaces, v_events) WITH ORDINALITY AS e (workspace_id, id, place)
    UNION ALL
    SELECT o.workspace_id, NULL, o.id, o.place FROM unnest(v_counting, v_operations) WITH ORDINALITY AS o (workspace_id, id, place)
  ) u GROUP BY u.workspace_id;
  IF v_events IS NULL THEN RETURN; END IF;

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

-- The operations of publications of a workspace with numbers above `after`, up to `up_to`, in the order of their publication.
CREATE FUNCTION published_operations(workspace uuid, after bigint, up_to bigint) RETURNS SETOF operation LANGUAGE sql STABLE AS $$
  SELECT o.*
  FROM publication p
  CROSS JOIN LATERAL unnest(p.operation_ids) WITH ORDINALITY AS u (operation_id, index)
  -- OFFSET 0: the planner looks up each operation by its key.
  CROSS JOIN LATERAL (SELECT * FROM operation o WHERE o.workspace_id = p.workspace_id AND o.id = u.operation_id OFFSET 0) o
  WHERE p.workspace_id = workspace AND p.number > after AND p.number <= up_to
  ORDER BY p.number, u.index
$$;
