-- expand
-- What of the money that reached wallets is on its way to the treasury, or there.
ALTER TABLE "chain_arrival" ADD COLUMN     "swept" BOOLEAN NOT NULL DEFAULT false;
