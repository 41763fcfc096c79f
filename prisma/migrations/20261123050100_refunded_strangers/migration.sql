-- Who was only refunded is still new: pairs that a refund alone has made known are forgotten.
DELETE FROM counterparty c
WHERE EXISTS (
    SELECT FROM transfer t WHERE t.workspace_id = c.workspace_id AND t.from_account_id = c.payer_id AND t.to_account_id = c.payee_id
      AND t.refund_id IS NOT NULL
  ) AND NOT EXISTS (
    SELECT FROM transfer t WHERE t.workspace_id = c.workspace_id AND t.from_account_id = c.payer_id AND t.to_account_id = c.payee_id
      AND t.refund_id IS NULL AND t.status = 'completed'
  );
