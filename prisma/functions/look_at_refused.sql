-- The breaker looks at an agent that was refused, whoever stores the refusal. Rows are added and never changed, so nobody waits.
-- Refusals by a freeze are not counted (src/contexts/spending/breaker/detector.ts).
CREATE OR REPLACE FUNCTION look_at_refused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO breaker_look (workspace_id, id, agent_id, since, due_at)
  SELECT b.workspace_id, uuid_at(NEW.evaluated_at), NEW.agent_id, NEW.evaluated_at, NEW.evaluated_at + interval '1 second'
  FROM breaker b WHERE b.workspace_id = NEW.workspace_id AND b.detectors @> '[{"kind": "failures"}]';
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER look_at_refused AFTER INSERT ON decision FOR EACH ROW
  WHEN (NEW.outcome = 'deny' AND NEW.agent_id IS NOT NULL) EXECUTE FUNCTION look_at_refused();
