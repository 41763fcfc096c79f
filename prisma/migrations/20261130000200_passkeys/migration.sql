CREATE TABLE "passkey" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "credential_id" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "counter" BIGINT NOT NULL,
    "transports" TEXT[],
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3)
);

CREATE TABLE "passkey_challenge" (
    "hash" BYTEA NOT NULL,
    "purpose" TEXT NOT NULL,
    "member_id" UUID,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "passkey_challenge_pkey" PRIMARY KEY ("hash")
);

CREATE UNIQUE INDEX "passkey_credential_id_key" ON "passkey"("credential_id");
CREATE INDEX passkey_member ON passkey (tenant_id, member_id);
CREATE INDEX "passkey_challenge_expires_at_idx" ON "passkey_challenge"("expires_at");
ALTER TABLE "passkey" ADD CONSTRAINT "passkey_pkey" PRIMARY KEY ("tenant_id", "id");
ALTER TABLE "passkey" ADD CONSTRAINT "passkey_tenant_id_member_id_fkey" FOREIGN KEY ("tenant_id", "member_id") REFERENCES "member"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
