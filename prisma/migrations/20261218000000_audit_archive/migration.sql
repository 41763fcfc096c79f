-- expand
-- What of a log was written to a file and may leave the database: the leaves before `leaf_index`.
CREATE TABLE "audit_archive" (
    "workspace_id" UUID NOT NULL,
    "leaf_index" BIGINT NOT NULL,
    "sha256" BYTEA NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "swept_to" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_archive_pkey" PRIMARY KEY ("workspace_id","leaf_index")
);
