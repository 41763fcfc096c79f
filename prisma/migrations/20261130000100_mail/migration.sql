CREATE TABLE "mail" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "sealed" BYTEA,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

CREATE INDEX mail_due ON mail (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX mail_due_workspace ON mail (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX mail_leased ON mail (workspace_id) WHERE lease_until IS NOT NULL;
ALTER TABLE "mail" ADD CONSTRAINT "mail_pkey" PRIMARY KEY ("workspace_id", "id");
