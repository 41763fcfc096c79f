-- The operations of an account, as customers read them with their portal tokens: of the account that pays, else of the one that is paid.
CREATE INDEX operation_owner ON operation (workspace_id, (coalesce(account_id, counterparty_id)), id);
-- The key is made after the indexes that begin as it does (docs/decisions/0017).
ALTER TABLE operation DROP CONSTRAINT operation_pkey;
ALTER TABLE operation ADD CONSTRAINT operation_pkey PRIMARY KEY (workspace_id, id);

-- What one kind of actor has done, such as the rare anonymous.
CREATE INDEX "audit_entry_workspace_id_actor_type_id_idx" ON "audit_entry"("workspace_id", "actor_type", "id");
ALTER TABLE audit_entry DROP CONSTRAINT audit_entry_pkey;
ALTER TABLE audit_entry ADD CONSTRAINT audit_entry_pkey PRIMARY KEY (workspace_id, id);

-- The head of a chain of the audit log only moves on.
CREATE TRIGGER only_on BEFORE UPDATE ON audit_head FOR EACH ROW
  WHEN (NEW.position <= OLD.position OR NEW.workspace_id <> OLD.workspace_id) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER never_truncated BEFORE TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER never_truncated BEFORE TRUNCATE ON audit_head FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Where the head of the audit log stood in its chain when a snapshot noted it.
ALTER TABLE "treasury_snapshot" ADD COLUMN "tree_position" BIGINT;
CREATE INDEX treasury_snapshot_noted ON treasury_snapshot (workspace_id, tree_position) WHERE tree_position IS NOT NULL;
-- The key is made after it.
ALTER TABLE treasury_snapshot DROP CONSTRAINT treasury_snapshot_pkey;
ALTER TABLE treasury_snapshot ADD CONSTRAINT treasury_snapshot_pkey PRIMARY KEY (workspace_id, id);
