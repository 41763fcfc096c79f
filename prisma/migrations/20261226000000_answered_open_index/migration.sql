-- background
-- Payments that were answered and are not paid: in a block that is not deep, or signed again where that block was taken back.
CREATE INDEX CONCURRENTLY chain_payment_answered_open ON chain_payment (chain_id) WHERE answered_at IS NOT NULL AND state IN ('signed', 'used');
