-- The hash of an entry: SHA-256 over a JSON list of the hash before it and of everything that the entry says.
CREATE OR REPLACE FUNCTION audit_hash(previous bytea, e audit_entry) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(convert_to(jsonb_build_array(
    encode(previous, 'hex'), e.workspace_id, e."position", e.id, (extract(epoch FROM e.at) * 1000)::bigint, e.actor_type, e.actor_id, e.action,
    e.resource_type, e.resource_id, e.request_id, e.ip, e.changes)::text, 'UTF8'))
$$;
