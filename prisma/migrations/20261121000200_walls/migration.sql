-- Facts of credentials that hold across processes: one active key per agent, whose spending still stands, and the
-- notifications that empty the processes' caches the moment a credential changes.

CREATE UNIQUE INDEX agent_key_one_active ON agent_key (workspace_id, agent_id) WHERE status = 'active';
ALTER TABLE agent_key ADD CONSTRAINT agent_key_is_ed25519 CHECK (length(public_key) = 32);
ALTER TABLE kya_limit ADD CONSTRAINT kya_limit_tier CHECK (tier BETWEEN 0 AND 3);

-- Why the spender of a posting may not spend, or null. Asked inside the posting, so that a revocation holds at once.
-- Expiry is the clock's matter and is asked with the credential.
-- plpgsql keeps its plans; an SQL function that is not inlined is planned again at each call.
CREATE FUNCTION spender_refusal(workspace uuid, agent uuid, session uuid, api_key uuid)
RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_status agent_status;
  v_key_revoked boolean;
BEGIN
  IF api_key IS NOT NULL THEN
    PERFORM 1 FROM api_key k WHERE k.workspace_id = workspace AND k.id = spender_refusal.api_key
      AND k.revoked_at IS NULL;
    IF NOT FOUND THEN RETURN 'invalid_api_key'; END IF;
  END IF;
  IF session IS NOT NULL THEN
    PERFORM 1 FROM agent_session s WHERE s.workspace_id = workspace AND s.id = session
      AND s.revoked_at IS NULL;
    IF NOT FOUND THEN RETURN 'session_revoked'; END IF;
  END IF;
  IF agent IS NOT NULL THEN
    SELECT a.status, a.key_revoked_at IS NOT NULL INTO v_status, v_key_revoked
    FROM agent a WHERE a.workspace_id = workspace AND a.id = agent;
    IF NOT FOUND THEN RETURN 'agent_suspended'; END IF;
    IF v_status = 'frozen' THEN RETURN 'agent_frozen'; END IF;
    IF v_status IN ('suspended', 'revoked') THEN RETURN 'agent_suspended'; END IF;
    IF v_key_revoked AND api_key IS NULL THEN RETURN 'key_revoked'; END IF;
  END IF;
  RETURN NULL;
END $$;

-- Channel `cache` carries tags: what a process keeps under a tag is dropped when the tag is told. The argument is the tag's
-- noun; the id is the row's, or its workspace's where the noun is kept by workspace.
CREATE FUNCTION notify_cache() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_row jsonb := to_jsonb(coalesce(NEW, OLD));
BEGIN
  PERFORM pg_notify('cache', TG_ARGV[0] || ':' || (v_row ->> TG_ARGV[1]));
  RETURN NULL;
END $$;
CREATE TRIGGER notify_cache AFTER UPDATE OF clock_offset_ms ON workspace
  FOR EACH ROW EXECUTE FUNCTION notify_cache('workspace', 'id');
CREATE TRIGGER notify_cache AFTER UPDATE OF revoked_at, expires_at, scopes, name ON api_key
  FOR EACH ROW EXECUTE FUNCTION notify_cache('api_key', 'id');
CREATE TRIGGER notify_cache AFTER UPDATE OF status, key_revoked_at, kya_tier, name ON agent
  FOR EACH ROW EXECUTE FUNCTION notify_cache('agent', 'id');
CREATE TRIGGER notify_cache AFTER UPDATE OF revoked_at, expires_at ON agent_session
  FOR EACH ROW EXECUTE FUNCTION notify_cache('session', 'id');
CREATE TRIGGER notify_cache AFTER UPDATE OF expires_at OR DELETE ON agent_token
  FOR EACH ROW EXECUTE FUNCTION notify_cache('agent_token', 'id');
CREATE TRIGGER notify_cache AFTER INSERT OR UPDATE OR DELETE ON kya_limit
  FOR EACH ROW EXECUTE FUNCTION notify_cache('kya', 'workspace_id');
