-- background
-- Its place was taken by chain_payment_answered_open.
DROP INDEX CONCURRENTLY IF EXISTS chain_payment_answered;
