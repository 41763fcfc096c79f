-- Why an account does not take its entries of a set, or null. An account must cover the sum of its debits: credits of the set are not
-- counted, so that any order of the postings is good. No balance grows beyond 9 * 10^17 minor units (or falls below that); money that was
-- held always returns, for which bigint leaves room.
-- Gap G-11: A balance is at most 9 * 10^17 minor units; a posting beyond it is 400, except a release of held money.
CREATE OR REPLACE FUNCTION account_refusal(
  status ledger_account_status, unbounded boolean, balance bigint, debit bigint, delta bigint, grows boolean
) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN status = 'closed' THEN 'wallet_closed'
    WHEN status = 'blocked' AND debit > 0 THEN 'wallet_frozen'
    WHEN NOT unbounded AND balance < debit THEN 'insufficient_balance'
    WHEN grows AND delta > 900000000000000000 - balance OR debit > 0 AND delta < -900000000000000000 - balance THEN 'balance_too_large'
  END
$$;
