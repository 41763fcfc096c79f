-- A posting is handed the events that only it can complete: those that say what limits have left, and the one of a low balance.
ALTER TYPE ledger_set ADD ATTRIBUTE left_events json, ADD ATTRIBUTE low_event json;
DROP TRIGGER tell_mandate_left ON event;
DROP FUNCTION tell_mandate_left();
DROP FUNCTION mandate_left(uuid, uuid, bigint, text, text);
