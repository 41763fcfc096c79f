-- Whether a merchant without an offer sells at prices that buyers name.
ALTER TABLE "merchant" ADD COLUMN "accepts_buyer_prices" BOOLEAN NOT NULL DEFAULT true;
