-- background
-- An address is swept once at a time.
CREATE UNIQUE INDEX CONCURRENTLY chain_payment_open_sweep ON chain_payment (chain_id, authorizer) WHERE kind = 'sweep' AND state IN ('open', 'signed', 'used');
