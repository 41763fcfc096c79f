-- background
-- Where a deposit is on its chain.
CREATE INDEX CONCURRENTLY chain_arrival_funding ON chain_arrival (workspace_id, funding_id) WHERE funding_id IS NOT NULL;
