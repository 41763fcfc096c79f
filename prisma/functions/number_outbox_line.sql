-- Rows of the outbox come by name; their number and their time are no constant defaults.
CREATE OR REPLACE FUNCTION number_outbox_line() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.id := nextval('outbox_id_seq');
  NEW.written_at := clock_timestamp();
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER number_line BEFORE INSERT ON outbox FOR EACH ROW WHEN (NEW.id IS NULL) EXECUTE FUNCTION number_outbox_line();
