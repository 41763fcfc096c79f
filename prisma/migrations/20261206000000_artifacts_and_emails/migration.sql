-- What the authorization server keeps stands in the directory, and its connection in the cell of a tenant (decision 0086).
ALTER TABLE oauth_artifact DROP CONSTRAINT oauth_artifact_workspace_id_connection_id_fkey;

-- In the directory: which tenants of other cells than the first have a member with an e-mail, by a keyed hash of that.
CREATE TABLE member_place (
  hash bytea NOT NULL,
  member_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  pending_since timestamptz(3),
  CONSTRAINT member_place_pkey PRIMARY KEY (hash, member_id),
  CONSTRAINT member_place_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant_place(tenant_id) ON DELETE CASCADE ON UPDATE RESTRICT
);
CREATE INDEX member_place_tenant_id_idx ON member_place (tenant_id);
CREATE INDEX member_place_pending ON member_place (pending_since) WHERE pending_since IS NOT NULL;
