-- An operation is in two whole indexes: its key, and that of its owner. The commonest kind and an actor are looked for along the key
-- (decision 0060).
DROP INDEX "operation_workspace_id_actor_id_id_idx";
DROP INDEX "operation_workspace_id_protocol_category_success_id_idx";
CREATE INDEX operation_rare_kind ON operation (workspace_id, protocol, category, success, id)
  WHERE NOT (protocol = 'internal' AND category = 'transfer' AND success);
-- The key is made after the indexes that begin as it does (docs/decisions/0017).
ALTER TABLE operation DROP CONSTRAINT operation_pkey;
ALTER TABLE operation ADD CONSTRAINT operation_pkey PRIMARY KEY (workspace_id, id);
