-- Portal tokens, and the audit log.

-- AlterEnum
ALTER TYPE "directory_kind" ADD VALUE 'portal_token';

-- CreateTable
CREATE TABLE "portal_token" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "customer_reference" TEXT NOT NULL,
    "scopes" TEXT[],
    "prefix" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "portal_token_pkey" PRIMARY KEY ("workspace_id","id")
);

-- AddForeignKey
ALTER TABLE "portal_token" ADD CONSTRAINT "portal_token_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

CREATE TRIGGER notify_cache AFTER UPDATE ON portal_token FOR EACH ROW EXECUTE FUNCTION notify_cache('portal', 'id');
CREATE TRIGGER immutable BEFORE DELETE ON portal_token FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- Which accounts a customer reference has, the tokens of the workspace forget when one is opened.
CREATE TRIGGER notify_customers AFTER INSERT OR UPDATE OF customer_reference ON account
  FOR EACH ROW WHEN (NEW.customer_reference IS NOT NULL) EXECUTE FUNCTION notify_cache('customers', 'workspace_id');

-- CreateTable
CREATE TABLE "audit_line" (
    "workspace_id" UUID NOT NULL,
    "number" BIGSERIAL NOT NULL,
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor_type" TEXT NOT NULL,
    "actor_id" UUID,
    "action" TEXT NOT NULL,
    "resource_type" TEXT,
    "resource_id" TEXT,
    "request_id" TEXT,
    "ip" TEXT,
    "changes" JSONB
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor_type" TEXT NOT NULL,
    "actor_id" UUID,
    "action" TEXT NOT NULL,
    "resource_type" TEXT,
    "resource_id" TEXT,
    "request_id" TEXT,
    "ip" TEXT,
    "changes" JSONB,
    "previous_hash" BYTEA NOT NULL,
    "hash" BYTEA NOT NULL
);

-- CreateTable
CREATE TABLE "audit_head" (
    "workspace_id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_head_pkey" PRIMARY KEY ("workspace_id")
);

-- CreateIndex
CREATE INDEX "audit_line_number_idx" ON "audit_line"("number");

-- CreateIndex
CREATE INDEX "audit_entry_workspace_id_actor_id_id_idx" ON "audit_entry"("workspace_id", "actor_id", "id");

-- CreateIndex
CREATE INDEX "audit_entry_workspace_id_action_id_idx" ON "audit_entry"("workspace_id", "action", "id");

-- CreateIndex
CREATE INDEX "audit_entry_workspace_id_resource_id_id_idx" ON "audit_entry"("workspace_id", "resource_id", "id");

-- CreateIndex
CREATE INDEX "audit_entry_workspace_id_resource_type_id_idx" ON "audit_entry"("workspace_id", "resource_type", "id");

-- CreateIndex
CREATE UNIQUE INDEX "audit_entry_workspace_id_position_key" ON "audit_entry"("workspace_id", "position");

-- The keys after the other indexes (docs/decisions/0017).
ALTER TABLE "audit_line" ADD CONSTRAINT "audit_line_pkey" PRIMARY KEY ("workspace_id","number");
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("workspace_id","id");

-- What was done is never changed. The head may only move on.
CREATE TRIGGER immutable BEFORE UPDATE ON audit_line FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON audit_entry FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER immutable BEFORE DELETE ON audit_head FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- The hash of an entry: SHA-256 over a JSON list of the hash before it and of everything that the entry says.
CREATE FUNCTION audit_hash(previous bytea, e audit_entry) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(convert_to(jsonb_build_array(
    encode(previous, 'hex'), e.workspace_id, e."position", e.id, (extract(epoch FROM e.at) * 1000)::bigint, e.actor_type, e.actor_id, e.action,
    e.resource_type, e.resource_id, e.request_id, e.ip, e.changes)::text, 'UTF8'))
$$;

