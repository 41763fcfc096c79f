-- AP2 mandates (src/contexts/mandates): signed leave for an agent to spend within a scope.

-- AlterTable
ALTER TABLE "transfer" ADD COLUMN     "mandate_id" UUID;

-- CreateTable
CREATE TABLE "mandate" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "version_id" UUID NOT NULL,
    "currency" TEXT NOT NULL,
    "max_per_tx" BIGINT,
    "max_per_day" BIGINT,
    "max_per_month" BIGINT,
    "allowed_categories" TEXT[],
    "allowed_merchants" UUID[],
    "blocked_merchants" UUID[],
    "sealed_jwt" BYTEA NOT NULL,
    "jwt_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "revoked_at" TIMESTAMPTZ(3),
    "revoked_by" TEXT,
    "revoked_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL
);

-- CreateTable
CREATE TABLE "mandate_version" (
    "workspace_id" UUID NOT NULL,
    "mandate_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "scope" JSONB NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mandate_version_pkey" PRIMARY KEY ("workspace_id","mandate_id","version")
);

-- CreateIndex
CREATE INDEX "mandate_workspace_id_agent_id_id_idx" ON "mandate"("workspace_id", "agent_id", "id");

-- CreateIndex
CREATE INDEX "mandate_workspace_id_account_id_id_idx" ON "mandate"("workspace_id", "account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "mandate_workspace_id_version_id_key" ON "mandate"("workspace_id", "version_id");

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "mandate" ADD CONSTRAINT "mandate_pkey" PRIMARY KEY ("workspace_id", "id");

-- AddForeignKey
ALTER TABLE "mandate" ADD CONSTRAINT "mandate_workspace_id_account_id_fkey" FOREIGN KEY ("workspace_id", "account_id") REFERENCES "account"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "mandate" ADD CONSTRAINT "mandate_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE mandate ADD CONSTRAINT mandate_limits CHECK (
  coalesce(max_per_tx, max_per_day, max_per_month) IS NOT NULL
  AND coalesce(max_per_tx, 1) > 0 AND coalesce(max_per_day, 1) > 0 AND coalesce(max_per_month, 1) > 0
);
-- Those that run.
CREATE INDEX mandate_running ON mandate (workspace_id, expires_at) WHERE revoked_at IS NULL;
-- The executions of a mandate.
CREATE INDEX transfer_mandate ON transfer (workspace_id, mandate_id, id) WHERE mandate_id IS NOT NULL;

CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON mandate_version FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Whom a mandate is for, whose money it spends and in which currency never changes, and what was revoked stays so.
CREATE FUNCTION guard_change_of_mandate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.workspace_id, NEW.id, NEW.account_id, NEW.agent_id, NEW.currency, NEW.created_at)
     IS DISTINCT FROM (OLD.workspace_id, OLD.id, OLD.account_id, OLD.agent_id, OLD.currency, OLD.created_at) THEN
    RAISE EXCEPTION 'the parties and the currency of a mandate never change' USING ERRCODE = 'AP010';
  END IF;
  IF OLD.revoked_at IS NOT NULL AND (NEW.revoked_at IS DISTINCT FROM OLD.revoked_at OR NEW.version <> OLD.version) THEN
    RAISE EXCEPTION 'mandate % is revoked', OLD.id USING ERRCODE = 'AP010';
  END IF;
  -- Whoever ends a version waits for the postings that share its lock (guard_mandate()), and holds up those that come.
  IF NEW.revoked_at IS DISTINCT FROM OLD.revoked_at OR NEW.version_id <> OLD.version_id THEN
    PERFORM pg_advisory_xact_lock(x'6d6e6474'::int, spending_lock(OLD.version_id));
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard BEFORE UPDATE ON mandate FOR EACH ROW EXECUTE FUNCTION guard_change_of_mandate();
CREATE TRIGGER immutable BEFORE DELETE ON mandate FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER notify_cache AFTER UPDATE ON mandate FOR EACH ROW EXECUTE FUNCTION notify_cache('mandate', 'id');

-- A mandate is in force in one version at a time. Exact over all processes, as the kill switch is (guard_workspace()): postings share
-- a lock of the version that whoever ends it takes alone (guard_change_of_mandate()). So a revocation is answered when every posting that
-- passed before it has ended, and none passes after it. `at` is the time of the posting, by which a mandate expires.
CREATE FUNCTION guard_mandate(workspace uuid, signed uuid, at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_revoked_at timestamptz;
  v_expires_at timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(x'6d6e6474'::int, spending_lock(signed));
  SELECT m.revoked_at, m.expires_at INTO v_revoked_at, v_expires_at
  FROM mandate m WHERE m.workspace_id = workspace AND m.version_id = signed;
  RETURN CASE WHEN NOT FOUND THEN 'invalid_mandate_jwt' WHEN v_revoked_at IS NOT NULL THEN 'mandate_revoked'
              WHEN v_expires_at <= at THEN 'mandate_expired' END;
END $$;

-- As it was, with one more kind.
CREATE OR REPLACE FUNCTION guard_refusal(workspace uuid, kind text, id uuid, at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  CASE kind
    WHEN 'api_key' THEN RETURN guard_api_key(workspace, id);
    WHEN 'session' THEN RETURN guard_session(workspace, id);
    WHEN 'agent' THEN RETURN guard_agent(workspace, id);
    WHEN 'agent_token' THEN RETURN guard_agent_token(workspace, id, at);
    WHEN 'payee' THEN RETURN guard_payee(workspace, id);
    WHEN 'payer' THEN RETURN guard_payer(workspace, id);
    WHEN 'workspace' THEN RETURN guard_workspace(workspace);
    WHEN 'mandate' THEN RETURN guard_mandate(workspace, id, at);
    ELSE RAISE EXCEPTION 'no rule for guards of kind %', kind;
  END CASE;
END $$;

-- What is left of one limit of a mandate, as text; null without a limit.
CREATE FUNCTION mandate_left(workspace uuid, mandate_id uuid, maximum bigint, span text, currency text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT money_text(greatest(maximum - coalesce((
    SELECT c.used + c.reserved FROM limit_counter c
    WHERE c.workspace_id = workspace AND c.counter = 'mandate:' || mandate_left.mandate_id AND c."window" = span), 0), 0), currency)
$$;

-- What an execution leaves is known when it is posted, and the posting writes the event: the counters of its windows have been updated
-- by then, and are locked until it is committed. A test event names no mandate, and keeps what it says.
CREATE FUNCTION tell_mandate_left() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_data jsonb := NEW.data;
  v_at timestamp := NEW.created_at AT TIME ZONE 'UTC';
  v_mandate mandate;
BEGIN
  SELECT * INTO v_mandate FROM mandate m
  WHERE m.workspace_id = NEW.workspace_id AND m.id = right(v_data ->> 'mandate_id', 36)::uuid;
  IF FOUND THEN
    NEW.data := v_data || jsonb_build_object(
      'remaining_daily',
      mandate_left(NEW.workspace_id, v_mandate.id, v_mandate.max_per_day, to_char(v_at, 'YYYY-MM-DD'), v_mandate.currency),
      'remaining_monthly',
      mandate_left(NEW.workspace_id, v_mandate.id, v_mandate.max_per_month, to_char(v_at, 'YYYY-MM'), v_mandate.currency));
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER tell_mandate_left BEFORE INSERT ON event
  FOR EACH ROW WHEN (NEW.type = 'ap2.mandate.executed') EXECUTE FUNCTION tell_mandate_left();
