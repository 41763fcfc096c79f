-- expand
-- Rails of production: whether each is on, what is leaving, what a day has used, and the orders that they have accepted.
-- CreateEnum
CREATE TYPE "rail_status" AS ENUM ('on', 'draining', 'off');

-- CreateEnum
CREATE TYPE "connector_state" AS ENUM ('accepted', 'settled', 'rejected', 'returned');

-- CreateTable
CREATE TABLE "rail_state" (
    "name" TEXT NOT NULL,
    "status" "rail_status" NOT NULL DEFAULT 'off',
    "switches" BIGINT NOT NULL DEFAULT 0,
    "departures" BIGINT NOT NULL DEFAULT 0,
    "reason" TEXT,
    "switched_at" TIMESTAMPTZ(3),
    "restored_at" TIMESTAMPTZ(3),
    "passed_digest" TEXT,
    "passed_at" TIMESTAMPTZ(3),
    "problems" JSONB NOT NULL DEFAULT '[]',
    "health_since" TIMESTAMPTZ(3),
    "health_at" TIMESTAMPTZ(3),
    "balances" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "rail_state_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "rail_departure" (
    "id" UUID NOT NULL,
    "rail" TEXT NOT NULL,
    "what" TEXT NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rail_departure_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "rail_day" (
    "rail" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "amount" BIGINT NOT NULL,
    "orders" INTEGER NOT NULL,

    CONSTRAINT "rail_day_pkey" PRIMARY KEY ("rail","day")
);

-- CreateTable
CREATE TABLE "rail_switch" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "rail" TEXT NOT NULL,
    "from" "rail_status" NOT NULL,
    "to" "rail_status" NOT NULL,
    "reason" TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "in_flight" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rail_switch_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateTable
CREATE TABLE "connector_order" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "rail" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "direction" "rail_direction" NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "sealed_destination" BYTEA NOT NULL,
    "state" "connector_state" NOT NULL DEFAULT 'accepted',
    "code" TEXT,
    "reason" TEXT,
    "day" DATE,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expected_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateIndex
CREATE INDEX "rail_departure_rail_idx" ON "rail_departure"("rail");

-- CreateIndex
CREATE INDEX "connector_order_workspace_id_rail_reference_idx" ON "connector_order"("workspace_id", "rail", "reference");
CREATE INDEX connector_order_due ON connector_order (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX connector_order_due_workspace ON connector_order (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX connector_order_leased ON connector_order (workspace_id) WHERE lease_until IS NOT NULL;

CREATE INDEX connector_order_open ON connector_order (rail, created_at) WHERE state = 'accepted';
-- After the other indexes (decision 0017); the table is new and empty.
-- squawk-ignore adding-serial-primary-key-field
ALTER TABLE connector_order ADD CONSTRAINT connector_order_pkey PRIMARY KEY (workspace_id, id);
