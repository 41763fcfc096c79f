-- Sessions that were signed out before their hour was over (src/contexts/identity/auth-session.ts). A JWT stands in no table while it lives.

-- CreateTable
CREATE TABLE "ended_jwt" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ended_jwt_pkey" PRIMARY KEY ("workspace_id","id")
);

-- Every process forgets what it has kept of the session.
CREATE TRIGGER notify_cache AFTER INSERT ON ended_jwt FOR EACH ROW EXECUTE FUNCTION notify_cache('jwt', 'id');

-- A posting asks again, as it does for a key: the notification takes a moment.
CREATE FUNCTION guard_jwt(workspace uuid, session uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM FROM ended_jwt e WHERE e.workspace_id = workspace AND e.id = session;
  RETURN CASE WHEN FOUND THEN 'invalid_jwt' END;
END $$;

-- As it was, with one more kind.
CREATE OR REPLACE FUNCTION guard_refusal(workspace uuid, kind text, id uuid, at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  CASE kind
    WHEN 'api_key' THEN RETURN guard_api_key(workspace, id);
    WHEN 'jwt' THEN RETURN guard_jwt(workspace, id);
    WHEN 'session' THEN RETURN guard_session(workspace, id);
    WHEN 'agent' THEN RETURN guard_agent(workspace, id);
    WHEN 'agent_token' THEN RETURN guard_agent_token(workspace, id, at);
    WHEN 'payee' THEN RETURN guard_payee(workspace, id);
    WHEN 'payer' THEN RETURN guard_payer(workspace, id);
    WHEN 'workspace' THEN RETURN guard_workspace(workspace);
    WHEN 'mandate' THEN RETURN guard_mandate(workspace, id, at);
    ELSE RAISE EXCEPTION 'no rule for guards of kind %', kind;
  END CASE;
END $$;
