-- Eight deliveries of an event share one entry of the old index, so that it has one level where the primary key has two. PostgreSQL then
-- found a delivery by its workspace alone, which reads all of them (docs/decisions/0017).
CREATE INDEX webhook_delivery_event_id_workspace_id_idx ON webhook_delivery (event_id, workspace_id);
DROP INDEX webhook_delivery_workspace_id_event_id_idx;
