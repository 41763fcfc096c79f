-- The data of an event: its own, or that of the event that it shares it with (decision 0057). It takes a row of whichever table is called `event`.
CREATE OR REPLACE FUNCTION event_data(e anyelement) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN e.data_of IS NULL THEN e.data
         ELSE (SELECT d.data FROM event d WHERE d.workspace_id = e.workspace_id AND d.id = e.data_of) END
$$;
