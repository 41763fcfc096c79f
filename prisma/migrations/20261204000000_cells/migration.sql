-- The directory of cells. What there is already stands in the first cell, main.
CREATE TABLE installation (
    id UUID NOT NULL,
    cell TEXT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT installation_pkey PRIMARY KEY (id)
);
-- A database is one cell of one installation.
CREATE UNIQUE INDEX installation_one ON installation ((true));

CREATE TYPE cell_state AS ENUM ('open', 'drained');

CREATE TABLE cell (
    name TEXT NOT NULL,
    sealed_url BYTEA,
    state cell_state NOT NULL DEFAULT 'open',
    created_at TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT cell_pkey PRIMARY KEY (name)
);

CREATE TABLE tenant_place (
    tenant_id UUID NOT NULL,
    cell_name TEXT NOT NULL,
    pending_since TIMESTAMPTZ(3),

    CONSTRAINT tenant_place_pkey PRIMARY KEY (tenant_id),
    CONSTRAINT tenant_place_cell_name_fkey FOREIGN KEY (cell_name) REFERENCES cell (name) ON DELETE RESTRICT ON UPDATE RESTRICT
);
CREATE INDEX tenant_place_cell_name_idx ON tenant_place (cell_name);
CREATE INDEX tenant_place_pending ON tenant_place (pending_since) WHERE pending_since IS NOT NULL;

CREATE TABLE workspace_place (
    id UUID NOT NULL,
    tenant_id UUID NOT NULL,

    CONSTRAINT workspace_place_pkey PRIMARY KEY (id),
    CONSTRAINT workspace_place_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant_place (tenant_id) ON DELETE CASCADE ON UPDATE RESTRICT
);
CREATE INDEX workspace_place_tenant_id_idx ON workspace_place (tenant_id);

ALTER TABLE credential ADD COLUMN pending_since TIMESTAMPTZ(3);
CREATE INDEX credential_pending ON credential (pending_since) WHERE pending_since IS NOT NULL;
