-- Processes of the version before have prepared a statement on it, whose columns must stay as they are.
CREATE OR REPLACE FUNCTION publish_events(
  p_now timestamptz, p_shown boolean, p_most int, p_after bigint, p_shard int, p_shards int, p_workspace uuid,
  OUT busy boolean, OUT size int, OUT deliveries int, OUT shown json, OUT shown_next boolean, OUT last bigint
) LANGUAGE sql AS $$
  SELECT p.busy, p.size, p.deliveries, p.shown, p.shown_next, p.last
  FROM publish_outbox(p_now, p_shown, p_most, p_after, p_shard, p_shards, p_workspace) p
$$;
