-- The number of a workspace among the locks of kill switches. Two with one number wait for each other's freezes, and no more.
CREATE OR REPLACE FUNCTION spending_lock(workspace uuid) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT ('x' || right(workspace::text, 8))::bit(32)::int
$$;