-- Puts lines at the end of the chains of their workspaces: removes them, and writes the entries. One process at a time does so; the
-- others get `busy`, or wait for it (`p_wait`). `p_workspace` takes the lines of one workspace alone. Only lines after `p_after` are read
-- (see publish_events()).
CREATE FUNCTION chain_audit(
  p_most int, p_after bigint, p_workspace uuid, p_wait boolean, OUT busy boolean, OUT chained int, OUT last bigint
) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_line audit_line;
  v_entry audit_entry;
  v_workspace uuid;
  v_position bigint;
  v_hash bytea;
BEGIN
  chained := 0;
  busy := false;
  IF p_wait THEN
    PERFORM pg_advisory_xact_lock(x'61756474'::int, 0);
  ELSE
    busy := NOT pg_try_advisory_xact_lock(x'61756474'::int, 0);
    IF busy THEN RETURN; END IF;
  END IF;
  FOR v_line IN
    WITH oldest AS (
      SELECT l.workspace_id, l.number FROM audit_line l
      WHERE p_workspace IS NULL AND l.number > p_after ORDER BY l.number LIMIT p_most
    ), own AS (
      SELECT l.workspace_id, l.number FROM audit_line l
      WHERE l.workspace_id = p_workspace AND l.number > p_after ORDER BY l.number LIMIT p_most
    ), taken AS (
      DELETE FROM audit_line l USING (SELECT * FROM oldest UNION ALL SELECT * FROM own) o
      WHERE l.workspace_id = o.workspace_id AND l.number = o.number RETURNING l.*
    )
    SELECT * FROM taken t ORDER BY t.workspace_id, t.number
  LOOP
    IF v_workspace IS DISTINCT FROM v_line.workspace_id THEN
      IF v_workspace IS NOT NULL THEN
        UPDATE audit_head h SET position = v_position, hash = v_hash WHERE h.workspace_id = v_workspace;
      END IF;
      v_workspace := v_line.workspace_id;
      INSERT INTO audit_head (workspace_id, position, hash) VALUES (v_workspace, 0, sha256(convert_to(v_workspace::text, 'UTF8'))) ON CONFLICT DO NOTHING;
      SELECT h.position, h.hash INTO v_position, v_hash FROM audit_head h WHERE h.workspace_id = v_workspace;
    END IF;
    v_position := v_position + 1;
    v_entry := (v_line.workspace_id, v_line.id, v_position, v_line.at, v_line.actor_type, v_line.actor_id, v_line.action, v_line.resource_type,
                v_line.resource_id, v_line.request_id, v_line.ip, v_line.changes, v_hash, NULL);
    v_hash := audit_hash(v_hash, v_entry);
    v_entry.hash := v_hash;
    INSERT INTO audit_entry SELECT v_entry.*;
    chained := chained + 1;
    last := greatest(last, v_line.number);
  END LOOP;
  IF v_workspace IS NOT NULL THEN
    UPDATE audit_head h SET position = v_position, hash = v_hash WHERE h.workspace_id = v_workspace;
  END IF;
END $$;

-- Recomputes a stretch of a chain: the entries after `p_after`, whose hash is to be `p_hash`, at most `p_most`. `invalid` is the first
-- entry that is not what was written, or comes after one that is missing.
CREATE FUNCTION verify_audit(
  p_workspace uuid, p_after bigint, p_hash bytea, p_most int, OUT checked int, OUT last bigint, OUT hash bytea, OUT invalid uuid
) LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_entry audit_entry;
BEGIN
  checked := 0;
  last := p_after;
  hash := p_hash;
  FOR v_entry IN SELECT * FROM audit_entry e WHERE e.workspace_id = p_workspace AND e."position" > p_after ORDER BY e."position" LIMIT p_most
  LOOP
    IF v_entry."position" <> last + 1 OR v_entry.previous_hash <> hash OR v_entry.hash <> audit_hash(hash, v_entry) THEN
      invalid := v_entry.id;
      RETURN;
    END IF;
    checked := checked + 1;
    last := v_entry."position";
    hash := v_entry.hash;
  END LOOP;
END $$;
