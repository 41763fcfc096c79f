-- CreateEnum
CREATE TYPE "cart_status" AS ENUM ('active', 'cancelled', 'expired');

-- CreateTable
CREATE TABLE "cart" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "merchant_id" UUID NOT NULL,
    "status" "cart_status" NOT NULL DEFAULT 'active',
    "lines" JSONB NOT NULL,
    "currency" TEXT NOT NULL,
    "buyer" JSONB,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "checkout_id" UUID,
    "creator_agent_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),

    CONSTRAINT "cart_pkey" PRIMARY KEY ("workspace_id","id")
);

-- CreateIndex
CREATE INDEX "cart_workspace_id_merchant_id_id_idx" ON "cart"("workspace_id", "merchant_id", "id");

-- AddForeignKey
ALTER TABLE "cart" ADD CONSTRAINT "cart_workspace_id_merchant_id_fkey" FOREIGN KEY ("workspace_id", "merchant_id") REFERENCES "merchant"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- What is due, and the cart of a checkout.
CREATE INDEX cart_due ON cart (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX cart_due_workspace ON cart (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX cart_leased ON cart (workspace_id) WHERE lease_until IS NOT NULL;
CREATE INDEX cart_checkout ON cart (workspace_id, checkout_id) WHERE checkout_id IS NOT NULL;
