-- A line of the audit log is deleted only where a file has it: where its leaf is before the end of an archive.
CREATE OR REPLACE FUNCTION refuse_unarchived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM audit_archive a WHERE a.workspace_id = OLD.workspace_id AND a.leaf_index > (
      SELECT b.first_leaf + array_position(b.line_ids, OLD.id) - 1 FROM audit_block b
      WHERE b.workspace_id = OLD.workspace_id AND b.last_position >= OLD.position AND b.line_ids @> ARRAY[OLD.id]
      ORDER BY b.last_position LIMIT 1
    )
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% rows are immutable', TG_TABLE_NAME USING ERRCODE = 'AP010';
END $$;

CREATE OR REPLACE TRIGGER archived_first BEFORE DELETE ON audit_entry FOR EACH ROW EXECUTE FUNCTION refuse_unarchived();
