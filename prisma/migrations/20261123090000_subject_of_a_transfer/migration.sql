-- A transfer has one subject, whose money it is, and one origin, which made it, in place of a column for each noun.
ALTER TABLE transfer
  ADD COLUMN subject_type text,
  ADD COLUMN subject_id uuid,
  ADD COLUMN origin_type text,
  ADD COLUMN origin_id uuid;

UPDATE transfer SET
  subject_type = CASE
    WHEN card_charge_id IS NOT NULL THEN 'card_charge'
    WHEN payout_id IS NOT NULL THEN 'payout'
    WHEN funding_id IS NOT NULL THEN 'funding_transaction'
    WHEN refund_id IS NOT NULL THEN 'refund'
    WHEN stream_id IS NOT NULL THEN 'stream'
    WHEN task_id IS NOT NULL THEN 'task'
    WHEN checkout_id IS NOT NULL THEN protocol || '_checkout'
    WHEN protocol = 'x402' THEN 'x402_payment'
    WHEN protocol = 'mpp' AND capture = 'manual' THEN 'mpp_session'
    WHEN protocol = 'mpp' THEN 'mpp_payment'
  END,
  subject_id = coalesce(card_charge_id, payout_id, funding_id, refund_id, stream_id, task_id, checkout_id, CASE
    WHEN protocol = 'mpp' AND capture = 'manual' THEN right(protocol_metadata ->> 'session_id', 36)::uuid
    WHEN protocol IN ('x402', 'mpp') THEN id
  END),
  origin_type = CASE WHEN batch_id IS NOT NULL THEN 'batch' WHEN execution_id IS NOT NULL THEN 'settlement_execution' END,
  origin_id = coalesce(batch_id, execution_id)
WHERE protocol IN ('x402', 'mpp')
  OR coalesce(card_charge_id, payout_id, funding_id, refund_id, stream_id, task_id, checkout_id, batch_id, execution_id) IS NOT NULL;

ALTER TABLE transfer
  DROP COLUMN batch_id,
  DROP COLUMN stream_id,
  DROP COLUMN refund_id,
  DROP COLUMN payout_id,
  DROP COLUMN funding_id,
  DROP COLUMN execution_id,
  DROP COLUMN card_charge_id,
  DROP COLUMN checkout_id,
  DROP COLUMN task_id;

-- The lists of a batch and of a stream.
CREATE INDEX transfer_batch ON transfer (workspace_id, origin_id, id) WHERE origin_type = 'batch';
CREATE INDEX transfer_stream ON transfer (workspace_id, subject_id, id) WHERE subject_type = 'stream';
