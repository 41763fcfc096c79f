CREATE TYPE "sign_in_way" AS ENUM ('password', 'passkey', 'oidc', 'api_key');

ALTER TABLE "login" ADD COLUMN "authenticated_at" TIMESTAMPTZ(3);

CREATE TABLE "sign_in_setting" (
    "tenant_id" UUID NOT NULL,
    "slug" TEXT,
    "methods" "sign_in_way"[],
    "idle_seconds" INTEGER NOT NULL,
    "absolute_seconds" INTEGER NOT NULL,
    "issuer" TEXT,
    "client_id" TEXT,
    "client_secret" BYTEA,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_setting_pkey" PRIMARY KEY ("tenant_id")
);

CREATE TABLE "oidc_identity" (
    "tenant_id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "oidc_identity_pkey" PRIMARY KEY ("tenant_id", "member_id")
);

CREATE TABLE "oidc_attempt" (
    "hash" BYTEA NOT NULL,
    "tenant_id" UUID NOT NULL,
    "environment" "environment" NOT NULL,
    "browser_hash" BYTEA NOT NULL,
    "sealed" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "oidc_attempt_pkey" PRIMARY KEY ("hash")
);

CREATE UNIQUE INDEX "sign_in_setting_slug_key" ON "sign_in_setting"("slug");
CREATE UNIQUE INDEX "oidc_identity_tenant_id_issuer_subject_key" ON "oidc_identity"("tenant_id", "issuer", "subject");
CREATE INDEX "oidc_attempt_expires_at_idx" ON "oidc_attempt"("expires_at");

-- References stay in the tenant.
ALTER TABLE "sign_in_setting" ADD CONSTRAINT "sign_in_setting_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "oidc_identity" ADD CONSTRAINT "oidc_identity_tenant_id_member_id_fkey" FOREIGN KEY ("tenant_id", "member_id") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- The provider, and what we are to it, are there together or not at all.
ALTER TABLE sign_in_setting ADD CHECK (num_nulls(issuer, client_id, client_secret) IN (0, 3));
