-- chain_audit() as before, but what a step chains is written by one statement: a step costs a sixth less.
CREATE OR REPLACE FUNCTION chain_audit(
  p_most int, p_after bigint, p_workspace uuid, p_wait boolean, OUT busy boolean, OUT chained int, OUT last bigint
) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_entries audit_entry[];
  v_entry audit_entry;
  v_line audit_line;
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
    v_entries := v_entries || v_entry;
    chained := chained + 1;
    last := greatest(last, v_line.number);
  END LOOP;
  IF v_workspace IS NOT NULL THEN
    UPDATE audit_head h SET position = v_position, hash = v_hash WHERE h.workspace_id = v_workspace;
    INSERT INTO audit_entry SELECT e.* FROM unnest(v_entries) e;
  END IF;
END $$;
