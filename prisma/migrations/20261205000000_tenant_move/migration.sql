-- Moves of tenants between cells (docs/scale.md).

CREATE TYPE move_step AS ENUM ('copying', 'following', 'switching', 'switched');

-- In the directory: a move that has begun and is not over.
CREATE TABLE tenant_move (
  tenant_id uuid NOT NULL,
  source text NOT NULL,
  target text NOT NULL,
  step move_step NOT NULL,
  created_at timestamptz(3) NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  CONSTRAINT tenant_move_pkey PRIMARY KEY (tenant_id)
);

-- In a cell: what has come to the target when it shows the mark was written in the source before it.
CREATE TABLE move_mark (
  tenant_id uuid NOT NULL,
  mark uuid NOT NULL,
  CONSTRAINT move_mark_pkey PRIMARY KEY (tenant_id)
);

-- In a cell: workspaces that are absent although rows of them stand here. `moved_at` says when they have left; without it they arrive.
CREATE TABLE moved_workspace (
  workspace_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  moved_at timestamptz(3),
  CONSTRAINT moved_workspace_pkey PRIMARY KEY (workspace_id)
);
