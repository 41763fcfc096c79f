-- Recomputes a stretch of a chain: the entries after `p_after`, whose hash is to be `p_hash`, at most `p_most`. `invalid` is the first
-- entry that is not what was written, or comes after one that is missing. Of an entry whose content was erased the hash stands, where the
-- leaf of an erasure names it; the tree says whether that leaf is good.
CREATE OR REPLACE FUNCTION verify_audit(
  p_workspace uuid, p_after bigint, p_hash bytea, p_most int, OUT checked int, OUT last bigint, OUT hash bytea, OUT invalid uuid
) LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_entry audit_entry;
BEGIN
  checked := 0;
  last := p_after;
  hash := p_hash;
  FOR v_entry IN SELECT * FROM audit_entry e WHERE e.workspace_id = p_workspace AND e."position" > p_after AND e.hash IS NOT NULL ORDER BY e."position" LIMIT p_most
  LOOP
    IF v_entry."position" <> last + 1 OR v_entry.previous_hash <> hash OR NOT (v_entry.hash = audit_hash(hash, v_entry) OR v_entry.kept IS NOT NULL AND names_erased(v_entry)) THEN
      invalid := v_entry.id;
      RETURN;
    END IF;
    checked := checked + 1;
    last := v_entry."position";
    hash := v_entry.hash;
  END LOOP;
END $$;
