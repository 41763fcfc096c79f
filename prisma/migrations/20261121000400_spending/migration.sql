-- CreateEnum
CREATE TYPE "policy_target" AS ENUM ('tenant', 'account', 'agent', 'wallet');

-- CreateEnum
CREATE TYPE "budget_scope" AS ENUM ('tenant', 'account', 'agent', 'mandate', 'trace');

-- CreateEnum
CREATE TYPE "budget_period" AS ENUM ('once', 'day', 'week', 'month');

-- CreateEnum
CREATE TYPE "decision_outcome" AS ENUM ('allow', 'deny', 'require_approval');

-- CreateEnum
CREATE TYPE "approval_status" AS ENUM ('pending', 'approved', 'rejected', 'expired', 'cancelled');

-- CreateEnum
CREATE TYPE "breaker_action" AS ENUM ('freeze', 'approve', 'notify');

-- AlterTable
ALTER TABLE "ledger_transaction" ADD COLUMN     "limits_before" BIGINT[];

-- AlterTable
ALTER TABLE "transfer" ADD COLUMN     "approval_id" UUID,
ADD COLUMN     "decision_id" UUID,
ADD COLUMN     "protocol_metadata" JSONB;

-- AlterTable
ALTER TABLE "workspace" ADD COLUMN     "frozen_at" TIMESTAMPTZ(3),
ADD COLUMN     "frozen_reason" TEXT;

-- CreateTable
CREATE TABLE "rate" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "from_currency" TEXT NOT NULL,
    "to_currency" TEXT NOT NULL,
    "rate" TEXT NOT NULL,
    "as_of" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rate_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "policy" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "name" TEXT NOT NULL,
    "target_type" "policy_target" NOT NULL,
    "target_id" UUID,
    "rules" JSONB NOT NULL,
    "approval" JSONB,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "policy_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "policy_version" (
    "workspace_id" UUID NOT NULL,
    "policy_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "rules" JSONB NOT NULL,
    "approval" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "policy_version_pkey" PRIMARY KEY ("workspace_id","policy_id","version")
);

-- CreateTable
CREATE TABLE "budget" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "name" TEXT NOT NULL,
    "scope_type" "budget_scope" NOT NULL,
    "scope_id" TEXT,
    "parent_id" UUID,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "period" "budget_period" NOT NULL,
    "timezone" TEXT NOT NULL DEFAULT 'UTC',
    "expires_at" TIMESTAMPTZ(3),
    "alerts_at" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "budget_version" (
    "workspace_id" UUID NOT NULL,
    "budget_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "amount" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "alerts_at" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "budget_version_pkey" PRIMARY KEY ("workspace_id","budget_id","version")
);

-- CreateTable
CREATE TABLE "decision" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "outcome" "decision_outcome" NOT NULL,
    "code" TEXT,
    "message" TEXT,
    "agent_id" UUID,
    "subject_type" TEXT,
    "subject_id" UUID,
    "approval_id" UUID,
    "transaction_id" UUID,
    "input" JSONB NOT NULL,
    "checks" JSONB NOT NULL,
    "trace_id" TEXT,
    "evaluated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "decision_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "approval" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "status" "approval_status" NOT NULL DEFAULT 'pending',
    "subject_type" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "transfer_id" UUID,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "agent_id" UUID,
    "wallet_id" UUID,
    "merchant_id" UUID,
    "description" TEXT,
    "context" JSONB NOT NULL DEFAULT '{}',
    "lifted" TEXT[],
    "execution" JSONB NOT NULL DEFAULT '{}',
    "requested_by_type" "initiator_type" NOT NULL,
    "requested_by_id" UUID NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_at" TIMESTAMPTZ(3),
    "decided_by_type" "initiator_type",
    "decided_by_id" UUID,
    "comment" TEXT,
    "result_error" JSONB,
    "trace_id" TEXT,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "limit_crossing" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "counter" TEXT NOT NULL,
    "window" TEXT NOT NULL,
    "mark" BIGINT NOT NULL,
    "used" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),

    CONSTRAINT "limit_crossing_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "breaker" (
    "workspace_id" UUID NOT NULL,
    "detectors" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "breaker_pkey" PRIMARY KEY ("workspace_id")
);

