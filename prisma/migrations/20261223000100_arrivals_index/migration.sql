-- background
-- Payments that were answered while their block was not deep: their sum is bounded.
CREATE INDEX CONCURRENTLY chain_payment_answered ON chain_payment (chain_id) WHERE answered_at IS NOT NULL AND state = 'used';
