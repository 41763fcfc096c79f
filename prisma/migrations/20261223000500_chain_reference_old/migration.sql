-- background
-- Its place was taken by x402_payment_rail_hash.
DROP INDEX CONCURRENTLY IF EXISTS x402_payment_reference;
