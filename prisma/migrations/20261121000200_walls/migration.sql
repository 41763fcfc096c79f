-- Facts of credentials that hold across processes: one active key per agent, whose spending still stands, and the
-- notifications that empty the processes' caches the moment a credential changes.

CREATE UNIQUE INDEX agent_key_one_active ON agent_key (workspace_id, agent_id) WHERE status = 'active';
ALTER TABLE agent_key ADD CONSTRAINT agent_key_is_ed25519 CHECK (length(public_key) = 32);
CREATE INDEX agent_token_ended ON agent_token (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX credential_ended ON credential (expires_at) WHERE expires_at IS NOT NULL;
ALTER TABLE kya_limit ADD CONSTRAINT kya_limit_tier CHECK (tier BETWEEN 0 AND 3);

-- Uses a challenge up, if it is good still, and reads who could have signed it: the agent in the environment of the listener, and its
-- active key, or else the one that was revoked last. It takes the same statements for an agent that nobody knows, whose challenges are
-- kept in the workspace of nobody. One row, whose members are null where there is no agent or no key.
-- The table is small at night and large when everybody comes back at once: a plan that reads all of it must not be kept.
CREATE FUNCTION consume_challenge(p_agent_hash bytea, p_environment environment, p_agent uuid, p_hash bytea, p_at timestamptz)
RETURNS TABLE (used boolean, workspace_id uuid, status agent_status, key_id uuid, public_key bytea, key_status agent_key_status)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  v_workspace uuid := coalesce(
    (SELECT c.workspace_id FROM credential c JOIN workspace w ON w.id = c.workspace_id
     WHERE c.hash = p_agent_hash AND c.kind = 'agent' AND w.environment = p_environment),
    '00000000-0000-0000-0000-000000000000');
  v_used boolean;
BEGIN
  UPDATE challenge SET used_at = p_at
  WHERE workspace_id = v_workspace AND hash = p_hash AND agent_id = p_agent AND used_at IS NULL AND expires_at > p_at;
  v_used := FOUND;
  RETURN QUERY
    SELECT v_used, a.workspace_id, a.status, k.id, k.public_key, k.status
    FROM (SELECT) one
    LEFT JOIN agent a ON a.workspace_id = v_workspace AND a.id = p_agent
    LEFT JOIN LATERAL (
      SELECT id, public_key, status FROM agent_key
      WHERE workspace_id = v_workspace AND agent_id = p_agent AND status IN ('active', 'revoked')
      ORDER BY status, id DESC LIMIT 1
    ) k ON true;
END $$;

-- Guards: rows whose state must hold at the moment of a posting, so that a revocation counts at once. One function for each kind
-- answers why the row is in the way, or null; `guard_refusal` knows the kinds. `at` is the real time by which what expires is judged.
-- plpgsql keeps its plans; an SQL function that is not inlined is planned again at each call.
CREATE FUNCTION guard_api_key(workspace uuid, key_id uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM FROM api_key k WHERE k.workspace_id = workspace AND k.id = key_id AND k.revoked_at IS NULL;
  RETURN CASE WHEN NOT FOUND THEN 'invalid_api_key' END;
END $$;

CREATE FUNCTION guard_session(workspace uuid, session uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM FROM agent_session s WHERE s.workspace_id = workspace AND s.id = session AND s.revoked_at IS NULL;
  RETURN CASE WHEN NOT FOUND THEN 'session_revoked' END;
END $$;

CREATE FUNCTION guard_agent(workspace uuid, agent_id uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_status agent_status;
BEGIN
  SELECT a.status INTO v_status FROM agent a WHERE a.workspace_id = workspace AND a.id = agent_id;
  RETURN CASE WHEN v_status = 'active' THEN NULL WHEN v_status = 'frozen' THEN 'agent_frozen' ELSE 'agent_suspended' END;
END $$;

-- A token ends when it was rotated, and rests while its agent has no key after a revocation.
CREATE FUNCTION guard_agent_token(workspace uuid, token uuid, at timestamptz) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_key_revoked boolean;
BEGIN
  SELECT a.key_revoked_at IS NOT NULL INTO v_key_revoked
  FROM agent_token t JOIN agent a ON a.workspace_id = t.workspace_id AND a.id = t.agent_id
  WHERE t.workspace_id = workspace AND t.id = token AND (t.expires_at IS NULL OR t.expires_at > at);
  RETURN CASE WHEN NOT FOUND THEN 'invalid_agent_token' WHEN v_key_revoked THEN 'key_revoked' END;
END $$;

-- Whom a hold is for: a closed wallet could never be paid. The lock lets every other posting pass and stops a closing, which locks the
-- account FOR UPDATE, so that a hold and a closing always see each other.
CREATE FUNCTION guard_payee(workspace uuid, wallet uuid) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM ledger_account a
  WHERE a.workspace_id = workspace AND a.owner_id = wallet AND a.kind = 'wallet.available' AND a.status <> 'closed' FOR KEY SHARE;
  RETURN CASE WHEN NOT FOUND THEN 'wallet_closed' END;
END $$;

-- The kill switch, exact over all processes: postings share a lock that the freeze takes alone (freeze_workspace()). So a freeze is
-- answered when every posting that passed before it has ended, and those that come after read it: the lock is a statement of its own,
-- and the next one sees what was committed until then. It is no lock of the row, which every posting would write.
CREATE FUNCTION guard_workspace(workspace uuid) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(x'66727a65'::int, spending_lock(workspace));
  PERFORM FROM workspace w WHERE w.id = guard_workspace.workspace AND w.frozen_at IS NULL;
  RETURN CASE WHEN NOT FOUND THEN 'workspace_frozen' END;
END $$;

-- The number of a workspace among the locks of kill switches. Two with one number wait for each other's freezes, and no more.
CREATE FUNCTION spending_lock(workspace uuid) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT ('x' || right(workspace::text, 8))::bit(32)::int
$$;

-- Whose held money is paid out: a wallet that may not spend now does not.
CREATE FUNCTION guard_payer(workspace uuid, wallet uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM FROM ledger_account a
  WHERE a.workspace_id = workspace AND a.owner_id = wallet AND a.kind = 'wallet.available' AND a.status = 'open';
  RETURN CASE WHEN NOT FOUND THEN 'wallet_frozen' END;
END $$;

CREATE FUNCTION guard_refusal(workspace uuid, kind text, id uuid, at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  CASE kind
    WHEN 'api_key' THEN RETURN guard_api_key(workspace, id);
    WHEN 'session' THEN RETURN guard_session(workspace, id);
    WHEN 'agent' THEN RETURN guard_agent(workspace, id);
    WHEN 'agent_token' THEN RETURN guard_agent_token(workspace, id, at);
    WHEN 'payee' THEN RETURN guard_payee(workspace, id);
    WHEN 'payer' THEN RETURN guard_payer(workspace, id);
    WHEN 'workspace' THEN RETURN guard_workspace(workspace);
    ELSE RAISE EXCEPTION 'no rule for guards of kind %', kind;
  END CASE;
END $$;

-- Channel `cache` carries tags: what a process keeps under a tag is dropped when the tag is announced. The argument is the tag's
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
  FOR EACH ROW EXECUTE FUNCTION notify_cache('rules', 'workspace_id');
