-- The search finds accounts, agents and merchants by how their names and addresses begin. The conditions always hold: with them a look-up by
-- primary key, planned while a table is empty, cannot take one of these.
CREATE INDEX account_name_beginning ON account (workspace_id, lower(name) text_pattern_ops) WHERE name IS NOT NULL;
CREATE INDEX account_email_beginning ON account (workspace_id, lower(email) text_pattern_ops) WHERE email IS NOT NULL;
CREATE INDEX agent_name_beginning ON agent (workspace_id, lower(name) text_pattern_ops) WHERE name IS NOT NULL;
CREATE INDEX merchant_name_beginning ON merchant (workspace_id, lower(name) text_pattern_ops) WHERE name IS NOT NULL;
