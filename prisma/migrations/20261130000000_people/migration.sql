CREATE TYPE "member_role" AS ENUM ('owner', 'admin', 'finance', 'developer', 'viewer');

CREATE TYPE "member_status" AS ENUM ('active', 'suspended', 'removed');

CREATE TYPE "sign_in_method" AS ENUM ('password', 'passkey', 'oidc');

CREATE TABLE "member" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_key" TEXT NOT NULL,
    "role" "member_role" NOT NULL,
    "authority_max" BIGINT,
    "authority_currency" TEXT,
    "status" "member_status" NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3),
    "link_shown_to_id" UUID,
    "link_used_at" TIMESTAMPTZ(3)
);

CREATE TABLE "password" (
    "tenant_id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "phc" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "password_pkey" PRIMARY KEY ("tenant_id","member_id")
);

CREATE TABLE "invitation" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "email" TEXT,
    "email_key" TEXT,
    "role" "member_role" NOT NULL,
    "authority_max" BIGINT,
    "authority_currency" TEXT,
    "hash" BYTEA NOT NULL,
    "invited_by_type" TEXT NOT NULL,
    "invited_by_id" UUID,
    "is_link_shown" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "member_id" UUID
);

CREATE TABLE "recovery" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "shown_to_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3)
);

CREATE TABLE "login" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "environment" "environment" NOT NULL,
    "hash" BYTEA NOT NULL,
    "method" "sign_in_method" NOT NULL,
    "proven_ids" UUID[],
    "signed_in_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "idle_seconds" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "ip" TEXT NOT NULL,
    "user_agent" TEXT
);

CREATE TABLE "sign_in_failure" (
    "email_hash" BYTEA NOT NULL,
    "count" INTEGER NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_failure_pkey" PRIMARY KEY ("email_hash")
);

CREATE UNIQUE INDEX "invitation_hash_key" ON "invitation"("hash");

CREATE UNIQUE INDEX "recovery_hash_key" ON "recovery"("hash");

CREATE UNIQUE INDEX "login_hash_key" ON "login"("hash");

-- Who has an e-mail, in a tenant and before the tenant is known.
CREATE UNIQUE INDEX member_email ON member (tenant_id, email_key) WHERE status <> 'removed';
CREATE INDEX member_email_anywhere ON member (email_key) WHERE status <> 'removed';
CREATE UNIQUE INDEX invitation_pending ON invitation (tenant_id, email_key) WHERE accepted_at IS NULL AND revoked_at IS NULL;
CREATE INDEX recovery_pending ON recovery (tenant_id, member_id) WHERE used_at IS NULL;
CREATE INDEX login_live ON login (tenant_id, member_id) WHERE ended_at IS NULL;
CREATE INDEX "login_expires_at_idx" ON "login"("expires_at");
CREATE INDEX "recovery_expires_at_idx" ON "recovery"("expires_at");
CREATE INDEX "sign_in_failure_since_idx" ON "sign_in_failure"("since");

-- Keys are made after the indexes that begin as they do: a look-up that is planned while a table is empty goes by its key.
ALTER TABLE "member" ADD CONSTRAINT "member_pkey" PRIMARY KEY ("tenant_id", "id");
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_pkey" PRIMARY KEY ("tenant_id", "id");
ALTER TABLE "recovery" ADD CONSTRAINT "recovery_pkey" PRIMARY KEY ("tenant_id", "id");
ALTER TABLE "login" ADD CONSTRAINT "login_pkey" PRIMARY KEY ("tenant_id", "id");

-- References stay in the tenant.
ALTER TABLE "member" ADD CONSTRAINT "member_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "password" ADD CONSTRAINT "password_tenant_id_member_id_fkey" FOREIGN KEY ("tenant_id", "member_id") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "recovery" ADD CONSTRAINT "recovery_tenant_id_member_id_fkey" FOREIGN KEY ("tenant_id", "member_id") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "login" ADD CONSTRAINT "login_tenant_id_member_id_fkey" FOREIGN KEY ("tenant_id", "member_id") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE member ADD CHECK (authority_max IS NULL OR (authority_max >= 0 AND authority_currency IS NOT NULL));
ALTER TABLE invitation ADD CHECK (authority_max IS NULL OR (authority_max >= 0 AND authority_currency IS NOT NULL));
