-- How a verified payment was signed.
ALTER TABLE "card_verification" ADD COLUMN "profile" TEXT;

-- Nonces of signed requests that a workspace has asked about.
CREATE TABLE "signature_nonce" (
    "workspace_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "kept_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "signature_nonce_pkey" PRIMARY KEY ("workspace_id","hash")
);

CREATE INDEX "signature_nonce_kept_until_idx" ON "signature_nonce"("kept_until");

-- Signatures name a key by the thumbprint of its JWK (RFC 7638).
CREATE INDEX "agent_key_thumbprint" ON "agent_key"
  (sha256(('{"crv":"Ed25519","kty":"OKP","x":"' || rtrim(translate(encode("public_key", 'base64'), '+/', '-_'), '=') || '"}')::bytea))
  WHERE "status" = 'active';
