-- Where a tenant is absent although rows of it stand there, nothing is added for it: the process that tries has not heard of its move. A move
-- makes the triggers that call this (src/platform/cell/move/absence.ts); their argument is the tenant. Work for all tenants finds no row of
-- it, and what processes count is left out.
CREATE OR REPLACE FUNCTION refuse_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM moved_workspace WHERE tenant_id = TG_ARGV[0]::uuid) THEN
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  IF TG_OP = 'INSERT' AND TG_TABLE_NAME NOT IN ('account_request_count', 'keyed_answer', 'refusal_rollup', 'request_count') THEN
    RAISE EXCEPTION 'this tenant has moved to another cell' USING ERRCODE = 'AP012';
  END IF;
  RETURN NULL;
END $$;
