-- What processes keep of a merchant (keptMerchant() in src/contexts/accounts/merchant.ts) they drop when it changes.
CREATE TRIGGER notify_cache AFTER UPDATE ON merchant FOR EACH ROW EXECUTE FUNCTION notify_cache('merchant', 'id');

-- Which wallet an agent pays from, when it names none, they forget when one of its wallets is opened, frozen or closed.
CREATE TRIGGER notify_cache AFTER INSERT OR UPDATE OF status ON wallet
  FOR EACH ROW WHEN (NEW.agent_id IS NOT NULL) EXECUTE FUNCTION notify_cache('agent_wallet', 'agent_id');
