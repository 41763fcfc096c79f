-- A line of the audit log is written where it stays, and a tree over blocks of lines takes the place of the chain.

-- What waits for the chain is its end.
DO $$
DECLARE
  v_chained int;
BEGIN
  LOOP
    SELECT chained INTO v_chained FROM chain_audit(100000, 0, NULL, true);
    EXIT WHEN v_chained = 0;
  END LOOP;
END $$;

DROP FUNCTION chain_audit(int, bigint, uuid, boolean);
-- publish_outbox() has taken its place.
DROP FUNCTION publish_events(timestamptz, boolean, int, bigint, int, int, uuid);

ALTER SEQUENCE audit_line_number_seq OWNED BY NONE;
ALTER SEQUENCE audit_line_number_seq RENAME TO audit_entry_position_seq;
DROP TABLE audit_line;
ALTER TABLE audit_entry ALTER COLUMN position SET DEFAULT nextval('audit_entry_position_seq'),
  ALTER COLUMN previous_hash DROP NOT NULL, ALTER COLUMN hash DROP NOT NULL,
  ADD COLUMN via TEXT, ADD COLUMN outcome JSONB, ADD COLUMN seed BYTEA, ADD COLUMN digest BYTEA;
ALTER SEQUENCE audit_entry_position_seq OWNED BY audit_entry.position;
DROP INDEX "audit_entry_workspace_id_action_id_idx";
DROP INDEX "audit_entry_workspace_id_actor_type_id_idx";
DROP INDEX "audit_entry_workspace_id_resource_type_id_idx";
DROP INDEX "audit_entry_workspace_id_position_key";
-- The chain of before, which is read in its order.
CREATE UNIQUE INDEX audit_entry_chain ON audit_entry (workspace_id, position) WHERE hash IS NOT NULL;

DROP TRIGGER only_on ON audit_head;
ALTER TABLE audit_head ADD COLUMN tree_size BIGINT NOT NULL DEFAULT 0, ADD COLUMN root BYTEA, ADD COLUMN peaks BYTEA;

CREATE TABLE audit_block (
    "workspace_id" UUID NOT NULL,
    "first_leaf" BIGINT NOT NULL,
    "line_ids" UUID[],
    "last_position" BIGINT NOT NULL,
    "leaves" BYTEA NOT NULL,
    "peaks" BYTEA NOT NULL,
    "root" BYTEA NOT NULL
);
CREATE INDEX "audit_block_workspace_id_last_position_idx" ON "audit_block"("workspace_id", "last_position");
-- After the other index: of two that cost an empty table the same, the planner takes the last.
ALTER TABLE audit_block ADD CONSTRAINT audit_block_pkey PRIMARY KEY (workspace_id, first_leaf);

ALTER TABLE outbox ADD COLUMN line_ids UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE publication ADD COLUMN line_ids UUID[] NOT NULL DEFAULT ARRAY[]::UUID[];
ALTER TABLE treasury_snapshot ADD COLUMN tree_size BIGINT;
