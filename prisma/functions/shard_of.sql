-- The shard of a workspace, from 0. src/platform/shard.ts computes the same.
CREATE OR REPLACE FUNCTION shard_of(workspace uuid, shards int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT ('x' || right(workspace::text, 7))::bit(28)::int % shards
$$;
