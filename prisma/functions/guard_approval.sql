-- Printed by scripts/guards.ts. Of each approval: a final status stays.
CREATE OR REPLACE FUNCTION guard_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status <> OLD.status AND OLD.status NOT IN ('pending') THEN
    RAISE EXCEPTION 'approval %: its status is final', OLD.id USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER guard BEFORE UPDATE ON approval FOR EACH ROW EXECUTE FUNCTION guard_approval();
