-- How many spends were refused in a stretch of time, by the layer that refused them.
CREATE TABLE refusal_rollup (
  workspace_id uuid NOT NULL,
  size integer NOT NULL,
  start timestamptz(3) NOT NULL,
  layer text NOT NULL,
  refusals bigint NOT NULL
);
ALTER TABLE refusal_rollup ADD CONSTRAINT refusal_rollup_pkey PRIMARY KEY (workspace_id, size, start, layer);
