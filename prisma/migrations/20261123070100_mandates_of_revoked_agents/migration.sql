-- A mandate ends with its agent: the one that revokes the agent makes its mandates due, and the due step of each revokes it.
ALTER TABLE "mandate" ADD COLUMN "due_at" TIMESTAMPTZ(3);
ALTER TABLE "mandate" ADD COLUMN "lease_until" TIMESTAMPTZ(3);

CREATE INDEX mandate_due ON mandate (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX mandate_due_workspace ON mandate (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX mandate_leased ON mandate (workspace_id) WHERE lease_until IS NOT NULL;

-- Those of agents that were revoked before.
UPDATE mandate m SET due_at = a.updated_at
FROM agent a
WHERE a.workspace_id = m.workspace_id AND a.id = m.agent_id AND a.status = 'revoked' AND m.revoked_at IS NULL;
