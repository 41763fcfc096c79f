-- Whether a transfer is a spend is decided once, when it is made (CONTRACT.md 0 "What a spend is").
ALTER TABLE transfer ADD COLUMN is_spend boolean NOT NULL DEFAULT false;

UPDATE transfer t SET is_spend = true
FROM wallet payer
WHERE payer.workspace_id = t.workspace_id AND payer.id = t.from_wallet_id
  AND t.type NOT IN ('wrap', 'unwrap', 'stream_withdraw', 'stream_cancel')
  AND t.subject_type IS DISTINCT FROM 'refund'
  AND CASE
    WHEN t.to_wallet_id IS NULL THEN t.subject_type IS NOT NULL AND t.origin_type IS DISTINCT FROM 'settlement_execution'
    ELSE EXISTS (
      SELECT FROM wallet payee WHERE payee.workspace_id = t.workspace_id AND payee.id = t.to_wallet_id
        AND (payer.account_id <> payee.account_id OR payer.agent_id IS NOT NULL AND payer.agent_id IS DISTINCT FROM payee.agent_id))
  END;
