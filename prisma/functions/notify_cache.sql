-- Channel `cache` carries tags: what a process keeps under a tag is dropped when the tag is announced. The argument is the tag's
-- noun; the id is the row's, or its workspace's where the noun is kept by workspace.
CREATE OR REPLACE FUNCTION notify_cache() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_row jsonb := to_jsonb(coalesce(NEW, OLD));
BEGIN
  PERFORM pg_notify('cache', TG_ARGV[0] || ':' || (v_row ->> TG_ARGV[1]));
  RETURN NULL;
END $$;

-- Which accounts a customer reference has, the tokens of the workspace forget when one is opened.
CREATE OR REPLACE TRIGGER notify_customers AFTER INSERT OR UPDATE OF customer_reference ON account
  FOR EACH ROW WHEN (NEW.customer_reference IS NOT NULL) EXECUTE FUNCTION notify_cache('customers', 'workspace_id');
CREATE OR REPLACE TRIGGER notify_spending AFTER UPDATE OF status ON account FOR EACH ROW EXECUTE FUNCTION notify_cache('spending', 'workspace_id');
CREATE OR REPLACE TRIGGER notify_cache AFTER UPDATE OF status, key_revoked_at, kya_tier, name ON agent
  FOR EACH ROW EXECUTE FUNCTION notify_cache('agent', 'id');
CREATE OR REPLACE TRIGGER notify_cache AFTER UPDATE OF revoked_at, expires_at ON agent_session
  FOR EACH ROW EXECUTE FUNCTION notify_cache('session', 'id');
CREATE OR REPLACE TRIGGER notify_cache AFTER UPDATE OF expires_at OR DELETE ON agent_token
  FOR EACH ROW EXECUTE FUNCTION notify_cache('agent_token', 'id');
CREATE OR REPLACE TRIGGER notify_cache AFTER UPDATE OF revoked_at, expires_at, scopes, allowed_ips, name ON api_key
  FOR EACH ROW EXECUTE FUNCTION notify_cache('api_key', 'id');
CREATE OR REPLACE TRIGGER notify_rules AFTER INSERT OR UPDATE OR DELETE ON breaker_trip FOR EACH ROW EXECUTE FUNCTION notify_cache('rules', 'workspace_id');
CREATE OR REPLACE TRIGGER notify_rules AFTER INSERT OR UPDATE OR DELETE ON budget FOR EACH ROW EXECUTE FUNCTION notify_cache('rules', 'workspace_id');
-- What tokens of a connection stand for.
CREATE OR REPLACE TRIGGER notify_cache AFTER UPDATE OF status, expires_at ON connection
  FOR EACH ROW EXECUTE FUNCTION notify_cache('connection', 'id');
-- Which cells there are, and where a tenant is. Only the database of the directory has rows of other cells.
CREATE OR REPLACE TRIGGER notify_cache AFTER INSERT OR UPDATE OR DELETE ON cell FOR EACH ROW EXECUTE FUNCTION notify_cache('cell', 'name');
CREATE OR REPLACE TRIGGER notify_cache AFTER UPDATE OF cell_name OR DELETE ON tenant_place
  FOR EACH ROW EXECUTE FUNCTION notify_cache('place', 'tenant_id');
-- Changes of a tenant wait while it is switched to another cell.
CREATE OR REPLACE TRIGGER notify_cache AFTER INSERT OR UPDATE OF step OR DELETE ON tenant_move
  FOR EACH ROW EXECUTE FUNCTION notify_cache('moving', 'tenant_id');
-- Of which merchant a host is.
CREATE OR REPLACE TRIGGER notify_shop_host AFTER INSERT ON credential
  FOR EACH ROW WHEN (NEW.kind::text = 'shop_host') EXECUTE FUNCTION notify_cache('shop_host', 'id');
CREATE OR REPLACE TRIGGER notify_shop_host_left AFTER DELETE ON credential
  FOR EACH ROW WHEN (OLD.kind::text = 'shop_host') EXECUTE FUNCTION notify_cache('shop_host', 'id');
-- Every process forgets what it has kept of the session.
CREATE OR REPLACE TRIGGER notify_cache AFTER INSERT ON ended_jwt FOR EACH ROW EXECUTE FUNCTION notify_cache('jwt', 'id');
CREATE OR REPLACE TRIGGER notify_cache AFTER INSERT OR UPDATE OR DELETE ON kya_limit
  FOR EACH ROW EXECUTE FUNCTION notify_cache('rules', 'workspace_id');
