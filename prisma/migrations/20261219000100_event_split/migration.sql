-- background
-- Events that sandboxes have written for later times join those that they write now. What is left is known to end.
WITH moved AS (
  DELETE FROM ONLY event e USING (
    SELECT w.id AS workspace_id, later.id FROM workspace w CROSS JOIN LATERAL (
      SELECT id FROM ONLY event WHERE workspace_id = w.id AND id >= event_split() ORDER BY id LIMIT 1000
    ) later LIMIT 1000
  ) later WHERE e.workspace_id = later.workspace_id AND e.id = later.id RETURNING e.*
) INSERT INTO event_ahead SELECT * FROM moved;
ALTER TABLE event VALIDATE CONSTRAINT event_split;
