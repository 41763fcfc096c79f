-- background
-- One transaction of a chain may carry several payments.
CREATE INDEX CONCURRENTLY x402_payment_rail_hash ON x402_payment (workspace_id, rail, tx_hash) WHERE (rail IS NOT NULL) AND (tx_hash IS NOT NULL);
