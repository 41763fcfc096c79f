-- True where the leaf of an erasure names an entry of the chain whose content was erased, by its id and its hash (CONTRACT.md 29).
CREATE OR REPLACE FUNCTION names_erased(e audit_entry) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM audit_entry n
    WHERE n.workspace_id = e.workspace_id AND n.id = (e.kept->>'by')::uuid AND n.action IN ('account.erase', 'member.erase') AND n.hash IS NULL
      AND n.outcome->'lines' @> jsonb_build_array(jsonb_build_object('line_id', 'aud_' || e.id, 'hash', encode(e.hash, 'hex')))
  )
$$;
