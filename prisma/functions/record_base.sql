-- A row of the defaults of a table, on which rows that come by name are built: a member that is left out has its default. Only
-- constant defaults count; a column with another one (a sequence, a time) has to be given.
-- Declared immutable, so that the planner asks once for each plan. A plan that inserts into a table is made again when the table is
-- altered, so a new column or default is seen at once.
CREATE OR REPLACE FUNCTION record_base(kind anyelement) RETURNS anyelement LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_defaults text;
  v_row jsonb;
BEGIN
  SELECT string_agg(format('%L, %s', a.attname, pg_get_expr(d.adbin, d.adrelid)), ', ') INTO v_defaults
  FROM pg_type t
  JOIN pg_attrdef d ON d.adrelid = t.typrelid
  JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
  WHERE t.oid = pg_typeof(kind) AND pg_get_expr(d.adbin, d.adrelid) !~ '\(|CURRENT_';
  EXECUTE format('SELECT jsonb_build_object(%s)', v_defaults) INTO v_row;
  RETURN jsonb_populate_record(kind, v_row);
END $$;
