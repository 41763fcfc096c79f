-- What is left of one limit of a mandate, as text; null without a limit.
CREATE OR REPLACE FUNCTION mandate_left(workspace uuid, mandate_id uuid, maximum bigint, span text, currency text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT money_text(greatest(maximum - coalesce((
    SELECT c.used + c.reserved FROM limit_counter c
    WHERE c.workspace_id = workspace AND c.counter = 'mandate:' || mandate_left.mandate_id AND c."window" = span), 0), 0), currency)
$$;
