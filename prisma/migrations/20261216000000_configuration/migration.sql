-- expand
-- CreateTable
CREATE TABLE "config_thing" (
    "workspace_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "id" UUID,
    "source" TEXT NOT NULL,
    "given" JSONB NOT NULL,
    "made" JSONB NOT NULL,
    "applied_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "config_thing_pkey" PRIMARY KEY ("workspace_id","kind","name")
);

-- CreateTable
CREATE TABLE "config_apply" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "source" TEXT NOT NULL,
    "revision" TEXT NOT NULL,
    "changes" JSONB NOT NULL,
    "made" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "config_apply_pkey" PRIMARY KEY ("workspace_id","id")
);
