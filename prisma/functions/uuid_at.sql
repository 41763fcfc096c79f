-- A UUIDv7 of a point in time, for the few rows that only the database knows of (PostgreSQL 15 has no uuidv7()).
CREATE OR REPLACE FUNCTION uuid_at(at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM at) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

-- An id as uuid_at() makes them, with its place among those that are made together for one moment: so lists and indexes keep their order.
CREATE OR REPLACE FUNCTION uuid_at(at timestamptz, place bigint) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT overlay(uuid_at(at)::text PLACING lpad(to_hex(least(place, 4095)), 3, '0') FROM 16 FOR 3)::uuid
$$;
