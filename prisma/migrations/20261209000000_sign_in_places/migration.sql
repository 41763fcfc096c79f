-- In the directory: members by their id, and what tenants are called in the addresses of their sign-in (decision 0090).
CREATE INDEX member_place_member_id_idx ON member_place (member_id);

CREATE TABLE slug_place (
  slug text NOT NULL,
  tenant_id uuid NOT NULL,
  pending_since timestamptz(3),
  CONSTRAINT slug_place_pkey PRIMARY KEY (slug),
  CONSTRAINT slug_place_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant_place(tenant_id) ON DELETE CASCADE ON UPDATE RESTRICT
);
CREATE INDEX slug_place_tenant_id_idx ON slug_place (tenant_id);
CREATE INDEX slug_place_pending ON slug_place (pending_since) WHERE pending_since IS NOT NULL;

-- Of the first cell, whose database has the directory.
INSERT INTO slug_place (slug, tenant_id) SELECT slug, tenant_id FROM sign_in_setting JOIN tenant_place USING (tenant_id) WHERE slug IS NOT NULL;
