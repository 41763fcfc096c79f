-- An x402 payment pays one checkout; a refund of it finds that one.
CREATE UNIQUE INDEX checkout_x402_payment ON checkout (workspace_id, transfer_id) WHERE paid_by = 'x402';

-- What an authorization has moved. Those that were carried out before were carried out for their payment.
ALTER TABLE chain_authorization ADD COLUMN payee text, ADD COLUMN value bigint;
ALTER TABLE chain_authorization DISABLE TRIGGER immutable;
UPDATE chain_authorization a SET payee = p.pay_to, value = p.amount
FROM x402_payment p
WHERE p.workspace_id = a.workspace_id AND p.network = a.network AND p.payer_wallet = a.payer AND p.nonce = a.nonce AND p.tx_hash = a.tx_hash;
UPDATE chain_authorization SET payee = '', value = 0 WHERE payee IS NULL;
ALTER TABLE chain_authorization ENABLE TRIGGER immutable;
ALTER TABLE chain_authorization ALTER COLUMN payee SET NOT NULL, ALTER COLUMN value SET NOT NULL;
