-- expand
-- Events are to have a partition for each day (decision 0097). The table of before becomes the first of them, so it has to end somewhere: 30 days
-- from now, by when the processes of before are gone. Only sandboxes have later events, and these go into a table beside it. Who reads events
-- reads both.
ALTER TABLE webhook_delivery DROP CONSTRAINT webhook_delivery_workspace_id_event_id_fkey;

CREATE FUNCTION make_event_split() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE FUNCTION event_split() RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS %L', format('SELECT %L::uuid',
    (lpad(to_hex((extract(epoch FROM date_trunc('day', now(), 'UTC') + interval '30 days') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid));
END $$;
SELECT make_event_split();

CREATE TABLE event_ahead (CONSTRAINT event_ahead_split CHECK (id >= event_split())) INHERITS (event);
CREATE INDEX event_ahead_id ON event_ahead (id);
CREATE INDEX event_ahead_object ON event_ahead (workspace_id, object_id, id) WHERE object_id IS NOT NULL;
CREATE INDEX event_ahead_agent ON event_ahead (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX event_ahead_transfer_failed ON event_ahead (workspace_id, agent_id, id) WHERE (type = 'transfer.failed') AND (agent_id IS NOT NULL);
CREATE UNIQUE INDEX event_ahead_pkey ON event_ahead (workspace_id, id);
ALTER TABLE event_ahead ADD CONSTRAINT event_ahead_pkey PRIMARY KEY USING INDEX event_ahead_pkey;

-- Its name comes after those of the triggers that refuse rows.
CREATE FUNCTION put_event_ahead() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_ahead VALUES (NEW.*);
  RETURN NULL;
END $$;
CREATE TRIGGER put_ahead BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.id >= event_split()) EXECUTE FUNCTION put_event_ahead();
ALTER TABLE event ENABLE ALWAYS TRIGGER put_ahead;
ALTER TABLE event ADD CONSTRAINT event_split CHECK (id < event_split()) NO INHERIT NOT VALID;
