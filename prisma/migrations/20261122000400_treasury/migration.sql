-- Snapshots of the treasury (src/contexts/treasury).

-- CreateTable
CREATE TABLE "treasury_snapshot" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "description" TEXT,
    "positions" JSONB NOT NULL,
    "tree_head" TEXT,
    "captured_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "treasury_snapshot_pkey" PRIMARY KEY ("workspace_id","id")
);

-- What was captured is never changed.
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON treasury_snapshot FOR EACH ROW EXECUTE FUNCTION refuse_change();
