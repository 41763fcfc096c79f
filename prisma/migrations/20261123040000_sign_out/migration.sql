-- Sessions that were signed out before their hour was over (src/contexts/identity/auth-session.ts). A JWT stands in no table while it lives.

-- CreateTable
CREATE TABLE "ended_jwt" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ended_jwt_pkey" PRIMARY KEY ("workspace_id","id")
);
