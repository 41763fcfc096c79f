-- background
-- What may be swept, by address.
CREATE INDEX CONCURRENTLY chain_arrival_unswept ON chain_arrival (chain_id, payee) WHERE NOT swept AND state IN ('deep', 'booked');
