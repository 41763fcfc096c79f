-- What an agent may spend changes with the kill switch and with the status of accounts and wallets. Those who show it are told.
CREATE TRIGGER notify_spending AFTER UPDATE OF frozen_at ON workspace FOR EACH ROW EXECUTE FUNCTION notify_cache('spending', 'id');
CREATE TRIGGER notify_spending AFTER UPDATE OF status ON account FOR EACH ROW EXECUTE FUNCTION notify_cache('spending', 'workspace_id');