-- Every process forgets what it has kept of a browser session, and of the person behind it.
CREATE OR REPLACE TRIGGER notify_cache AFTER UPDATE OF ended_at, expires_at, idle_seconds, signed_in_at OR DELETE ON login
  FOR EACH ROW EXECUTE FUNCTION notify_cache('login', 'id');
CREATE OR REPLACE TRIGGER notify_cache AFTER UPDATE OF name, role, status, authority_max, authority_currency ON member
  FOR EACH ROW EXECUTE FUNCTION notify_cache('member', 'id');
-- What sessions know of how people sign in to their tenant.
CREATE OR REPLACE TRIGGER notify_cache AFTER INSERT OR UPDATE OR DELETE ON sign_in_setting
  FOR EACH ROW EXECUTE FUNCTION notify_cache('sign_in', 'tenant_id');
CREATE OR REPLACE TRIGGER notify_cache AFTER UPDATE ON mandate FOR EACH ROW EXECUTE FUNCTION notify_cache('mandate', 'id');
-- What processes keep of a merchant (keptMerchant() in src/contexts/accounts/merchant.ts) they drop when it changes.
CREATE OR REPLACE TRIGGER notify_cache AFTER UPDATE ON merchant FOR EACH ROW EXECUTE FUNCTION notify_cache('merchant', 'id');
-- Every process reads the rules of a workspace again when one of them changes (src/contexts/spending/pipeline/rules-tag.ts).
CREATE OR REPLACE TRIGGER notify_rules AFTER INSERT OR UPDATE OR DELETE ON policy FOR EACH ROW EXECUTE FUNCTION notify_cache('rules', 'workspace_id');
CREATE OR REPLACE TRIGGER notify_cache AFTER UPDATE ON portal_token FOR EACH ROW EXECUTE FUNCTION notify_cache('portal', 'id');
-- The rates too (src/contexts/rates/rate.ts); what is known of the rules is built on them.
CREATE OR REPLACE TRIGGER notify_rates AFTER INSERT ON rate FOR EACH ROW EXECUTE FUNCTION notify_cache('rates', 'workspace_id');
CREATE OR REPLACE TRIGGER notify_config AFTER INSERT OR UPDATE OR DELETE ON settlement_config
  FOR EACH ROW EXECUTE FUNCTION notify_cache('settlement_config', 'workspace_id');
-- Which wallet an agent pays from, when it names none, they forget when one of its wallets is opened, frozen or closed.
CREATE OR REPLACE TRIGGER notify_cache AFTER INSERT OR UPDATE OF status ON wallet
  FOR EACH ROW WHEN (NEW.agent_id IS NOT NULL) EXECUTE FUNCTION notify_cache('agent_wallet', 'agent_id');
CREATE OR REPLACE TRIGGER notify_cache AFTER UPDATE OF clock_offset_ms, actor_rate, workspace_rate ON workspace
  FOR EACH ROW EXECUTE FUNCTION notify_cache('workspace', 'id');
-- What an agent may spend changes with the kill switch and with the status of accounts and wallets. Those who show it are told.
CREATE OR REPLACE TRIGGER notify_spending AFTER UPDATE OF frozen_at ON workspace FOR EACH ROW EXECUTE FUNCTION notify_cache('spending', 'id');
-- How a rail of production stands; how many things have left by it is asked for each.
CREATE OR REPLACE TRIGGER notify_cache AFTER INSERT OR UPDATE OF status, reason, restored_at, passed_at, problems, balances, health_at OR DELETE ON rail_state
  FOR EACH ROW EXECUTE FUNCTION notify_cache('rail', 'name');
-- Who runs the platform follows from which tenants there are.
CREATE OR REPLACE TRIGGER notify_operator AFTER INSERT ON workspace
  FOR EACH ROW WHEN (NEW.environment = 'live') EXECUTE FUNCTION notify_cache('operator', 'environment');
CREATE OR REPLACE TRIGGER notify_cache AFTER UPDATE ON x402_endpoint FOR EACH ROW EXECUTE FUNCTION notify_cache('x402_endpoint', 'id');
