-- Tokens of agents say who made them, when they were used last, and whether they were revoked.
ALTER TABLE "agent_token" ADD COLUMN "created_by" TEXT;
ALTER TABLE "agent_token" ADD COLUMN "last_used_at" TIMESTAMPTZ(3);
ALTER TABLE "agent_token" ADD COLUMN "revoked_at" TIMESTAMPTZ(3);

-- Tokens that rest since the key of their agent was revoked end now: a new key does not revive them.
WITH ended AS (
  UPDATE agent_token t SET expires_at = now(), revoked_at = now()
  FROM agent a
  WHERE a.workspace_id = t.workspace_id AND a.id = t.agent_id AND a.key_revoked_at IS NOT NULL
    AND (t.expires_at IS NULL OR t.expires_at > now())
  RETURNING t.hash
)
UPDATE credential c SET expires_at = now() FROM ended WHERE c.hash = ended.hash;
