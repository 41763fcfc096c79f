-- background
-- Whether a transaction carries a payment is asked of each that waits.
CREATE INDEX CONCURRENTLY chain_transaction_payer_workspace_id_payment_id_idx ON chain_transaction (payer_workspace_id, payment_id);
