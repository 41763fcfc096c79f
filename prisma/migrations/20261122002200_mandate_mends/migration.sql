-- What processes keep of a merchant (keptMerchant() in src/contexts/accounts/merchant.ts) they drop when it changes.
CREATE TRIGGER notify_cache AFTER UPDATE ON merchant FOR EACH ROW EXECUTE FUNCTION notify_cache('merchant', 'id');
