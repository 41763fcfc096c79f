-- Minor units as the decimal string of the wire: at least two digits after the point, at most the currency's scale.
CREATE OR REPLACE FUNCTION money_text(minor bigint, currency text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE scale
    WHEN 0 THEN minor::text
    WHEN 2 THEN to_char(minor::numeric / 100, 'FM99999999999999999990.00')
    ELSE to_char(minor::numeric / 1000000, 'FM99999999999999999990.009999')
  END
  FROM (SELECT CASE WHEN currency = 'JPY' THEN 0 WHEN currency IN ('USDC', 'EURC', 'USDT') THEN 6 ELSE 2 END AS scale) s
$$;
