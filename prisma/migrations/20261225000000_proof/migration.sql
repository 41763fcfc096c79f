-- expand
-- What a chain held for us at first, up to which block it has decided, and how far a rail was last from its ledger.
-- CreateTable
CREATE TABLE "chain_treasury" (
    "chain_id" BIGINT NOT NULL,
    "address" TEXT NOT NULL,
    "from_block" BIGINT NOT NULL,
    "opening" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chain_treasury_pkey" PRIMARY KEY ("chain_id","address")
);

-- AlterTable
ALTER TABLE "chain_watch" ADD COLUMN     "decided_to" BIGINT;

-- AlterTable
ALTER TABLE "rail_state" ADD COLUMN     "difference" BIGINT,
ADD COLUMN     "proof_tried_at" TIMESTAMPTZ(3),
ADD COLUMN     "proved_at" TIMESTAMPTZ(3);
