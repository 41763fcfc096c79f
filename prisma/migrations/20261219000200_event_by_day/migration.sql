-- contract 0.2.0
-- Events get a partition for each day (decision 0097). The table of before becomes the first of them, and what sandboxes have written for later
-- times the net. Nothing is read: that they hold no other times was checked before. A table of few rows is emptied into the net instead.
DROP TRIGGER put_ahead ON event;
-- What only processes of before call; they take or return a row of the table of before.
DROP FUNCTION IF EXISTS event_data(event), published_events(uuid, bigint, bigint);
ALTER TABLE event_ahead NO INHERIT event;
ALTER TABLE event RENAME TO event_before;
ALTER INDEX event_pkey RENAME TO event_before_pkey;
ALTER INDEX event_object RENAME TO event_before_object;
ALTER INDEX event_agent RENAME TO event_before_agent;
ALTER INDEX event_transfer_failed RENAME TO event_before_transfer_failed;
ALTER TABLE event_ahead RENAME TO event_default;
ALTER INDEX event_ahead_pkey RENAME TO event_default_pkey;
ALTER INDEX event_ahead_id RENAME TO event_default_id;
ALTER INDEX event_ahead_object RENAME TO event_default_object;
ALTER INDEX event_ahead_agent RENAME TO event_default_agent;
ALTER INDEX event_ahead_transfer_failed RENAME TO event_default_transfer_failed;

CREATE TABLE event (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  data json,
  object_id uuid,
  agent_id uuid,
  trace_id text,
  created_at timestamptz(3) NOT NULL,
  trace_span text,
  data_of uuid,
  CONSTRAINT event_has_data CHECK ((data IS NULL) <> (data_of IS NULL)),
  CONSTRAINT event_data_outlives CHECK (data_of > id)
) PARTITION BY RANGE (id);
CREATE INDEX event_object ON event (workspace_id, object_id, id) WHERE object_id IS NOT NULL;
CREATE INDEX event_agent ON event (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX event_transfer_failed ON event (workspace_id, agent_id, id) WHERE (type = 'transfer.failed') AND (agent_id IS NOT NULL);

CREATE FUNCTION attach_events() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_trigger record;
BEGIN
  -- After the other indexes (decision 0017).
  ALTER TABLE event ADD CONSTRAINT event_pkey PRIMARY KEY (workspace_id, id);
  ALTER TABLE event ATTACH PARTITION event_default DEFAULT;
  -- Those that refuse changes, also of tenants that are absent.
  FOR v_trigger IN
    SELECT tgname AS name, pg_get_triggerdef(oid) AS definition, obj_description(oid, 'pg_trigger') AS comment FROM pg_trigger WHERE tgrelid = 'event_before'::regclass AND NOT tgisinternal
  LOOP
    EXECUTE format('DROP TRIGGER %I ON event_before', v_trigger.name);
    EXECUTE regexp_replace(v_trigger.definition, ' ON (\S+\.)?event_before ', ' ON event ');
    EXECUTE format('COMMENT ON TRIGGER %I ON event IS %L', v_trigger.name, v_trigger.comment);
  END LOOP;
  IF (SELECT count(*) FROM (SELECT FROM event_before LIMIT 10001) counted) > 10000 THEN
    EXECUTE format('ALTER TABLE event ATTACH PARTITION event_before FOR VALUES FROM (MINVALUE) TO (%L)', event_split());
    ALTER TABLE event_before DROP CONSTRAINT event_split;
    ALTER TABLE event_default DROP CONSTRAINT event_ahead_split;
  ELSE
    ALTER TABLE event_default DROP CONSTRAINT event_ahead_split;
    INSERT INTO event SELECT * FROM event_before;
    DROP TABLE event_before;
  END IF;
END $$;
SELECT attach_events();
DROP FUNCTION attach_events(), event_split(), make_event_split(), put_event_ahead();
