-- True for an update that only erases: it changes no other columns than those that its transaction has named (platform.erasing, with commas
-- between them). Erasing is the one way to change what is otherwise never changed.
CREATE OR REPLACE FUNCTION erases(before jsonb, after jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT before - named = after - named FROM string_to_array(current_setting('platform.erasing', true), ',') AS named
$$;
