-- background
-- Payments that keep a wallet from being closed: those whose money has not reached it yet.
CREATE INDEX CONCURRENTLY x402_payment_uncredited ON x402_payment (workspace_id, wallet_id) WHERE status <> 'failed' AND transfer_id IS NULL;
