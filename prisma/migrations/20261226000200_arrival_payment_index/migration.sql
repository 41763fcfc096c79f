-- background
-- What a payment has brought is looked for by the payment.
CREATE INDEX CONCURRENTLY chain_arrival_payment ON chain_arrival (workspace_id, payment_id) WHERE payment_id IS NOT NULL;
