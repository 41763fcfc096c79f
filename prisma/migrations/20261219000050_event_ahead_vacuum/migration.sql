-- expand
-- By itself, because the functions are replaced in the transaction of the last expand: that one must not lock the events.
ALTER TABLE event_ahead SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);
