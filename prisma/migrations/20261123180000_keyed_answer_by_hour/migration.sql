-- Answers of keys are kept by the hour in which they expire, and leave with its partition (decision 0066). The server makes partitions ahead
-- and drops those that are over: src/platform/partition.ts.
ALTER TABLE keyed_answer RENAME TO keyed_answer_before;
ALTER TABLE keyed_answer_before RENAME CONSTRAINT keyed_answer_pkey TO keyed_answer_before_pkey;

CREATE TABLE keyed_answer (
  workspace_id uuid NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  key text NOT NULL,
  status integer NOT NULL,
  body text NOT NULL,
  CONSTRAINT keyed_answer_pkey PRIMARY KEY (workspace_id, expires_at, key)
) PARTITION BY RANGE (expires_at);

-- The net: what has no partition of its own falls into it, and is deleted from it by the index.
CREATE TABLE keyed_answer_default (LIKE keyed_answer);
CREATE INDEX keyed_answer_default_expiry ON keyed_answer_default (expires_at);
ALTER TABLE keyed_answer_default ADD CONSTRAINT keyed_answer_default_pkey PRIMARY KEY (workspace_id, expires_at, key);
ALTER TABLE keyed_answer ATTACH PARTITION keyed_answer_default DEFAULT;

-- The answers that are there become the first partition as they are: none is copied.
DO $$
DECLARE
  over timestamptz;
BEGIN
  SELECT date_trunc('hour', max(expires_at), 'UTC') + interval '1 hour' INTO over FROM keyed_answer_before;
  IF over IS NULL THEN
    DROP TABLE keyed_answer_before;
  ELSE
    EXECUTE format('ALTER TABLE keyed_answer ATTACH PARTITION keyed_answer_before FOR VALUES FROM (MINVALUE) TO (%L)', over);
  END IF;
END $$;
