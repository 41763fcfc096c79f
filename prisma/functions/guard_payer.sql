-- Whose held money is paid out: a wallet that may not spend now does not.
CREATE OR REPLACE FUNCTION guard_payer(workspace uuid, wallet uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM FROM ledger_account a
  WHERE a.workspace_id = workspace AND a.owner_id = wallet AND a.kind = 'wallet.available' AND a.status = 'open';
  RETURN CASE WHEN NOT FOUND THEN 'wallet_frozen' END;
END $$;