-- CreateTable
CREATE TABLE "breaker_trip" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "action" "breaker_action" NOT NULL,
    "evidence" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "breaker_trip_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "breaker_look" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),

    CONSTRAINT "breaker_look_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "spend_minute" (
    "workspace_id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "minute" TIMESTAMPTZ(3) NOT NULL,
    "spends" INTEGER NOT NULL,

    CONSTRAINT "spend_minute_pkey" PRIMARY KEY ("workspace_id","agent_id","minute")
);

-- CreateTable
CREATE TABLE "counterparty" (
    "workspace_id" UUID NOT NULL,
    "payer_id" UUID NOT NULL,
    "payee_id" UUID NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "counterparty_pkey" PRIMARY KEY ("workspace_id","payer_id","payee_id")
);

-- CreateTable
CREATE TABLE "operation" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "category" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "protocol" "protocol" NOT NULL,
    "success" BOOLEAN NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount_usd" BIGINT,
    "external_cost_usd" BIGINT NOT NULL DEFAULT 0,
    "actor_type" "initiator_type" NOT NULL,
    "actor_id" UUID NOT NULL,
    "agent_id" UUID,
    "account_id" UUID,
    "counterparty_id" UUID,
    "subject_id" UUID NOT NULL,
    "trace_id" TEXT,

    CONSTRAINT "operation_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateIndex
CREATE INDEX "rate_workspace_id_from_currency_to_currency_id_idx" ON "rate"("workspace_id", "from_currency", "to_currency", "id");

-- CreateIndex
CREATE INDEX "budget_workspace_id_parent_id_idx" ON "budget"("workspace_id", "parent_id");

-- CreateIndex
CREATE INDEX "breaker_trip_workspace_id_agent_id_id_idx" ON "breaker_trip"("workspace_id", "agent_id", "id");

-- CreateIndex
CREATE INDEX "breaker_look_workspace_id_agent_id_idx" ON "breaker_look"("workspace_id", "agent_id");

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "budget" ADD CONSTRAINT "budget_pkey" PRIMARY KEY ("workspace_id", "id");

-- AddForeignKey
ALTER TABLE "budget" ADD CONSTRAINT "budget_workspace_id_parent_id_fkey" FOREIGN KEY ("workspace_id", "parent_id") REFERENCES "budget"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "budget_version" ADD CONSTRAINT "budget_version_workspace_id_budget_id_fkey" FOREIGN KEY ("workspace_id", "budget_id") REFERENCES "budget"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- Every process reads the rules of a workspace again when one of them changes (src/contexts/spending/rules-tag.ts).
CREATE TRIGGER notify_rules AFTER INSERT OR UPDATE OR DELETE ON policy FOR EACH ROW EXECUTE FUNCTION notify_cache('rules', 'workspace_id');
CREATE TRIGGER notify_rules AFTER INSERT OR UPDATE OR DELETE ON budget FOR EACH ROW EXECUTE FUNCTION notify_cache('rules', 'workspace_id');
CREATE TRIGGER notify_rules AFTER INSERT OR UPDATE OR DELETE ON breaker_trip FOR EACH ROW EXECUTE FUNCTION notify_cache('rules', 'workspace_id');
-- The rates too (src/contexts/rates/rate.ts); what is known of the rules is built on them.
CREATE TRIGGER notify_rates AFTER INSERT ON rate FOR EACH ROW EXECUTE FUNCTION notify_cache('rates', 'workspace_id');

-- What was said and what was done is never changed.
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON rate FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON policy_version FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON budget_version FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER immutable BEFORE UPDATE ON decision FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER immutable BEFORE UPDATE ON operation FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- An approval is decided once.
CREATE FUNCTION guard_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> 'pending' AND NEW.status <> OLD.status THEN
    RAISE EXCEPTION 'approval % is %', OLD.id, OLD.status USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard BEFORE UPDATE ON approval FOR EACH ROW EXECUTE FUNCTION guard_approval();

