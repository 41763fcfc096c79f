-- Whom a hold is for: a closed wallet could never be paid. The lock lets every other posting pass and stops a closing, which locks the
-- account FOR UPDATE, so that a hold and a closing always see each other.
CREATE OR REPLACE FUNCTION guard_payee(workspace uuid, wallet uuid) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM ledger_account a
  WHERE a.workspace_id = workspace AND a.owner_id = wallet AND a.kind = 'wallet.available' AND a.status <> 'closed' FOR KEY SHARE;
  RETURN CASE WHEN NOT FOUND THEN 'wallet_closed' END;
END $$;
