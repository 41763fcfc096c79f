-- background
-- Nonces of which no deep block is noted yet: few beside those that are over.
CREATE INDEX CONCURRENTLY chain_transaction_open ON chain_transaction (chain_id, relayer, nonce) WHERE mined_hash IS NULL;
