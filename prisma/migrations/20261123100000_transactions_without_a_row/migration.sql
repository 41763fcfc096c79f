-- A set says which of its transactions leave a row: the posting that records a transfer leaves none, unless it uses limits (decision 0059).
ALTER TYPE ledger_set ADD ATTRIBUTE transaction_row boolean[];
