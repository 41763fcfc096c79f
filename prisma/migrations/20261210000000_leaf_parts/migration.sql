-- A line of the audit log that stands with a posting says which, so that the parts of its leaf can be made again (decision 0091). A line that names
-- what has the id of its posting, as that of a plain payment does, needs no name of it.
ALTER TABLE audit_entry ADD COLUMN transaction_id uuid, ADD COLUMN transfer_status transfer_status, ADD COLUMN decision_id uuid;
CREATE INDEX audit_entry_transaction ON audit_entry (workspace_id, transaction_id) WHERE transaction_id IS NOT NULL;

-- Decisions that stand with a posting are kept, as evidence of it. Those that moved nothing are found by this index when they are 90 days old.
CREATE INDEX decision_unposted ON decision (workspace_id, id) WHERE transaction_id IS NULL;
