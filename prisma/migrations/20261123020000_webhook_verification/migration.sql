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

-- The row of a gate, locked, with the measure that counts from now on. A new one has all of its places.
CREATE FUNCTION webhook_gate_of(p_gate text, p_now timestamptz, p_interval_us int, p_burst int, p_daily int)
RETURNS webhook_gate LANGUAGE sql AS $$
  INSERT INTO webhook_gate AS known (name, next_at, interval_us, burst, daily, day)
  VALUES (p_gate, p_now - p_burst * p_interval_us * interval '1 us', p_interval_us, p_burst, p_daily, (p_now AT TIME ZONE 'UTC')::date)
  ON CONFLICT (name) DO UPDATE SET interval_us = EXCLUDED.interval_us, burst = EXCLUDED.burst, daily = EXCLUDED.daily
  RETURNING known.*
$$;

-- Takes up to p_wanted places of a gate whose row is locked; how many there were. next_at is when the next one is free.
CREATE FUNCTION webhook_take_places(p_gate webhook_gate, p_now timestamptz, p_wanted int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_step interval := p_gate.interval_us * interval '1 us';
  v_from timestamptz := greatest(p_gate.next_at, p_now - (p_gate.burst - 1) * v_step);
  v_day date := (p_now AT TIME ZONE 'UTC')::date;
  v_passed int := CASE WHEN p_gate.day = v_day THEN p_gate.passed ELSE 0 END;
  v_taken int;
BEGIN
  IF p_gate.next_at > p_now THEN RETURN 0; END IF;
  v_taken := least(p_wanted, floor(extract(epoch FROM p_now - v_from) * 1000000 / p_gate.interval_us)::int + 1);
  v_taken := greatest(0, least(v_taken, p_gate.daily - v_passed));
  UPDATE webhook_gate SET day = v_day, passed = v_passed + v_taken,
    next_at = CASE WHEN v_passed + v_taken >= p_gate.daily THEN (v_day + 1)::timestamp AT TIME ZONE 'UTC' ELSE v_from + v_taken * v_step END
  WHERE name = p_gate.name;
  RETURN v_taken;
END $$;

-- How many of p_wanted may pass a gate now: none while others wait there.
CREATE FUNCTION webhook_pass(p_gate text, p_now timestamptz, p_wanted int, p_interval_us int, p_burst int, p_daily int)
RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_gate webhook_gate := webhook_gate_of(p_gate, p_now, p_interval_us, p_burst, p_daily);
BEGIN
  IF v_gate.waiting THEN RETURN 0; END IF;
  RETURN webhook_take_places(v_gate, p_now, p_wanted);
END $$;

-- Lets deliveries that were claimed wait at a gate. Those of a subscription that was verified meanwhile are given back: its row is shared
-- until the end, so a verification sees what waits, or is seen.
CREATE FUNCTION webhook_wait(
  p_workspace uuid, p_ids uuid[], p_gate text, p_now timestamptz, p_interval_us int, p_burst int, p_daily int
) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_webhooks uuid[];
BEGIN
  PERFORM webhook_gate_of(p_gate, p_now, p_interval_us, p_burst, p_daily);
  UPDATE webhook_gate SET waiting = true WHERE name = p_gate AND NOT waiting;
  INSERT INTO webhook_queue (workspace_id, gate) VALUES (p_workspace, p_gate) ON CONFLICT DO NOTHING;
  SELECT array_agg(DISTINCT d.webhook_id) INTO v_webhooks
  FROM unnest(p_ids) AS wanted (id) JOIN webhook_delivery d ON d.workspace_id = p_workspace AND d.id = wanted.id;
  PERFORM FROM webhook WHERE workspace_id = p_workspace AND id = ANY (v_webhooks) ORDER BY id FOR SHARE;
  UPDATE webhook_delivery d
  SET lease_until = NULL, status = (CASE WHEN d.attempt_count = 0 THEN 'pending' ELSE 'failed' END)::delivery_status,
      waits_for = CASE WHEN stays THEN p_gate END, due_at = CASE WHEN stays THEN NULL ELSE d.due_at END
  FROM (
    SELECT c.id, c.override_url IS NOT NULL OR (h.verified_at IS NULL) = starts_with(p_gate, 'host:') OR h.verified_until IS NOT NULL AS stays
    FROM unnest(p_ids) AS wanted (id)
    JOIN webhook_delivery c ON c.workspace_id = p_workspace AND c.id = wanted.id
    JOIN webhook h ON h.workspace_id = p_workspace AND h.id = c.webhook_id
  ) held
  WHERE d.workspace_id = p_workspace AND d.id = held.id AND d.status = 'processing';
END $$;

-- Gives turns at the gates that have places: at each to the workspace whose last turn is the longest ago, and there to the oldest. Says
-- how many got one, whether to look again at once, and in how many milliseconds a gate opens at which something waits.
CREATE FUNCTION webhook_give_turns(p_now timestamptz, p_most int, OUT given int, OUT more boolean, OUT next_ms float8) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_gate webhook_gate;
  v_workspace uuid;
  v_ids uuid[];
  v_taken int;
  v_looked int := 0;
BEGIN
  given := 0;
  FOR v_gate IN
    SELECT * FROM webhook_gate WHERE waiting AND next_at <= p_now ORDER BY next_at LIMIT p_most FOR UPDATE SKIP LOCKED
  LOOP
    v_looked := v_looked + 1;
    SELECT workspace_id INTO v_workspace FROM webhook_queue WHERE gate = v_gate.name ORDER BY turn LIMIT 1;
    IF NOT FOUND THEN
      UPDATE webhook_gate SET waiting = false WHERE name = v_gate.name;
      CONTINUE;
    END IF;
    SELECT array_agg(id) INTO v_ids FROM (
      SELECT id FROM webhook_delivery
      WHERE workspace_id = v_workspace AND waits_for = v_gate.name AND due_at IS NULL AND status IN ('pending', 'failed')
      ORDER BY id LIMIT v_gate.burst FOR NO KEY UPDATE
    ) oldest;
    IF v_ids IS NULL THEN
      DELETE FROM webhook_queue WHERE workspace_id = v_workspace AND gate = v_gate.name;
      CONTINUE;
    END IF;
    v_taken := webhook_take_places(v_gate, p_now, cardinality(v_ids));
    UPDATE webhook_delivery d SET due_at = p_now + w.clock_offset_ms * interval '1 ms'
    FROM workspace w WHERE w.id = v_workspace AND d.workspace_id = v_workspace AND d.id = ANY (v_ids[1:v_taken]);
    UPDATE webhook_queue SET turn = nextval('webhook_queue_turn_seq') WHERE workspace_id = v_workspace AND gate = v_gate.name;
    given := given + v_taken;
  END LOOP;
  more := v_looked > 0;
  SELECT extract(epoch FROM min(next_at) - p_now) * 1000 INTO next_ms FROM webhook_gate WHERE waiting;
END $$;
