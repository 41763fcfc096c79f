-- The entries of a transaction are inserted by one statement and sum to zero in each currency.
CREATE OR REPLACE FUNCTION check_zero_sum() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_transaction uuid;
BEGIN
  SELECT e.transaction_id INTO v_transaction
  FROM inserted e GROUP BY e.transaction_id, e.currency HAVING sum(e.amount) <> 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the entries of ledger transaction % do not sum to zero', v_transaction USING ERRCODE = 'AP011';
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER zero_sum AFTER INSERT ON ledger_entry REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION check_zero_sum();