-- A freeze waits for the postings that share its lock (guard_workspace()), and holds up those that come.
CREATE FUNCTION freeze_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(x'66727a65'::int, spending_lock(NEW.id));
  RETURN NEW;
END $$;
CREATE TRIGGER freeze_workspace BEFORE UPDATE OF frozen_at ON workspace FOR EACH ROW
  WHEN (NEW.frozen_at IS NOT NULL) EXECUTE FUNCTION freeze_workspace();

-- The breaker looks at an agent that was refused, whoever stores the refusal. Rows are added and never changed, so nobody waits.
-- Refusals by a freeze are not counted (src/contexts/spending/detector.ts).
CREATE FUNCTION look_at_refused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO breaker_look (workspace_id, id, agent_id, since, due_at)
  SELECT b.workspace_id, uuid_at(NEW.evaluated_at), NEW.agent_id, NEW.evaluated_at, NEW.evaluated_at + interval '1 second'
  FROM breaker b WHERE b.workspace_id = NEW.workspace_id AND b.detectors @> '[{"kind": "failures"}]';
  RETURN NULL;
END $$;
CREATE TRIGGER look_at_refused AFTER INSERT ON decision FOR EACH ROW
  WHEN (NEW.outcome = 'deny' AND NEW.agent_id IS NOT NULL) EXECUTE FUNCTION look_at_refused();

-- The smallest UUIDv7 of a point in time: ids of what happened then, or later, are not below it. firstIdAt() in page.ts is the same.
CREATE FUNCTION first_id_at(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

ALTER TABLE budget ADD CONSTRAINT budget_amount_positive CHECK (amount > 0);

-- The policies that bind: those that were deleted stay for decisions to name.
CREATE INDEX policy_kept ON policy (workspace_id, id) WHERE deleted_at IS NULL;
CREATE INDEX decision_agent ON decision (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
-- The rare ones among the decisions of a workspace; the list inlines these words.
CREATE INDEX decision_outcome ON decision (workspace_id, outcome, id) WHERE outcome <> 'allow';
CREATE INDEX decision_agent_outcome ON decision (workspace_id, agent_id, outcome, id) WHERE outcome <> 'allow';
CREATE INDEX approval_agent ON approval (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX approval_status ON approval (workspace_id, status, id);
CREATE INDEX approval_transfer ON approval (workspace_id, transfer_id) WHERE status = 'pending';
CREATE INDEX operation_agent ON operation (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX operation_trace ON operation (workspace_id, trace_id, id) WHERE trace_id IS NOT NULL;
-- What the breaker counts of an agent, rare among the rest.
CREATE INDEX decision_denied ON decision (workspace_id, agent_id, id) WHERE outcome = 'deny' AND agent_id IS NOT NULL;
CREATE INDEX event_transfer_failed ON event (workspace_id, agent_id, id) WHERE type = 'transfer.failed' AND agent_id IS NOT NULL;
CREATE INDEX spend_minute_old ON spend_minute (minute);
CREATE INDEX breaker_trip_watched ON breaker_trip (workspace_id, ends_at) WHERE action = 'approve';
CREATE INDEX merchant_settlement ON merchant (workspace_id, settlement_wallet_id, id) WHERE settlement_wallet_id IS NOT NULL;

-- What is due, by table (docs/architecture.md "Time").
CREATE INDEX approval_due ON approval (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX approval_due_workspace ON approval (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX approval_leased ON approval (workspace_id) WHERE lease_until IS NOT NULL;
CREATE INDEX limit_crossing_due ON limit_crossing (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX limit_crossing_due_workspace ON limit_crossing (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX limit_crossing_leased ON limit_crossing (workspace_id) WHERE lease_until IS NOT NULL;
CREATE INDEX breaker_look_due ON breaker_look (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX breaker_look_due_workspace ON breaker_look (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX breaker_look_leased ON breaker_look (workspace_id) WHERE lease_until IS NOT NULL;

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "approval" ADD CONSTRAINT "approval_pkey" PRIMARY KEY ("workspace_id", "id");
