-- A posting that pays a checkout changes its row too (decision 0065).
ALTER TYPE ledger_set ADD ATTRIBUTE checkout_changes json;
