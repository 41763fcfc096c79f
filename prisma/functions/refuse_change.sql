-- What was posted is never changed, and what people have written goes when they are erased.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND current_setting('platform.erasing', true) <> '' THEN
    IF erases(to_jsonb(OLD), to_jsonb(NEW)) THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION '% rows are immutable', TG_TABLE_NAME USING ERRCODE = 'AP010';
END $$;

CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE ON audit_entry FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- A line leaves when a file has it (refuse_unarchived.sql).
CREATE OR REPLACE TRIGGER never_truncated BEFORE TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON audit_head FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER never_truncated BEFORE TRUNCATE ON audit_head FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- The chain of before is closed, and the tree only grows.
CREATE OR REPLACE TRIGGER only_on BEFORE UPDATE ON audit_head FOR EACH ROW
  WHEN (NEW.tree_size < OLD.tree_size OR (NEW.tree_size = OLD.tree_size AND NEW.root IS DISTINCT FROM OLD.root)
    OR NEW.position <> OLD.position OR NEW.hash <> OLD.hash OR NEW.workspace_id <> OLD.workspace_id)
  EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON audit_block FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER never_truncated BEFORE TRUNCATE ON audit_block FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON audit_node FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON budget_version FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON card_charge FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON card_instruction FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON card_refund FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON chain_authorization FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON chain_deposit FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON checkout FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE ON decision FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON discrepancy FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE ON event FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON funding_transaction FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON ledger_entry FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER never_truncated BEFORE TRUNCATE ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON ledger_transaction FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER never_truncated BEFORE TRUNCATE ON ledger_transaction FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON mandate FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- Its JWT is sealed again under other keys.
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OF workspace_id, mandate_id, version, scope, expires_at, created_at OR DELETE ON mandate_version
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON mpp_deposit FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON mpp_session FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- A voucher is a promise that somebody may hold.
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON mpp_voucher FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE ON operation FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON payout FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON policy_version FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON portal_token FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- What was offered is never changed.
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE ON quote FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- What was still being sent is known ten seconds later.
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OF workspace_id, id, rail, "from", "to", by, created_at OR DELETE ON rail_switch
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON rail_statement FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- What was said and what was done is never changed.
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON rate FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON reconciliation_finding FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON settlement_reserve FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- What a stream was is never changed.
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON stream_checkpoint FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON task FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON task_message FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON transfer FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- What was captured is never changed.
CREATE OR REPLACE TRIGGER immutable BEFORE UPDATE OR DELETE ON treasury_snapshot FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON vaulted_card FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON x402_endpoint FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER immutable BEFORE DELETE ON x402_payment FOR EACH ROW EXECUTE FUNCTION refuse_change();
