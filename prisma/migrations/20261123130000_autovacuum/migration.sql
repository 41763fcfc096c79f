-- How PostgreSQL cleans the tables that change most (decision 0063). By default it begins when a fifth of a table has changed: of a table
-- of millions of rows that is late, and then much at once.

-- Every payment updates two of these rows, so each page has room for their next versions, which then need no new entries of indexes.
ALTER TABLE ledger_account SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE limit_counter SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- Few rows that are updated all the time.
ALTER TABLE event_listener SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE audit_head SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE usage_rollup SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE request_count SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- Written and deleted again, at once or in order of time: what is deleted is used again before the table grows.
ALTER TABLE outbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE publication SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
ALTER TABLE claim SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
ALTER TABLE event SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);

-- Rows are added and stay. A vacuum after insertions marks their pages as visible to all, so that statements that an index can answer do
-- not read the rows; in small parts it is short, and nothing is left for the one that is forced by the age of transactions.
ALTER TABLE transfer SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE ledger_entry SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE operation SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE audit_entry SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- After the other index of accounts: of two that cost an empty table the same, the planner takes the one that was made last.
ALTER TABLE ledger_account DROP CONSTRAINT ledger_account_pkey;
ALTER TABLE ledger_account ADD CONSTRAINT ledger_account_pkey PRIMARY KEY (workspace_id, id);
