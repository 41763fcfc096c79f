-- CreateTable
CREATE TABLE "approval_notice" (
    "workspace_id" UUID NOT NULL,
    "mail" BOOLEAN NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "approval_notice_pkey" PRIMARY KEY ("workspace_id")
);
