-- What an account's balance was at a point in time, what happened then included. Times are in whole milliseconds.
CREATE OR REPLACE FUNCTION ledger_balance_at(workspace uuid, account uuid, at timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce((SELECT e.balance_after FROM ledger_entry e
    WHERE e.workspace_id = workspace AND e.account_id = account
      AND e.version = ledger_entries_before(workspace, account, at + interval '1 microsecond')), 0);
END $$;
