-- HTTP requests of agents and portal tokens, for their account.
CREATE TABLE "account_request_count" (
    "workspace_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "start" TIMESTAMPTZ(3) NOT NULL,
    "method" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "requests" BIGINT NOT NULL
);
CREATE INDEX "account_request_count_workspace_id_start_idx" ON "account_request_count"("workspace_id", "start");
-- The key is made after the index that begins as it does (docs/decisions/0017).
ALTER TABLE "account_request_count" ADD CONSTRAINT "account_request_count_pkey"
  PRIMARY KEY ("workspace_id", "account_id", "start", "method", "route", "status");
