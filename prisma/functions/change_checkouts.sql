-- Writes what a posting changes of checkouts, whose locks are held. A member that is left out stays as it is, and null is written.
CREATE OR REPLACE FUNCTION change_checkouts(changes json) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE checkout c
  SET (status, paid_by, transfer_id, approval_id, payer_agent_id, failure_code, failure_message, attempted_at, paid_at, updated_at,
       due_at, lease_until, details, shipping_address) =
    (SELECT r.status, r.paid_by, r.transfer_id, r.approval_id, r.payer_agent_id, r.failure_code, r.failure_message, r.attempted_at,
            r.paid_at, r.updated_at, r.due_at, r.lease_until, r.details, r.shipping_address
     FROM json_populate_record(c, x.change) r)
  FROM json_array_elements(changes) AS x (change)
  WHERE c.workspace_id = (x.change ->> 'workspace_id')::uuid AND c.id = (x.change ->> 'id')::uuid;
END $$;
