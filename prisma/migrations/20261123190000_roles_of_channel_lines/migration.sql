-- A line of a channel that comes from an event says the role of the agent in it. What it shows is made from the event.
ALTER TABLE agent_event ADD COLUMN role text;
ALTER TABLE agent_event ALTER COLUMN type DROP NOT NULL;
ALTER TABLE agent_event ALTER COLUMN data DROP NOT NULL;
ALTER TABLE agent_event ADD CONSTRAINT agent_event_says_once
  CHECK ((role IS NULL) = (data IS NOT NULL) AND (role IS NULL) = (type IS NOT NULL)) NOT VALID;
