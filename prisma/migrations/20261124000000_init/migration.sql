-- The tables of the platform, with their types, indexes and constraints, by the files of prisma/schema. Functions and triggers stand in
-- prisma/functions. A database that was made by the migrations named in replaces.sha256 has all of this already.

-- platform

CREATE TABLE event (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  data json,
  object_id uuid,
  agent_id uuid,
  trace_id text,
  created_at timestamptz(3) NOT NULL,
  trace_span text,
  data_of uuid
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);
ALTER TABLE event ADD CONSTRAINT event_pkey PRIMARY KEY (workspace_id, id);
-- The events about one object, newest first.
CREATE INDEX event_object ON event (workspace_id, object_id, id) WHERE object_id IS NOT NULL;
CREATE INDEX event_agent ON event (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX event_transfer_failed ON event (workspace_id, agent_id, id) WHERE (type = 'transfer.failed') AND (agent_id IS NOT NULL);
ALTER TABLE event ADD CONSTRAINT event_has_data CHECK ((data IS NULL) <> (data_of IS NULL));
-- The one that is named has the greater id: a sweep, in the order of ids, never takes the data away first.
ALTER TABLE event ADD CONSTRAINT event_data_outlives CHECK (data_of > id);

CREATE TABLE outbox (
  workspace_id uuid NOT NULL,
  id bigserial NOT NULL,
  event_ids uuid[],
  roles jsonb,
  operation_ids uuid[] DEFAULT ARRAY[]::uuid[] NOT NULL,
  written_at timestamptz(3) DEFAULT clock_timestamp() NOT NULL,
  traces text[],
  line_ids uuid[] DEFAULT ARRAY[]::uuid[] NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE outbox ADD CONSTRAINT outbox_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX outbox_id_idx ON outbox (id);

CREATE TABLE publication (
  workspace_id uuid NOT NULL,
  number bigserial NOT NULL,
  event_ids uuid[],
  published_at timestamptz(3) NOT NULL,
  operation_ids uuid[] DEFAULT ARRAY[]::uuid[] NOT NULL,
  line_ids uuid[] DEFAULT ARRAY[]::uuid[] NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
ALTER TABLE publication ADD CONSTRAINT publication_pkey PRIMARY KEY (workspace_id, number);
CREATE INDEX publication_number_idx ON publication (number);

CREATE TABLE event_listener (
  name text NOT NULL,
  workspace_id uuid NOT NULL,
  number bigint DEFAULT 0 NOT NULL
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE event_listener ADD CONSTRAINT event_listener_pkey PRIMARY KEY (workspace_id, name);

CREATE TABLE keyed_answer (
  workspace_id uuid NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  key text NOT NULL,
  status integer NOT NULL,
  body text NOT NULL
) PARTITION BY RANGE (expires_at);
ALTER TABLE keyed_answer ADD CONSTRAINT keyed_answer_pkey PRIMARY KEY (workspace_id, expires_at, key);

-- The net: what has no partition of its own falls into it, and is deleted from it by the index.
CREATE TABLE keyed_answer_default (LIKE keyed_answer);
CREATE INDEX keyed_answer_default_expiry ON keyed_answer_default (expires_at);
ALTER TABLE keyed_answer_default ADD CONSTRAINT keyed_answer_default_pkey PRIMARY KEY (workspace_id, expires_at, key);
ALTER TABLE keyed_answer ATTACH PARTITION keyed_answer_default DEFAULT;

-- identity

CREATE TABLE tenant (
  id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamptz(3) NOT NULL
);
ALTER TABLE tenant ADD CONSTRAINT tenant_pkey PRIMARY KEY (id);

CREATE TYPE environment AS ENUM ('test', 'live');

CREATE TABLE workspace (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  environment environment NOT NULL,
  clock_offset_ms bigint DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  clock_target timestamptz(3),
  frozen_at timestamptz(3),
  frozen_reason text
);
ALTER TABLE workspace ADD CONSTRAINT workspace_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX workspace_tenant_id_environment_key ON workspace (tenant_id, environment);
-- Workspaces whose rows are due by a clock of their own.
CREATE INDEX workspace_moved ON workspace (id) WHERE clock_offset_ms <> 0;

CREATE TABLE api_key (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  hash bytea NOT NULL,
  scopes text[],
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  created_by_id uuid,
  rolled_from_id uuid
);
ALTER TABLE api_key ADD CONSTRAINT api_key_pkey PRIMARY KEY (workspace_id, id);

CREATE TYPE directory_kind AS ENUM ('agent', 'agent_token', 'api_key', 'session', 'x402_endpoint', 'portal_token');

CREATE TABLE credential (
  hash bytea NOT NULL,
  workspace_id uuid NOT NULL,
  kind directory_kind NOT NULL,
  id uuid NOT NULL,
  expires_at timestamptz(3)
);
ALTER TABLE credential ADD CONSTRAINT credential_pkey PRIMARY KEY (hash);
CREATE INDEX credential_ended ON credential (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE signing_key (
  id text NOT NULL,
  public_jwk jsonb NOT NULL,
  sealed_key bytea NOT NULL,
  created_at timestamptz(3) NOT NULL,
  retired_at timestamptz(3)
);
ALTER TABLE signing_key ADD CONSTRAINT signing_key_pkey PRIMARY KEY (id);

CREATE TABLE portal_token (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  customer_reference text NOT NULL,
  scopes text[],
  prefix text NOT NULL,
  hash bytea NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3)
);
ALTER TABLE portal_token ADD CONSTRAINT portal_token_pkey PRIMARY KEY (workspace_id, id);

CREATE TABLE ended_jwt (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
ALTER TABLE ended_jwt ADD CONSTRAINT ended_jwt_pkey PRIMARY KEY (workspace_id, id);

-- ledger

CREATE TYPE ledger_account_status AS ENUM ('open', 'blocked', 'closed');

CREATE TABLE ledger_account (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  owner_id uuid NOT NULL,
  kind text NOT NULL,
  currency text NOT NULL,
  balance bigint DEFAULT 0 NOT NULL,
  version bigint DEFAULT 0 NOT NULL,
  status ledger_account_status DEFAULT 'open' NOT NULL,
  unbounded boolean DEFAULT false NOT NULL,
  low_threshold bigint,
  last_entry_at timestamptz(3),
  CONSTRAINT ledger_account_never_negative CHECK ((balance >= 0) OR unbounded)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE UNIQUE INDEX ledger_account_workspace_id_owner_id_kind_currency_key ON ledger_account (workspace_id, owner_id, kind, currency);
ALTER TABLE ledger_account ADD CONSTRAINT ledger_account_pkey PRIMARY KEY (workspace_id, id);

CREATE TABLE ledger_transaction (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  transfer_id uuid,
  limits jsonb,
  created_at timestamptz(3) NOT NULL,
  limits_before bigint[]
);
ALTER TABLE ledger_transaction ADD CONSTRAINT ledger_transaction_pkey PRIMARY KEY (workspace_id, id);
-- A transfer's first transaction has its id; here are those that follow.
CREATE INDEX ledger_transaction_further ON ledger_transaction (workspace_id, transfer_id) WHERE transfer_id <> id;

CREATE TABLE ledger_entry (
  workspace_id uuid NOT NULL,
  account_id uuid NOT NULL,
  version bigint NOT NULL,
  transaction_id uuid NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  balance_after bigint NOT NULL,
  created_at timestamptz(3) NOT NULL
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE ledger_entry ADD CONSTRAINT ledger_entry_pkey PRIMARY KEY (workspace_id, account_id, version);
CREATE INDEX ledger_entry_workspace_id_transaction_id_idx ON ledger_entry (workspace_id, transaction_id);

CREATE TABLE limit_counter (
  workspace_id uuid NOT NULL,
  counter text NOT NULL,
  "window" text NOT NULL,
  used bigint DEFAULT 0 NOT NULL,
  reserved bigint DEFAULT 0 NOT NULL,
  CONSTRAINT limit_counter_never_negative CHECK ((used >= 0) AND (reserved >= 0))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE limit_counter ADD CONSTRAINT limit_counter_pkey PRIMARY KEY (workspace_id, counter, "window");
CREATE INDEX limit_counter_over ON limit_counter ("window" COLLATE "C") WHERE ("window" COLLATE "C") < 'A';

CREATE TYPE hold_status AS ENUM ('held', 'captured', 'released');

CREATE TABLE hold (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  transfer_id uuid NOT NULL,
  from_account_id uuid NOT NULL,
  held_account_id uuid NOT NULL,
  to_account_id uuid NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  captured_amount bigint DEFAULT 0 NOT NULL,
  status hold_status DEFAULT 'held' NOT NULL,
  created_at timestamptz(3) NOT NULL,
  resolved_at timestamptz(3),
  CONSTRAINT hold_within_amount CHECK ((captured_amount >= 0) AND (captured_amount <= amount))
);
ALTER TABLE hold ADD CONSTRAINT hold_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX hold_workspace_id_transfer_id_idx ON hold (workspace_id, transfer_id);
-- What was pending for a payee at a point in time: holds that were resolved later.
CREATE INDEX hold_resolved ON hold (workspace_id, to_account_id, resolved_at) INCLUDE (created_at, amount) WHERE resolved_at IS NOT NULL;
CREATE INDEX hold_incoming ON hold (workspace_id, to_account_id) WHERE status = 'held';
CREATE INDEX hold_open ON hold (workspace_id, held_account_id) WHERE status = 'held';
CREATE INDEX hold_old ON hold (resolved_at) WHERE resolved_at IS NOT NULL;

CREATE TABLE claim (
  workspace_id uuid NOT NULL,
  kind text NOT NULL,
  key text NOT NULL,
  reference text,
  fingerprint text,
  expires_at timestamptz(3)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
ALTER TABLE claim ADD CONSTRAINT claim_pkey PRIMARY KEY (workspace_id, kind, key);
-- What is swept, over all workspaces.
CREATE INDEX claim_expiry ON claim (expires_at) WHERE expires_at IS NOT NULL;

-- accounts

CREATE TYPE account_status AS ENUM ('active', 'suspended', 'closed');
CREATE TYPE account_type AS ENUM ('person', 'business');

CREATE TABLE account (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  type account_type NOT NULL,
  name text NOT NULL,
  email text,
  country text,
  status account_status DEFAULT 'active' NOT NULL,
  kyc_tier integer DEFAULT 0 NOT NULL,
  customer_reference text,
  default_currency text,
  metadata jsonb DEFAULT '{}' NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
CREATE INDEX account_workspace_id_customer_reference_id_idx ON account (workspace_id, customer_reference, id);
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE account ADD CONSTRAINT account_pkey PRIMARY KEY (workspace_id, id);

CREATE TYPE wallet_owner_type AS ENUM ('account', 'agent');
CREATE TYPE wallet_status AS ENUM ('active', 'frozen', 'closed');

CREATE TABLE wallet (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  owner_type wallet_owner_type NOT NULL,
  account_id uuid NOT NULL,
  agent_id uuid,
  currency text NOT NULL,
  name text,
  status wallet_status DEFAULT 'active' NOT NULL,
  low_balance_threshold bigint,
  frozen_at timestamptz(3),
  frozen_reason text,
  metadata jsonb DEFAULT '{}' NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
ALTER TABLE wallet ADD CONSTRAINT wallet_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX wallet_workspace_id_account_id_id_idx ON wallet (workspace_id, account_id, id);
CREATE INDEX wallet_workspace_id_agent_id_id_idx ON wallet (workspace_id, agent_id, id);

CREATE TYPE merchant_status AS ENUM ('active', 'inactive');

CREATE TABLE merchant (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  category text NOT NULL,
  account_id uuid NOT NULL,
  settlement_wallet_id uuid,
  url text,
  status merchant_status DEFAULT 'active' NOT NULL,
  metadata jsonb DEFAULT '{}' NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  accepts_buyer_prices boolean DEFAULT true NOT NULL
);
ALTER TABLE merchant ADD CONSTRAINT merchant_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX merchant_workspace_id_account_id_id_idx ON merchant (workspace_id, account_id, id);
CREATE INDEX merchant_settlement ON merchant (workspace_id, settlement_wallet_id, id) WHERE settlement_wallet_id IS NOT NULL;
CREATE INDEX merchant_url ON merchant (workspace_id, url) WHERE url IS NOT NULL;

-- agents

CREATE TYPE agent_status AS ENUM ('active', 'frozen', 'suspended', 'revoked');

CREATE TABLE agent (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  parent_account_id uuid NOT NULL,
  name text NOT NULL,
  description text,
  status agent_status DEFAULT 'active' NOT NULL,
  status_reason text,
  kya_tier integer DEFAULT 0 NOT NULL,
  key_revoked_at timestamptz(3),
  metadata jsonb DEFAULT '{}' NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
ALTER TABLE agent ADD CONSTRAINT agent_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX agent_workspace_id_parent_account_id_id_idx ON agent (workspace_id, parent_account_id, id);

CREATE TYPE agent_key_status AS ENUM ('active', 'rotated', 'revoked');

CREATE TABLE agent_key (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  public_key bytea NOT NULL,
  status agent_key_status DEFAULT 'active' NOT NULL,
  created_at timestamptz(3) NOT NULL,
  rotated_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  CONSTRAINT agent_key_is_ed25519 CHECK (length(public_key) = 32)
);
ALTER TABLE agent_key ADD CONSTRAINT agent_key_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX agent_key_workspace_id_agent_id_idx ON agent_key (workspace_id, agent_id);
CREATE UNIQUE INDEX agent_key_one_active ON agent_key (workspace_id, agent_id) WHERE status = 'active';
-- The public directory lists keys by themselves: nothing in their order says whose they are, or how old.
CREATE INDEX agent_key_directory ON agent_key (public_key) WHERE status = 'active';

CREATE TABLE agent_token (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  hash bytea NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3),
  created_by text,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);
ALTER TABLE agent_token ADD CONSTRAINT agent_token_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX agent_token_workspace_id_agent_id_idx ON agent_token (workspace_id, agent_id);
CREATE INDEX agent_token_ended ON agent_token (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE challenge (
  workspace_id uuid NOT NULL,
  hash bytea NOT NULL,
  agent_id uuid NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3)
);
ALTER TABLE challenge ADD CONSTRAINT challenge_pkey PRIMARY KEY (workspace_id, hash);
CREATE INDEX challenge_expires_at_idx ON challenge (expires_at);

CREATE TABLE agent_session (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  key_id uuid NOT NULL,
  ip text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  last_used_at timestamptz(3)
);
ALTER TABLE agent_session ADD CONSTRAINT agent_session_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX agent_session_expires_at_idx ON agent_session (expires_at);
CREATE INDEX agent_session_workspace_id_agent_id_idx ON agent_session (workspace_id, agent_id);

CREATE TABLE kya_limit (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  tier integer NOT NULL,
  currency text NOT NULL,
  per_tx bigint,
  per_day bigint,
  per_month bigint,
  CONSTRAINT kya_limit_tier CHECK ((tier >= 0) AND (tier <= 3))
);
ALTER TABLE kya_limit ADD CONSTRAINT kya_limit_pkey PRIMARY KEY (workspace_id, id);
CREATE UNIQUE INDEX kya_limit_workspace_id_tier_currency_key ON kya_limit (workspace_id, tier, currency);

-- transfers

-- Which side captures a hold, and what the payer says to both. Holds of before keep the rule that they were made under: null.
CREATE TYPE capture_by AS ENUM ('payer', 'payee');
CREATE TYPE capture_mode AS ENUM ('automatic', 'manual');
CREATE TYPE initiator_type AS ENUM ('api_key', 'user', 'agent', 'system');
CREATE TYPE protocol AS ENUM ('ucp', 'acp', 'ap2', 'x402', 'mpp', 'internal', 'cross_border');
-- The rare ones among the transfers of a workspace; the list inlines these words.
CREATE TYPE transfer_status AS ENUM ('pending', 'processing', 'completed', 'failed', 'cancelled');
CREATE TYPE transfer_type AS ENUM ('internal', 'cross_border', 'wrap', 'unwrap', 'stream_start', 'stream_withdraw', 'stream_cancel');

CREATE TABLE transfer (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  type transfer_type NOT NULL,
  status transfer_status NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  from_account_id uuid,
  to_account_id uuid,
  from_wallet_id uuid,
  to_wallet_id uuid,
  protocol protocol NOT NULL,
  description text,
  reference text,
  capture capture_mode NOT NULL,
  hold_id uuid,
  captured_amount bigint,
  hold_expires_at timestamptz(3),
  scheduled_for timestamptz(3),
  refunded_amount bigint DEFAULT 0 NOT NULL,
  initiated_by_type initiator_type NOT NULL,
  initiated_by_id uuid NOT NULL,
  agent_id uuid,
  failure_code text,
  failure_message text,
  metadata jsonb DEFAULT '{}' NOT NULL,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  completed_at timestamptz(3),
  trace_id text,
  approval_id uuid,
  decision_id uuid,
  protocol_metadata jsonb,
  destination_amount bigint,
  destination_currency text,
  fee_amount bigint DEFAULT 0 NOT NULL,
  quote_id uuid,
  destination jsonb,
  mandate_id uuid,
  capture_by capture_by,
  shared_metadata jsonb,
  subject_type text,
  subject_id uuid,
  origin_type text,
  origin_id uuid,
  is_spend boolean DEFAULT false NOT NULL,
  CONSTRAINT transfer_refund_within_amount CHECK ((refunded_amount >= 0) AND (refunded_amount <= amount))
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX transfer_workspace_id_from_wallet_id_id_idx ON transfer (workspace_id, from_wallet_id, id);
CREATE INDEX transfer_workspace_id_to_wallet_id_id_idx ON transfer (workspace_id, to_wallet_id, id);
ALTER TABLE transfer ADD CONSTRAINT transfer_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX transfer_reference ON transfer (workspace_id, reference) WHERE reference IS NOT NULL;
CREATE INDEX transfer_agent ON transfer (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
-- The rare ones among the transfers of a workspace; the list inlines these words.
CREATE INDEX transfer_status ON transfer (workspace_id, status, id) WHERE status <> 'completed';
CREATE INDEX transfer_type ON transfer (workspace_id, type, id) WHERE type <> 'internal';
CREATE INDEX transfer_protocol ON transfer (workspace_id, protocol, id) WHERE protocol <> 'internal';
-- What keeps a wallet from being closed.
CREATE INDEX transfer_open_from ON transfer (workspace_id, from_wallet_id) WHERE status IN ('pending', 'processing');
CREATE INDEX transfer_open_to ON transfer (workspace_id, to_wallet_id) WHERE status IN ('pending', 'processing');
CREATE INDEX transfer_due ON transfer (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX transfer_due_workspace ON transfer (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX transfer_leased ON transfer (workspace_id) WHERE lease_until IS NOT NULL;
-- What a transfer is part of: rare among the transfers of a workspace.
CREATE INDEX transfer_quote ON transfer (workspace_id, quote_id, id) WHERE quote_id IS NOT NULL;
-- The executions of a mandate.
CREATE INDEX transfer_mandate ON transfer (workspace_id, mandate_id, id) WHERE mandate_id IS NOT NULL;
-- What an account has paid without a wallet.
CREATE INDEX transfer_from_outside ON transfer (workspace_id, from_account_id, id) WHERE (from_account_id IS NOT NULL)
  AND (from_wallet_id IS NULL);
-- The lists of a batch and of a stream.
CREATE INDEX transfer_batch ON transfer (workspace_id, origin_id, id) WHERE origin_type = 'batch';
CREATE INDEX transfer_stream ON transfer (workspace_id, subject_id, id) WHERE subject_type = 'stream';

CREATE TYPE amount_side AS ENUM ('send', 'receive');

CREATE TABLE quote (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  from_currency text NOT NULL,
  to_currency text NOT NULL,
  rate_num numeric NOT NULL,
  rate_den numeric NOT NULL,
  rate_ids text[],
  amount_side amount_side NOT NULL,
  send_amount bigint NOT NULL,
  receive_amount bigint NOT NULL,
  fee_amount bigint NOT NULL,
  agent_id uuid,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  rail text
);
ALTER TABLE quote ADD CONSTRAINT quote_pkey PRIMARY KEY (workspace_id, id);
-- What is swept, over all workspaces.
CREATE INDEX quote_expiry ON quote (expires_at);

-- a2a

CREATE TYPE task_audience AS ENUM ('sender', 'worker', 'candidates', 'anybody');
CREATE TYPE task_payment_method AS ENUM ('wallet', 'x402', 'ap2', 'mpp');
CREATE TYPE task_payment_status AS ENUM ('awaiting_approval', 'reserved', 'released', 'refunded', 'disputed');
CREATE TYPE task_status AS ENUM (
  'pending', 'accepted', 'declined', 'in_progress', 'input_required', 'completed', 'failed', 'disputed', 'cancelled', 'expired'
);

CREATE TABLE task (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  from_agent_id uuid NOT NULL,
  to_agent_id uuid,
  skill_id text NOT NULL,
  status task_status NOT NULL,
  status_reason text,
  open boolean NOT NULL,
  candidate_agent_ids uuid[],
  audience task_audience NOT NULL,
  offered boolean NOT NULL,
  payload jsonb NOT NULL,
  context_id text NOT NULL,
  acceptance_schema jsonb,
  claim_timeout_seconds integer NOT NULL,
  review_window_seconds integer NOT NULL,
  deadline timestamptz(3),
  claimed_at timestamptz(3),
  claim_deadline timestamptz(3),
  started_at timestamptz(3),
  progress jsonb,
  deliverable jsonb,
  completed_at timestamptz(3),
  review_deadline timestamptz(3),
  amount bigint,
  currency text,
  method task_payment_method,
  payment_status task_payment_status,
  released bigint,
  wallet_id uuid,
  payee_wallet_id uuid,
  transfer_id uuid,
  approval_id uuid,
  dispute_id uuid,
  rating integer,
  feedback text,
  sender_rating integer,
  sender_feedback text,
  created_by_type initiator_type NOT NULL,
  created_by_id uuid NOT NULL,
  trace_id text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  CONSTRAINT task_due CHECK ((due_at IS NULL) OR (status NOT IN ('declined', 'failed', 'disputed', 'cancelled', 'expired'))),
  CONSTRAINT task_offered CHECK ((offered = (audience IN ('candidates', 'anybody'))) AND ((NOT offered) OR (status = 'pending'))),
  -- A payment is whole or not there. It ends with its task: released, or given back.
  CONSTRAINT task_payment CHECK ((((amount IS NULL) = (payment_status IS NULL)) AND ((amount IS NULL) = (currency IS NULL))
    AND ((amount IS NULL) = (method IS NULL)) AND ((amount IS NULL) = (wallet_id IS NULL))
    AND ((amount IS NULL) = (transfer_id IS NULL)) AND ((amount IS NULL) OR (amount > 0)) AND COALESCE(((released >= 0)
    AND (released <= amount)), true) AND ((payment_status IS NULL) OR
CASE
  WHEN (status IN ('declined', 'failed', 'cancelled', 'expired')) THEN (payment_status = 'refunded')
  WHEN (status = 'disputed') THEN (payment_status = 'disputed')
  WHEN (status = 'completed') THEN (payment_status IN ('reserved', 'released', 'refunded'))
  WHEN (status = 'pending') THEN (payment_status IN ('awaiting_approval', 'reserved'))
  ELSE (payment_status = 'reserved')
END))),
  CONSTRAINT task_ratings CHECK (((rating >= 1) AND (rating <= 5)) AND ((sender_rating >= 1) AND (sender_rating <= 5))),
  -- A worker is never the sender, and whoever works on a task is named.
  CONSTRAINT task_sides CHECK ((to_agent_id IS DISTINCT FROM from_agent_id) AND ((to_agent_id IS NOT NULL)
    OR (status IN ('pending', 'failed', 'cancelled', 'expired'))))
);
CREATE INDEX task_workspace_id_from_agent_id_id_idx ON task (workspace_id, from_agent_id, id);
CREATE INDEX task_workspace_id_to_agent_id_id_idx ON task (workspace_id, to_agent_id, id);
CREATE INDEX task_workspace_id_to_agent_id_updated_at_id_idx ON task (workspace_id, to_agent_id, updated_at, id);
CREATE INDEX task_workspace_id_skill_id_offered_id_idx ON task (workspace_id, skill_id, offered, id);
CREATE INDEX task_workspace_id_status_id_idx ON task (workspace_id, status, id);
-- What is kept open by money that is not settled yet, and what is disputed.
CREATE INDEX task_unpaid_from ON task (workspace_id, wallet_id, id) WHERE payment_status IN ('awaiting_approval', 'reserved', 'disputed');
CREATE INDEX task_unpaid_to ON task (workspace_id, payee_wallet_id, id)
  WHERE payment_status IN ('awaiting_approval', 'reserved', 'disputed');
CREATE INDEX task_offered ON task (workspace_id, id) WHERE offered;
CREATE INDEX task_disputed ON task (workspace_id, dispute_id) WHERE status = 'disputed';
CREATE INDEX task_due ON task (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX task_due_workspace ON task (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX task_leased ON task (workspace_id) WHERE lease_until IS NOT NULL;
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE task ADD CONSTRAINT task_pkey PRIMARY KEY (workspace_id, id);

CREATE TYPE task_side AS ENUM ('sender', 'worker');

CREATE TABLE task_message (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  task_id uuid NOT NULL,
  author task_side NOT NULL,
  parts jsonb NOT NULL,
  schema jsonb,
  created_at timestamptz(3) NOT NULL
);
CREATE INDEX task_message_workspace_id_task_id_id_idx ON task_message (workspace_id, task_id, id);
ALTER TABLE task_message ADD CONSTRAINT task_message_pkey PRIMARY KEY (workspace_id, id);

-- audit

CREATE TABLE audit_entry (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  "position" bigserial NOT NULL,
  at timestamptz(3) NOT NULL,
  actor_type text NOT NULL,
  actor_id uuid,
  action text NOT NULL,
  resource_type text,
  resource_id text,
  request_id text,
  ip text,
  changes jsonb,
  previous_hash bytea,
  hash bytea,
  via text,
  outcome jsonb,
  seed bytea,
  digest bytea
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX audit_entry_workspace_id_actor_id_id_idx ON audit_entry (workspace_id, actor_id, id);
CREATE INDEX audit_entry_workspace_id_resource_id_id_idx ON audit_entry (workspace_id, resource_id, id);
ALTER TABLE audit_entry ADD CONSTRAINT audit_entry_pkey PRIMARY KEY (workspace_id, id);
-- The chain of before, which is read in its order.
CREATE UNIQUE INDEX audit_entry_chain ON audit_entry (workspace_id, "position") WHERE hash IS NOT NULL;

CREATE TABLE audit_head (
  workspace_id uuid NOT NULL,
  "position" bigint NOT NULL,
  hash bytea NOT NULL,
  tree_size bigint DEFAULT 0 NOT NULL,
  root bytea,
  peaks bytea
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE audit_head ADD CONSTRAINT audit_head_pkey PRIMARY KEY (workspace_id);

CREATE TABLE audit_block (
  workspace_id uuid NOT NULL,
  first_leaf bigint NOT NULL,
  line_ids uuid[],
  last_position bigint NOT NULL,
  leaves bytea NOT NULL,
  peaks bytea NOT NULL,
  root bytea NOT NULL
);
CREATE INDEX audit_block_workspace_id_last_position_idx ON audit_block (workspace_id, last_position);
-- After the other index: of two that cost an empty table the same, the planner takes the last.
ALTER TABLE audit_block ADD CONSTRAINT audit_block_pkey PRIMARY KEY (workspace_id, first_leaf);

-- batches

CREATE TYPE batch_kind AS ENUM ('transfers', 'acp_checkouts', 'ucp_checkouts');
CREATE TYPE batch_mode AS ENUM ('independent', 'atomic');
CREATE TYPE batch_status AS ENUM ('pending', 'processing', 'completed', 'failed');

CREATE TABLE batch (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  kind batch_kind NOT NULL,
  status batch_status NOT NULL,
  mode batch_mode NOT NULL,
  reference text,
  total_count integer NOT NULL,
  success_count integer DEFAULT 0 NOT NULL,
  failed_count integer DEFAULT 0 NOT NULL,
  total_amount bigint NOT NULL,
  currency text,
  totals jsonb NOT NULL,
  metadata jsonb DEFAULT '{}' NOT NULL,
  failure_code text,
  failure_message text,
  created_by_type initiator_type NOT NULL,
  created_by_id uuid NOT NULL,
  credential_kind text NOT NULL,
  credential_id text NOT NULL,
  agent_id uuid,
  trace_id text,
  created_at timestamptz(3) NOT NULL,
  started_at timestamptz(3),
  completed_at timestamptz(3),
  due_at timestamptz(3),
  lease_until timestamptz(3),
  CONSTRAINT batch_counts CHECK ((success_count >= 0) AND (failed_count >= 0) AND ((success_count + failed_count) <= total_count)),
  CONSTRAINT batch_due_while_open CHECK ((due_at IS NULL) OR (status IN ('pending', 'processing')))
);
CREATE INDEX batch_workspace_id_status_id_idx ON batch (workspace_id, status, id);
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE batch ADD CONSTRAINT batch_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX batch_agent ON batch (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
-- What is due (docs/architecture.md "Time").
CREATE INDEX batch_due ON batch (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX batch_due_workspace ON batch (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX batch_leased ON batch (workspace_id) WHERE lease_until IS NOT NULL;

CREATE TYPE batch_item_status AS ENUM ('pending', 'succeeded', 'failed', 'skipped');

CREATE TABLE batch_item (
  workspace_id uuid NOT NULL,
  batch_id uuid NOT NULL,
  index integer NOT NULL,
  status batch_item_status NOT NULL,
  made_id uuid NOT NULL,
  input jsonb NOT NULL,
  error_code text,
  error_message text,
  CONSTRAINT batch_item_error CHECK ((error_code IS NOT NULL) = (status = 'failed'))
);
ALTER TABLE batch_item ADD CONSTRAINT batch_item_pkey PRIMARY KEY (workspace_id, batch_id, index);

-- cards

CREATE TABLE vaulted_card (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  agent_id uuid,
  processor text NOT NULL,
  sealed_token bytea,
  card_last_four text NOT NULL,
  card_brand text NOT NULL,
  expiry_month integer NOT NULL,
  expiry_year integer NOT NULL,
  label text,
  billing_address jsonb,
  created_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3),
  limit_categories text[] DEFAULT ARRAY[]::text[],
  limit_currency text,
  limit_daily bigint,
  limit_monthly bigint,
  limit_per_tx bigint,
  CONSTRAINT vaulted_card_last_four CHECK ((card_last_four ~ '^[0-9]{4}$') AND ((expiry_month >= 1) AND (expiry_month <= 12))),
  -- Limits of a card are in one currency, and a card without limits has none.
  CONSTRAINT vaulted_card_limits CHECK (((limit_currency IS NOT NULL) OR (COALESCE(limit_per_tx, limit_daily, limit_monthly) IS NULL))
    AND (COALESCE(limit_per_tx, 1) > 0) AND (COALESCE(limit_daily, 1) > 0) AND (COALESCE(limit_monthly, 1) > 0)),
  -- The token of a deleted card is gone, and no other card is without one.
  CONSTRAINT vaulted_card_token CHECK ((sealed_token IS NULL) = (deleted_at IS NOT NULL))
);
CREATE INDEX vaulted_card_workspace_id_account_id_id_idx ON vaulted_card (workspace_id, account_id, id);
CREATE INDEX vaulted_card_workspace_id_agent_id_id_idx ON vaulted_card (workspace_id, agent_id, id);
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE vaulted_card ADD CONSTRAINT vaulted_card_pkey PRIMARY KEY (workspace_id, id);

CREATE TYPE card_charge_status AS ENUM ('pending', 'paid', 'failed');

CREATE TABLE card_charge (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  transfer_id uuid NOT NULL,
  card_id uuid NOT NULL,
  merchant_id uuid NOT NULL,
  wallet_id uuid NOT NULL,
  subject_type text NOT NULL,
  subject_id uuid NOT NULL,
  status card_charge_status NOT NULL,
  amount bigint NOT NULL,
  fee bigint NOT NULL,
  currency text NOT NULL,
  rail text NOT NULL,
  rail_reference text,
  submitted_at timestamptz(3),
  submissions integer DEFAULT 0 NOT NULL,
  asked integer DEFAULT 0 NOT NULL,
  error_code text,
  created_at timestamptz(3) NOT NULL,
  confirmed_at timestamptz(3),
  completed_at timestamptz(3),
  returned_at timestamptz(3),
  shortfall bigint DEFAULT 0 NOT NULL,
  lane uuid NOT NULL,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  agent_id uuid,
  CONSTRAINT card_charge_amount CHECK ((amount > 0) AND ((fee >= 0) AND (fee <= amount)) AND ((shortfall >= 0)
    AND (shortfall <= amount)) AND ((returned_at IS NULL) OR (status = 'paid')))
);
CREATE INDEX card_charge_workspace_id_card_id_id_idx ON card_charge (workspace_id, card_id, id);
CREATE UNIQUE INDEX card_charge_workspace_id_transfer_id_key ON card_charge (workspace_id, transfer_id);
CREATE UNIQUE INDEX card_charge_reference ON card_charge (workspace_id, rail, rail_reference) WHERE rail_reference IS NOT NULL;
-- A thing is paid for once: a charge that failed may be followed by another one.
CREATE UNIQUE INDEX card_charge_subject ON card_charge (workspace_id, subject_type, subject_id) WHERE status <> 'failed';
-- What keeps a wallet from being closed.
CREATE INDEX card_charge_open ON card_charge (workspace_id, wallet_id) WHERE status = 'pending';
CREATE INDEX card_charge_due ON card_charge (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX card_charge_due_workspace ON card_charge (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX card_charge_lane ON card_charge (lane, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX card_charge_leased ON card_charge (workspace_id, lane) WHERE lease_until IS NOT NULL;
ALTER TABLE card_charge ADD CONSTRAINT card_charge_pkey PRIMARY KEY (workspace_id, id);

CREATE TABLE payment_handler (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  processor text NOT NULL,
  connected_at timestamptz(3) NOT NULL,
  disconnected_at timestamptz(3)
);
CREATE UNIQUE INDEX payment_handler_workspace_id_processor_key ON payment_handler (workspace_id, processor);
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE payment_handler ADD CONSTRAINT payment_handler_pkey PRIMARY KEY (workspace_id, id);

CREATE TABLE card_verification (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  agent_id uuid,
  network text,
  rejection_reason text,
  nonce_hash bytea,
  merchant_ref text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  description text,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3),
  instruction_id uuid,
  kept_until timestamptz(3) NOT NULL,
  -- What can be used was verified, and is used once.
  CONSTRAINT card_verification_outcome CHECK (((expires_at IS NULL) = (rejection_reason IS NOT NULL)) AND ((expires_at IS NULL)
    OR ((agent_id IS NOT NULL) AND (network IS NOT NULL) AND (nonce_hash IS NOT NULL))) AND ((instruction_id IS NULL)
    OR (expires_at IS NOT NULL)) AND (amount > 0))
);
CREATE INDEX card_verification_kept_until_idx ON card_verification (kept_until);
CREATE UNIQUE INDEX card_verification_workspace_id_agent_id_nonce_hash_key ON card_verification (workspace_id, agent_id, nonce_hash);
ALTER TABLE card_verification ADD CONSTRAINT card_verification_pkey PRIMARY KEY (workspace_id, id);

CREATE TYPE card_instruction_status AS ENUM ('pending', 'submitted', 'approved', 'declined', 'failed', 'cancelled');
CREATE TYPE card_instruction_type AS ENUM ('authorize', 'cancel', 'refund');

CREATE TABLE card_instruction (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  agent_id uuid NOT NULL,
  account_id uuid NOT NULL,
  network text NOT NULL,
  type card_instruction_type NOT NULL,
  status card_instruction_status DEFAULT 'pending' NOT NULL,
  payload jsonb NOT NULL,
  amount bigint,
  currency text,
  merchant_ref text,
  original_id uuid,
  refunded bigint DEFAULT 0 NOT NULL,
  approval_id uuid,
  decision_id uuid,
  reference text,
  submitted_at timestamptz(3),
  submissions integer DEFAULT 0 NOT NULL,
  asked integer DEFAULT 0 NOT NULL,
  authorization_code text,
  reason_code text,
  reason_message text,
  requested_by_type initiator_type NOT NULL,
  requested_by_id uuid NOT NULL,
  trace_id text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  lane uuid NOT NULL,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  CONSTRAINT card_instruction_parts CHECK (((type = 'authorize') = (original_id IS NULL)) AND ((type = 'cancel') = (amount IS NULL))
    AND ((amount IS NULL) = (currency IS NULL)) AND (COALESCE(amount, 1) > 0) AND ((refunded >= 0)
    AND (refunded <= COALESCE(amount, 0))) AND ((merchant_ref IS NOT NULL) OR (type <> 'authorize')))
);
CREATE INDEX card_instruction_workspace_id_agent_id_id_idx ON card_instruction (workspace_id, agent_id, id);
CREATE INDEX card_instruction_workspace_id_status_id_idx ON card_instruction (workspace_id, status, id);
CREATE INDEX card_instruction_workspace_id_original_id_id_idx ON card_instruction (workspace_id, original_id, id);
CREATE UNIQUE INDEX card_instruction_reference ON card_instruction (workspace_id, network, reference) WHERE reference IS NOT NULL;
-- An authorization is called off once: a cancellation that failed may be followed by another one.
CREATE UNIQUE INDEX card_instruction_cancel ON card_instruction (workspace_id, original_id) WHERE (type = 'cancel')
  AND (status IN ('pending', 'submitted', 'approved'));
CREATE INDEX card_instruction_due ON card_instruction (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX card_instruction_due_workspace ON card_instruction (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX card_instruction_lane ON card_instruction (lane, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX card_instruction_leased ON card_instruction (workspace_id, lane) WHERE lease_until IS NOT NULL;
ALTER TABLE card_instruction ADD CONSTRAINT card_instruction_pkey PRIMARY KEY (workspace_id, id);

CREATE TABLE network_message (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  network text NOT NULL,
  reference text NOT NULL,
  type card_instruction_type NOT NULL,
  original_reference text,
  amount bigint,
  currency text,
  outcome text NOT NULL,
  code text,
  answers_at timestamptz(3) NOT NULL,
  cancelled_at timestamptz(3),
  refunded bigint DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT network_message_refunded CHECK ((refunded >= 0) AND (refunded <= COALESCE(amount, 0)))
);
CREATE UNIQUE INDEX network_message_workspace_id_network_reference_key ON network_message (workspace_id, network, reference);
ALTER TABLE network_message ADD CONSTRAINT network_message_pkey PRIMARY KEY (workspace_id, id);

-- channel

CREATE TABLE agent_channel (
  workspace_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  last_seq bigint DEFAULT 0 NOT NULL,
  last_disconnect_at timestamptz(3),
  CONSTRAINT agent_channel_counts_up CHECK (last_seq >= 0)
);
ALTER TABLE agent_channel ADD CONSTRAINT agent_channel_pkey PRIMARY KEY (workspace_id, agent_id);

CREATE TABLE agent_event (
  workspace_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  seq bigint NOT NULL,
  event_id uuid NOT NULL,
  type text,
  data jsonb,
  created_at timestamptz(3) NOT NULL,
  role text
);
ALTER TABLE agent_event ADD CONSTRAINT agent_event_pkey PRIMARY KEY (workspace_id, agent_id, seq);
ALTER TABLE agent_event ADD CONSTRAINT agent_event_says_once CHECK (((role IS NULL) = (data IS NOT NULL))
  AND ((role IS NULL) = (type IS NOT NULL)));

CREATE TABLE agent_connection (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  agent_id uuid NOT NULL,
  session_id uuid NOT NULL,
  connected_at timestamptz(3) NOT NULL,
  last_heartbeat_at timestamptz(3) NOT NULL
);
ALTER TABLE agent_connection ADD CONSTRAINT agent_connection_pkey PRIMARY KEY (workspace_id, id);
CREATE UNIQUE INDEX agent_connection_workspace_id_session_id_key ON agent_connection (workspace_id, session_id);
CREATE INDEX agent_connection_workspace_id_agent_id_idx ON agent_connection (workspace_id, agent_id);

-- checkouts

CREATE TYPE checkout_payment_kind AS ENUM ('wallet', 'mandate', 'card', 'x402');
CREATE TYPE checkout_payment_method AS ENUM ('card', 'bank', 'stablecoin');
CREATE TYPE checkout_status AS ENUM ('created', 'pending_payment', 'paid', 'fulfilled', 'failed', 'expired', 'cancelled');

CREATE TABLE checkout (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  protocol protocol NOT NULL,
  merchant_id uuid NOT NULL,
  merchant_account_id uuid NOT NULL,
  status checkout_status NOT NULL,
  items jsonb NOT NULL,
  currency text NOT NULL,
  fulfillment_amount bigint DEFAULT 0 NOT NULL,
  tax_amount bigint DEFAULT 0 NOT NULL,
  total bigint NOT NULL,
  shipping_address jsonb,
  payment_method checkout_payment_method DEFAULT 'card' NOT NULL,
  secret_hash bytea NOT NULL,
  metadata jsonb DEFAULT '{}' NOT NULL,
  details jsonb,
  success_url text,
  cancel_url text,
  created_by_type initiator_type NOT NULL,
  created_by_id uuid NOT NULL,
  creator_agent_id uuid,
  agent_id uuid,
  payer_agent_id uuid,
  batch_id uuid,
  trace_id text,
  paid_by checkout_payment_kind,
  transfer_id uuid,
  approval_id uuid,
  failure_code text,
  failure_message text,
  cancel_reason text,
  intent_trace jsonb,
  tracking text,
  delivered_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  attempted_at timestamptz(3),
  paid_at timestamptz(3),
  fulfilled_at timestamptz(3),
  ended_at timestamptz(3),
  due_at timestamptz(3),
  lease_until timestamptz(3),
  CONSTRAINT checkout_bounds CHECK ((protocol IN ('acp', 'ucp')) AND (total > 0) AND (fulfillment_amount >= 0) AND (tax_amount >= 0)
    AND (expires_at > created_at) AND ((jsonb_array_length(items) >= 1) AND (jsonb_array_length(items) <= 100))),
  -- What was paid has a transfer, and only it has been paid; what has ended is not due.
  CONSTRAINT checkout_payment CHECK (((status IN ('paid', 'fulfilled')) = (paid_at IS NOT NULL)) AND ((paid_at IS NULL)
    OR (transfer_id IS NOT NULL)) AND ((status = 'fulfilled') = (fulfilled_at IS NOT NULL))
    AND ((status IN ('cancelled', 'expired')) = (ended_at IS NOT NULL)) AND ((due_at IS NULL)
    OR (status IN ('created', 'pending_payment', 'failed'))))
);
CREATE INDEX checkout_workspace_id_protocol_id_idx ON checkout (workspace_id, protocol, id);
CREATE INDEX checkout_workspace_id_protocol_status_id_idx ON checkout (workspace_id, protocol, status, id);
CREATE INDEX checkout_workspace_id_merchant_id_id_idx ON checkout (workspace_id, merchant_id, id);
CREATE INDEX checkout_due ON checkout (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX checkout_due_workspace ON checkout (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX checkout_leased ON checkout (workspace_id) WHERE lease_until IS NOT NULL;
CREATE INDEX checkout_workspace_id_merchant_account_id_id_idx ON checkout (workspace_id, merchant_account_id, id);
CREATE INDEX checkout_creator_agent ON checkout (workspace_id, creator_agent_id, id) WHERE creator_agent_id IS NOT NULL;
CREATE INDEX checkout_agent ON checkout (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX checkout_payer_agent ON checkout (workspace_id, payer_agent_id, id) WHERE payer_agent_id IS NOT NULL;
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE checkout ADD CONSTRAINT checkout_pkey PRIMARY KEY (workspace_id, id);
-- An x402 payment pays one checkout; a refund of it finds that one.
CREATE UNIQUE INDEX checkout_x402_payment ON checkout (workspace_id, transfer_id) WHERE paid_by = 'x402';
-- Checkouts that have not ended, which no rollup has counted yet.
CREATE INDEX checkout_open ON checkout (workspace_id, id) WHERE status IN ('created', 'pending_payment', 'failed');

-- funding

CREATE TYPE funding_status AS ENUM ('pending', 'completed', 'failed');
CREATE TYPE funding_type AS ENUM ('card', 'bank_transfer', 'stablecoin', 'sandbox');

CREATE TABLE funding_transaction (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  transfer_id uuid NOT NULL,
  wallet_id uuid NOT NULL,
  wallet_agent_id uuid,
  provider text NOT NULL,
  type funding_type NOT NULL,
  status funding_status NOT NULL,
  amount bigint NOT NULL,
  fee bigint NOT NULL,
  currency text NOT NULL,
  rail text NOT NULL,
  source_ref text,
  rail_reference text,
  submitted_at timestamptz(3),
  submissions integer DEFAULT 0 NOT NULL,
  asked integer DEFAULT 0 NOT NULL,
  error_code text,
  return_reason text,
  return_code text,
  shortfall bigint DEFAULT 0 NOT NULL,
  expected_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  confirmed_at timestamptz(3),
  completed_at timestamptz(3),
  returned_at timestamptz(3),
  lane uuid NOT NULL,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  CONSTRAINT funding_amount CHECK ((amount > 0) AND ((fee >= 0) AND (fee <= (amount - 1))) AND ((shortfall >= 0) AND (shortfall <= amount)))
);
CREATE INDEX funding_transaction_workspace_id_wallet_id_id_idx ON funding_transaction (workspace_id, wallet_id, id);
CREATE INDEX funding_transaction_workspace_id_provider_id_idx ON funding_transaction (workspace_id, provider, id);
CREATE UNIQUE INDEX funding_transaction_workspace_id_transfer_id_key ON funding_transaction (workspace_id, transfer_id);
CREATE UNIQUE INDEX funding_reference ON funding_transaction (workspace_id, rail, rail_reference) WHERE rail_reference IS NOT NULL;
CREATE INDEX funding_wallet_agent ON funding_transaction (workspace_id, wallet_agent_id, id) WHERE wallet_agent_id IS NOT NULL;
CREATE INDEX funding_status ON funding_transaction (workspace_id, status, id) WHERE status <> 'completed';
-- What keeps a wallet from being closed.
CREATE INDEX funding_open ON funding_transaction (workspace_id, wallet_id) WHERE status = 'pending';
CREATE INDEX funding_due ON funding_transaction (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX funding_due_workspace ON funding_transaction (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX funding_lane ON funding_transaction (lane, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX funding_leased ON funding_transaction (workspace_id, lane) WHERE lease_until IS NOT NULL;
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE funding_transaction ADD CONSTRAINT funding_transaction_pkey PRIMARY KEY (workspace_id, id);

-- mandates

CREATE TABLE mandate (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  version integer NOT NULL,
  version_id uuid NOT NULL,
  currency text NOT NULL,
  max_per_tx bigint,
  max_per_day bigint,
  max_per_month bigint,
  allowed_categories text[],
  allowed_merchants uuid[],
  blocked_merchants uuid[],
  sealed_jwt bytea NOT NULL,
  jwt_hash bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  metadata jsonb DEFAULT '{}' NOT NULL,
  revoked_at timestamptz(3),
  revoked_by text,
  revoked_reason text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  CONSTRAINT mandate_limits CHECK ((COALESCE(max_per_tx, max_per_day, max_per_month) IS NOT NULL) AND (COALESCE(max_per_tx, 1) > 0)
    AND (COALESCE(max_per_day, 1) > 0) AND (COALESCE(max_per_month, 1) > 0))
);
CREATE INDEX mandate_workspace_id_agent_id_id_idx ON mandate (workspace_id, agent_id, id);
CREATE INDEX mandate_workspace_id_account_id_id_idx ON mandate (workspace_id, account_id, id);
CREATE UNIQUE INDEX mandate_workspace_id_version_id_key ON mandate (workspace_id, version_id);
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE mandate ADD CONSTRAINT mandate_pkey PRIMARY KEY (workspace_id, id);
-- Those that run.
CREATE INDEX mandate_running ON mandate (workspace_id, expires_at) WHERE revoked_at IS NULL;
CREATE INDEX mandate_due ON mandate (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX mandate_due_workspace ON mandate (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX mandate_leased ON mandate (workspace_id) WHERE lease_until IS NOT NULL;

CREATE TABLE mandate_version (
  workspace_id uuid NOT NULL,
  mandate_id uuid NOT NULL,
  version integer NOT NULL,
  scope jsonb NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL
);
ALTER TABLE mandate_version ADD CONSTRAINT mandate_version_pkey PRIMARY KEY (workspace_id, mandate_id, version);

-- mpp

CREATE TYPE mpp_session_status AS ENUM ('pending', 'open', 'closing', 'closed', 'expired');

CREATE TABLE mpp_session (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  service_url text NOT NULL,
  wallet_id uuid NOT NULL,
  payee_wallet_id uuid NOT NULL,
  account_id uuid NOT NULL,
  payee_account_id uuid NOT NULL,
  wallet_agent_id uuid,
  payee_agent_id uuid,
  agent_id uuid NOT NULL,
  currency text NOT NULL,
  escrow_account_id uuid NOT NULL,
  status mpp_session_status NOT NULL,
  status_reason text,
  deposited bigint NOT NULL,
  accepted bigint DEFAULT 0 NOT NULL,
  settled bigint DEFAULT 0 NOT NULL,
  returned bigint DEFAULT 0 NOT NULL,
  max_voucher bigint,
  sequence integer DEFAULT 0 NOT NULL,
  voucher_key bytea NOT NULL,
  sealed_key bytea NOT NULL,
  approval_id uuid,
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  CONSTRAINT mpp_session_due CHECK ((due_at IS NULL) OR (status IN ('open', 'closing', 'pending'))),
  -- Vouchers never promise more than was put in; what has ended has paid or returned all of it, and is not due.
  CONSTRAINT mpp_session_sums CHECK ((deposited > 0) AND ((accepted >= 0) AND (accepted <= deposited)) AND ((settled >= 0)
    AND (settled <= accepted)) AND (returned >= 0) AND ((status IN ('closed', 'expired')) = ((settled + returned) = deposited)))
);
CREATE INDEX mpp_session_workspace_id_wallet_id_id_idx ON mpp_session (workspace_id, wallet_id, id);
CREATE INDEX mpp_session_workspace_id_payee_wallet_id_id_idx ON mpp_session (workspace_id, payee_wallet_id, id);
CREATE INDEX mpp_session_workspace_id_status_id_idx ON mpp_session (workspace_id, status, id);
CREATE INDEX mpp_session_workspace_id_agent_id_id_idx ON mpp_session (workspace_id, agent_id, id);
-- What belongs to agents by their wallets.
CREATE INDEX mpp_session_wallet_agent ON mpp_session (workspace_id, wallet_agent_id, id) WHERE wallet_agent_id IS NOT NULL;
CREATE INDEX mpp_session_payee_agent ON mpp_session (workspace_id, payee_agent_id, id) WHERE payee_agent_id IS NOT NULL;
CREATE INDEX mpp_session_due ON mpp_session (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX mpp_session_due_workspace ON mpp_session (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX mpp_session_leased ON mpp_session (workspace_id) WHERE lease_until IS NOT NULL;
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE mpp_session ADD CONSTRAINT mpp_session_pkey PRIMARY KEY (workspace_id, id);

CREATE TABLE mpp_deposit (
  workspace_id uuid NOT NULL,
  transfer_id uuid NOT NULL,
  session_id uuid NOT NULL
);
CREATE INDEX mpp_deposit_workspace_id_session_id_transfer_id_idx ON mpp_deposit (workspace_id, session_id, transfer_id);
ALTER TABLE mpp_deposit ADD CONSTRAINT mpp_deposit_pkey PRIMARY KEY (workspace_id, transfer_id);

CREATE TABLE mpp_voucher (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  session_id uuid NOT NULL,
  sequence integer NOT NULL,
  amount bigint NOT NULL,
  cumulative_amount bigint NOT NULL,
  description text,
  request_id text,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT mpp_voucher_sums CHECK ((amount > 0) AND (cumulative_amount >= amount))
);
CREATE UNIQUE INDEX mpp_voucher_workspace_id_session_id_sequence_key ON mpp_voucher (workspace_id, session_id, sequence);
CREATE UNIQUE INDEX mpp_voucher_request ON mpp_voucher (workspace_id, session_id, request_id) WHERE request_id IS NOT NULL;
ALTER TABLE mpp_voucher ADD CONSTRAINT mpp_voucher_pkey PRIMARY KEY (workspace_id, id);

-- rates

CREATE TABLE rate (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  from_currency text NOT NULL,
  to_currency text NOT NULL,
  rate text NOT NULL,
  as_of timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL
);
ALTER TABLE rate ADD CONSTRAINT rate_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX rate_workspace_id_from_currency_to_currency_id_idx ON rate (workspace_id, from_currency, to_currency, id);

-- reconciliation

CREATE TYPE report_phase AS ENUM ('ledger', 'statement', 'same_day', 'next_day', 'day_before', 'remainder');
CREATE TYPE report_status AS ENUM ('running', 'completed', 'failed');

CREATE TABLE reconciliation_report (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  rail text NOT NULL,
  status report_status NOT NULL,
  date_from date NOT NULL,
  date_to date NOT NULL,
  phase report_phase NOT NULL,
  cursor jsonb,
  failures integer DEFAULT 0 NOT NULL,
  matched integer DEFAULT 0 NOT NULL,
  unmatched_ledger integer DEFAULT 0 NOT NULL,
  unmatched_rail integer DEFAULT 0 NOT NULL,
  discrepancies integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  completed_at timestamptz(3),
  due_at timestamptz(3),
  lease_until timestamptz(3)
);
CREATE INDEX reconciliation_report_workspace_id_rail_id_idx ON reconciliation_report (workspace_id, rail, id);
CREATE INDEX reconciliation_report_status ON reconciliation_report (workspace_id, status, id) WHERE status <> 'completed';
CREATE INDEX reconciliation_report_due ON reconciliation_report (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX reconciliation_report_due_workspace ON reconciliation_report (workspace_id, due_at) WHERE (due_at IS NOT NULL)
  AND (lease_until IS NULL);
CREATE INDEX reconciliation_report_leased ON reconciliation_report (workspace_id) WHERE lease_until IS NOT NULL;
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE reconciliation_report ADD CONSTRAINT reconciliation_report_pkey PRIMARY KEY (workspace_id, id);

CREATE TYPE remainder_side AS ENUM ('ledger', 'rail');
CREATE TYPE statement_direction AS ENUM ('credit', 'debit');

CREATE TABLE reconciliation_remainder (
  workspace_id uuid NOT NULL,
  report_id uuid NOT NULL,
  side remainder_side NOT NULL,
  direction statement_direction NOT NULL,
  amount bigint NOT NULL,
  day date NOT NULL,
  line_id uuid NOT NULL,
  reference text,
  payout_id uuid
);
ALTER TABLE reconciliation_remainder ADD CONSTRAINT reconciliation_remainder_pkey
  PRIMARY KEY (workspace_id, report_id, side, direction, amount, day, line_id);

CREATE TYPE discrepancy_resolution AS ENUM ('adjusted', 'written_off', 'chasing', 'no_action');
CREATE TYPE discrepancy_status AS ENUM ('open', 'chasing', 'resolved', 'cleared');
CREATE TYPE discrepancy_type AS ENUM ('ledger_only', 'rail_only', 'amount_mismatch', 'timing_mismatch', 'duplicate');

CREATE TABLE discrepancy (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  report_id uuid NOT NULL,
  rail text NOT NULL,
  type discrepancy_type NOT NULL,
  status discrepancy_status NOT NULL,
  ledger_entry_id uuid,
  rail_entry_id uuid,
  reference text,
  payout_id uuid,
  direction statement_direction NOT NULL,
  expected_amount bigint,
  actual_amount bigint,
  currency text NOT NULL,
  resolution discrepancy_resolution,
  note text,
  adjustment_transfer_id uuid,
  detected_at timestamptz(3) NOT NULL,
  resolved_at timestamptz(3)
);
-- A discrepancy is one thing, however many runs find it.
CREATE UNIQUE INDEX discrepancy_of_ledger ON discrepancy (workspace_id, ledger_entry_id, type) WHERE ledger_entry_id IS NOT NULL;
CREATE UNIQUE INDEX discrepancy_of_rail ON discrepancy (workspace_id, rail_entry_id, type) WHERE ledger_entry_id IS NULL;
CREATE INDEX discrepancy_open ON discrepancy (workspace_id, status, id) WHERE status IN ('open', 'chasing');
ALTER TABLE discrepancy ADD CONSTRAINT discrepancy_pkey PRIMARY KEY (workspace_id, id);

CREATE TABLE reconciliation_finding (
  workspace_id uuid NOT NULL,
  report_id uuid NOT NULL,
  discrepancy_id uuid NOT NULL
);
ALTER TABLE reconciliation_finding ADD CONSTRAINT reconciliation_finding_pkey PRIMARY KEY (workspace_id, report_id, discrepancy_id);

-- refunds

CREATE TYPE refund_reason AS ENUM (
  'duplicate_payment', 'customer_request', 'service_not_rendered', 'amount_incorrect', 'unauthorized', 'order_cancelled', 'other'
);
CREATE TYPE refund_status AS ENUM ('pending', 'processing', 'completed', 'failed', 'cancelled');

CREATE TABLE refund (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  original_transfer_id uuid NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  reason refund_reason NOT NULL,
  reason_details text,
  status refund_status NOT NULL,
  refund_transfer_id uuid,
  dispute_id uuid,
  payer_agent_id uuid,
  payee_agent_id uuid,
  initiated_by_type initiator_type NOT NULL,
  initiated_by_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL,
  completed_at timestamptz(3),
  CONSTRAINT refund_amount_positive CHECK (amount > 0)
);
CREATE INDEX refund_workspace_id_original_transfer_id_id_idx ON refund (workspace_id, original_transfer_id, id);
CREATE INDEX refund_workspace_id_status_id_idx ON refund (workspace_id, status, id);
CREATE INDEX refund_payer_agent ON refund (workspace_id, payer_agent_id, id) WHERE payer_agent_id IS NOT NULL;
CREATE INDEX refund_payee_agent ON refund (workspace_id, payee_agent_id, id) WHERE payee_agent_id IS NOT NULL;
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE refund ADD CONSTRAINT refund_pkey PRIMARY KEY (workspace_id, id);

CREATE TYPE dispute_reason AS ENUM (
  'service_not_received', 'duplicate_charge', 'unauthorized', 'amount_incorrect', 'quality_issue', 'other'
);
CREATE TYPE dispute_resolution AS ENUM ('refund_full', 'refund_partial', 'rejected', 'withdrawn');
CREATE TYPE dispute_status AS ENUM ('open', 'under_review', 'escalated', 'resolved');

CREATE TABLE dispute (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  transfer_id uuid NOT NULL,
  status dispute_status NOT NULL,
  reason dispute_reason NOT NULL,
  description text NOT NULL,
  amount_disputed bigint NOT NULL,
  currency text NOT NULL,
  requested_resolution dispute_resolution,
  evidence jsonb DEFAULT '[]' NOT NULL,
  response text,
  respond_by timestamptz(3) NOT NULL,
  resolution dispute_resolution,
  notes text,
  refund_id uuid,
  payer_agent_id uuid,
  payee_agent_id uuid,
  filed_by_type initiator_type NOT NULL,
  filed_by_id uuid NOT NULL,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  responded_at timestamptz(3),
  escalated_at timestamptz(3),
  resolved_at timestamptz(3)
);
CREATE INDEX dispute_workspace_id_transfer_id_id_idx ON dispute (workspace_id, transfer_id, id);
CREATE INDEX dispute_workspace_id_status_id_idx ON dispute (workspace_id, status, id);
CREATE INDEX dispute_payer_agent ON dispute (workspace_id, payer_agent_id, id) WHERE payer_agent_id IS NOT NULL;
CREATE INDEX dispute_payee_agent ON dispute (workspace_id, payee_agent_id, id) WHERE payee_agent_id IS NOT NULL;
-- One dispute of a transfer at a time.
CREATE UNIQUE INDEX dispute_one_open ON dispute (workspace_id, transfer_id) WHERE status <> 'resolved';
CREATE INDEX dispute_due ON dispute (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX dispute_due_workspace ON dispute (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX dispute_leased ON dispute (workspace_id) WHERE lease_until IS NOT NULL;
ALTER TABLE dispute ADD CONSTRAINT dispute_pkey PRIMARY KEY (workspace_id, id);

CREATE TYPE card_refund_status AS ENUM ('pending', 'paid', 'failed');

CREATE TABLE card_refund (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  transfer_id uuid NOT NULL,
  charge_id uuid NOT NULL,
  status card_refund_status NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  rail text NOT NULL,
  rail_reference text,
  submitted_at timestamptz(3),
  submissions integer DEFAULT 0 NOT NULL,
  asked integer DEFAULT 0 NOT NULL,
  error_code text,
  created_at timestamptz(3) NOT NULL,
  confirmed_at timestamptz(3),
  completed_at timestamptz(3),
  returned_at timestamptz(3),
  lane uuid NOT NULL,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  CONSTRAINT card_refund_amount CHECK ((amount > 0) AND ((returned_at IS NULL) OR (status = 'paid')))
);
CREATE INDEX card_refund_workspace_id_charge_id_id_idx ON card_refund (workspace_id, charge_id, id);
CREATE UNIQUE INDEX card_refund_workspace_id_transfer_id_key ON card_refund (workspace_id, transfer_id);
CREATE UNIQUE INDEX card_refund_reference ON card_refund (workspace_id, rail, rail_reference) WHERE rail_reference IS NOT NULL;
CREATE INDEX card_refund_due ON card_refund (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX card_refund_due_workspace ON card_refund (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX card_refund_lane ON card_refund (lane, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX card_refund_leased ON card_refund (workspace_id, lane) WHERE lease_until IS NOT NULL;
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE card_refund ADD CONSTRAINT card_refund_pkey PRIMARY KEY (workspace_id, id);

-- settlement

CREATE TYPE bank_rail AS ENUM ('ach', 'wire', 'pix', 'spei', 'sepa');

CREATE TABLE bank_account (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  rail bank_rail NOT NULL,
  holder_name text NOT NULL,
  sealed_details bytea,
  last4 text NOT NULL,
  is_default boolean NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3)
);
CREATE INDEX bank_account_workspace_id_account_id_id_idx ON bank_account (workspace_id, account_id, id);
-- One bank account of an account is its default.
CREATE UNIQUE INDEX bank_account_default ON bank_account (workspace_id, account_id) WHERE is_default AND (deleted_at IS NULL);
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE bank_account ADD CONSTRAINT bank_account_pkey PRIMARY KEY (workspace_id, id);

CREATE TYPE payout_destination AS ENUM ('bank', 'wallet');
CREATE TYPE payout_status AS ENUM ('pending', 'confirmed', 'complete', 'failed', 'returned');

CREATE TABLE payout (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  transfer_id uuid NOT NULL,
  wallet_id uuid NOT NULL,
  agent_id uuid,
  wallet_agent_id uuid,
  status payout_status NOT NULL,
  amount bigint NOT NULL,
  fee bigint NOT NULL,
  currency text NOT NULL,
  rail text NOT NULL,
  destination_type payout_destination NOT NULL,
  destination_ref text NOT NULL,
  bank_account_id uuid,
  sealed_destination bytea,
  description text,
  rail_reference text,
  submitted_at timestamptz(3),
  submissions integer DEFAULT 0 NOT NULL,
  asked integer DEFAULT 0 NOT NULL,
  error_code text,
  return_reason text,
  return_code text,
  expected_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  confirmed_at timestamptz(3),
  completed_at timestamptz(3),
  lane uuid NOT NULL,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  batch_reference text,
  window_id uuid,
  CONSTRAINT payout_amount_positive CHECK ((amount > 0) AND (fee >= 0))
);
CREATE UNIQUE INDEX payout_workspace_id_transfer_id_key ON payout (workspace_id, transfer_id);
CREATE INDEX payout_workspace_id_wallet_id_id_idx ON payout (workspace_id, wallet_id, id);
CREATE UNIQUE INDEX payout_reference ON payout (workspace_id, rail, rail_reference) WHERE rail_reference IS NOT NULL;
CREATE INDEX payout_agent ON payout (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX payout_wallet_agent ON payout (workspace_id, wallet_agent_id, id) WHERE wallet_agent_id IS NOT NULL;
CREATE INDEX payout_status ON payout (workspace_id, status, id) WHERE status <> 'complete';
-- What keeps a wallet from being closed, and a bank account from being deleted.
CREATE INDEX payout_open ON payout (workspace_id, wallet_id) WHERE status IN ('pending', 'confirmed');
CREATE INDEX payout_open_bank ON payout (workspace_id, bank_account_id) WHERE (status IN ('pending', 'confirmed'))
  AND (bank_account_id IS NOT NULL);
CREATE INDEX payout_due ON payout (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX payout_due_workspace ON payout (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX payout_lane ON payout (lane, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX payout_leased ON payout (workspace_id, lane) WHERE lease_until IS NOT NULL;
ALTER TABLE payout ADD CONSTRAINT payout_pkey PRIMARY KEY (workspace_id, id);
-- Payouts that wait for their window.
CREATE INDEX payout_waiting ON payout (workspace_id, window_id, id) INCLUDE (amount) WHERE (status = 'pending')
  AND (window_id IS NOT NULL) AND (batch_reference IS NULL);

CREATE TYPE rail_direction AS ENUM ('out', 'in');
CREATE TYPE rail_order_state AS ENUM ('accepted', 'settled', 'rejected', 'returned');

CREATE TABLE rail_order (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  rail text NOT NULL,
  reference text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  state rail_order_state NOT NULL,
  told rail_order_state NOT NULL,
  faults text[],
  code text,
  settles_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  direction rail_direction DEFAULT 'out' NOT NULL
);
CREATE UNIQUE INDEX rail_order_workspace_id_rail_reference_key ON rail_order (workspace_id, rail, reference);
CREATE INDEX rail_order_due ON rail_order (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX rail_order_due_workspace ON rail_order (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX rail_order_leased ON rail_order (workspace_id) WHERE lease_until IS NOT NULL;
ALTER TABLE rail_order ADD CONSTRAINT rail_order_pkey PRIMARY KEY (workspace_id, id);

CREATE TABLE rail_statement (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  rail text NOT NULL,
  reference text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  direction statement_direction NOT NULL,
  description text,
  booked_at timestamptz(3) NOT NULL,
  import_id uuid
);
CREATE INDEX rail_statement_workspace_id_rail_id_idx ON rail_statement (workspace_id, rail, id);
CREATE INDEX rail_statement_workspace_id_rail_reference_direction_booked_idx ON rail_statement (workspace_id, rail, reference, direction,
  booked_at, id);
-- By day and not by instant, so that nobody takes it for the one that finds the first line of a reference.
CREATE INDEX rail_statement_day ON rail_statement (workspace_id, rail, (((booked_at AT TIME ZONE 'UTC'))::date), id);
CREATE INDEX rail_statement_import ON rail_statement (workspace_id, import_id) WHERE import_id IS NOT NULL;
ALTER TABLE rail_statement ADD CONSTRAINT rail_statement_pkey PRIMARY KEY (workspace_id, id);

CREATE TYPE rail_fault_kind AS ENUM ('latency', 'lost_ack', 'reject', 'return', 'duplicate_callback', 'amount_mismatch', 'out_of_order');

CREATE TABLE rail_fault (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  rail text NOT NULL,
  kind rail_fault_kind NOT NULL,
  probability integer,
  remaining integer,
  match_amount bigint,
  match_destination text,
  applied integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT rail_fault_counts CHECK ((remaining >= 0) AND ((probability >= 1) AND (probability <= 10000)))
);
CREATE INDEX rail_fault_workspace_id_rail_id_idx ON rail_fault (workspace_id, rail, id);
ALTER TABLE rail_fault ADD CONSTRAINT rail_fault_pkey PRIMARY KEY (workspace_id, id);

-- settlement-rules

CREATE TYPE settlement_action AS ENUM ('settle_to_bank', 'settle_to_account', 'settle_to_wallet', 'hold', 'notify');
CREATE TYPE settlement_trigger AS ENUM ('balance_threshold', 'time_based', 'event_based', 'transaction_count', 'manual');

CREATE TABLE settlement_rule (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  wallet_id uuid NOT NULL,
  trigger_type settlement_trigger NOT NULL,
  trigger_config jsonb NOT NULL,
  action_type settlement_action NOT NULL,
  action_config jsonb NOT NULL,
  enabled boolean NOT NULL,
  priority integer NOT NULL,
  armed_id uuid NOT NULL,
  seen_version bigint NOT NULL,
  counted integer DEFAULT 0 NOT NULL,
  recent timestamptz(3)[],
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3),
  due_at timestamptz(3),
  lease_until timestamptz(3),
  CONSTRAINT settlement_rule_deleted CHECK ((deleted_at IS NULL) OR (NOT enabled)),
  CONSTRAINT settlement_rule_due CHECK ((due_at IS NULL) OR enabled)
);
CREATE INDEX settlement_rule_kept ON settlement_rule (workspace_id, wallet_id) WHERE deleted_at IS NULL;
CREATE INDEX settlement_rule_due ON settlement_rule (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX settlement_rule_due_workspace ON settlement_rule (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX settlement_rule_leased ON settlement_rule (workspace_id) WHERE lease_until IS NOT NULL;
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE settlement_rule ADD CONSTRAINT settlement_rule_pkey PRIMARY KEY (workspace_id, id);

CREATE TYPE execution_status AS ENUM ('pending', 'completed', 'skipped', 'failed');

CREATE TABLE settlement_execution (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  rule_id uuid,
  wallet_id uuid NOT NULL,
  trigger settlement_trigger NOT NULL,
  cause text NOT NULL,
  priority integer NOT NULL,
  fired_at timestamptz(3) NOT NULL,
  status execution_status NOT NULL,
  transfer_id uuid,
  payout_id uuid,
  error_code text,
  error_message text,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  -- What is over has its end: a refusal its code, and nothing that is still to be done.
  CONSTRAINT settlement_execution_ended CHECK (((status = 'pending') = (due_at IS NOT NULL))
    AND ((status IN ('skipped', 'failed')) = (error_code IS NOT NULL)))
);
CREATE INDEX settlement_execution_workspace_id_rule_id_id_idx ON settlement_execution (workspace_id, rule_id, id);
CREATE UNIQUE INDEX settlement_execution_workspace_id_rule_id_cause_key ON settlement_execution (workspace_id, rule_id, cause);
-- A schedule fires once on each of its times for a wallet.
CREATE UNIQUE INDEX settlement_execution_schedule ON settlement_execution (workspace_id, wallet_id, cause) WHERE rule_id IS NULL;
CREATE INDEX settlement_execution_waiting ON settlement_execution (workspace_id, wallet_id, fired_at) WHERE status = 'pending';
CREATE INDEX settlement_execution_due ON settlement_execution (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX settlement_execution_due_workspace ON settlement_execution (workspace_id, due_at) WHERE (due_at IS NOT NULL)
  AND (lease_until IS NULL);
CREATE INDEX settlement_execution_lane ON settlement_execution (wallet_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX settlement_execution_leased ON settlement_execution (workspace_id, wallet_id) WHERE lease_until IS NOT NULL;
ALTER TABLE settlement_execution ADD CONSTRAINT settlement_execution_pkey PRIMARY KEY (workspace_id, id);

-- skills

CREATE TABLE skill (
  workspace_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  id text NOT NULL,
  place integer NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  tags text[],
  input_schema jsonb,
  output_schema jsonb,
  price bigint,
  currency text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT skill_id CHECK (id ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$'),
  -- Prices that skills had until a while ago: who read one of them is not charged more.
  CONSTRAINT skill_price CHECK (((price IS NULL) = (currency IS NULL)) AND ((price IS NULL) OR (price > 0)))
);
CREATE INDEX skill_workspace_id_id_agent_id_idx ON skill (workspace_id, id, agent_id);
-- Made after the index (decision 0017).
ALTER TABLE skill ADD CONSTRAINT skill_pkey PRIMARY KEY (workspace_id, agent_id, id);

CREATE TABLE agent_rating (
  workspace_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  count integer NOT NULL,
  total integer NOT NULL,
  average integer NOT NULL,
  CONSTRAINT agent_rating_sums CHECK ((count > 0) AND ((total >= count) AND (total <= (5 * count))) AND (average = ((100 * total) / count)))
);
ALTER TABLE agent_rating ADD CONSTRAINT agent_rating_pkey PRIMARY KEY (workspace_id, agent_id);

-- Prices that skills had until a while ago: who read one of them is not charged more.
CREATE TABLE skill_price (
  workspace_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  skill_id text NOT NULL,
  id uuid NOT NULL,
  price bigint,
  currency text,
  until timestamptz(3) NOT NULL
);
ALTER TABLE skill_price ADD CONSTRAINT skill_price_pkey PRIMARY KEY (workspace_id, agent_id, skill_id, id);

-- spending

CREATE TYPE policy_target AS ENUM ('tenant', 'account', 'agent', 'wallet');

CREATE TABLE policy (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  name text NOT NULL,
  target_type policy_target NOT NULL,
  target_id uuid,
  rules jsonb NOT NULL,
  approval jsonb,
  enabled boolean DEFAULT true NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3)
);
ALTER TABLE policy ADD CONSTRAINT policy_pkey PRIMARY KEY (workspace_id, id);
-- The policies that bind: those that were deleted stay for decisions to name.
CREATE INDEX policy_kept ON policy (workspace_id, id) WHERE deleted_at IS NULL;

CREATE TABLE policy_version (
  workspace_id uuid NOT NULL,
  policy_id uuid NOT NULL,
  version integer NOT NULL,
  rules jsonb NOT NULL,
  approval jsonb,
  created_at timestamptz(3) NOT NULL
);
ALTER TABLE policy_version ADD CONSTRAINT policy_version_pkey PRIMARY KEY (workspace_id, policy_id, version);

CREATE TYPE budget_period AS ENUM ('once', 'day', 'week', 'month');
CREATE TYPE budget_scope AS ENUM ('tenant', 'account', 'agent', 'mandate', 'trace');

CREATE TABLE budget (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  name text NOT NULL,
  scope_type budget_scope NOT NULL,
  scope_id text,
  parent_id uuid,
  amount bigint NOT NULL,
  currency text NOT NULL,
  period budget_period NOT NULL,
  timezone text DEFAULT 'UTC' NOT NULL,
  expires_at timestamptz(3),
  alerts_at text[],
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3),
  CONSTRAINT budget_amount_positive CHECK (amount > 0)
);
CREATE INDEX budget_workspace_id_parent_id_idx ON budget (workspace_id, parent_id);
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE budget ADD CONSTRAINT budget_pkey PRIMARY KEY (workspace_id, id);

CREATE TABLE budget_version (
  workspace_id uuid NOT NULL,
  budget_id uuid NOT NULL,
  version integer NOT NULL,
  amount bigint NOT NULL,
  expires_at timestamptz(3),
  alerts_at text[],
  created_at timestamptz(3) NOT NULL
);
ALTER TABLE budget_version ADD CONSTRAINT budget_version_pkey PRIMARY KEY (workspace_id, budget_id, version);

-- The rare ones among the decisions of a workspace; the list inlines these words.
CREATE TYPE decision_outcome AS ENUM ('allow', 'deny', 'require_approval');

CREATE TABLE decision (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  outcome decision_outcome NOT NULL,
  code text,
  message text,
  agent_id uuid,
  subject_type text,
  subject_id uuid,
  approval_id uuid,
  transaction_id uuid,
  input jsonb NOT NULL,
  checks jsonb NOT NULL,
  trace_id text,
  evaluated_at timestamptz(3) NOT NULL
);
ALTER TABLE decision ADD CONSTRAINT decision_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX decision_agent ON decision (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
-- The rare ones among the decisions of a workspace; the list inlines these words.
CREATE INDEX decision_outcome ON decision (workspace_id, outcome, id) WHERE outcome <> 'allow';
CREATE INDEX decision_agent_outcome ON decision (workspace_id, agent_id, outcome, id) WHERE outcome <> 'allow';
-- What the breaker counts of an agent, rare among the rest.
CREATE INDEX decision_denied ON decision (workspace_id, agent_id, id) WHERE (outcome = 'deny') AND (agent_id IS NOT NULL);

CREATE TYPE approval_status AS ENUM ('pending', 'approved', 'rejected', 'expired', 'cancelled');

CREATE TABLE approval (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  status approval_status DEFAULT 'pending' NOT NULL,
  subject_type text NOT NULL,
  subject_id uuid NOT NULL,
  transfer_id uuid,
  amount bigint NOT NULL,
  currency text NOT NULL,
  agent_id uuid,
  wallet_id uuid,
  merchant_id uuid,
  description text,
  context jsonb DEFAULT '{}' NOT NULL,
  lifted text[],
  execution jsonb DEFAULT '{}' NOT NULL,
  requested_by_type initiator_type NOT NULL,
  requested_by_id uuid NOT NULL,
  requested_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  decided_at timestamptz(3),
  decided_by_type initiator_type,
  decided_by_id uuid,
  comment text,
  result_error jsonb,
  trace_id text,
  due_at timestamptz(3),
  lease_until timestamptz(3)
);
CREATE INDEX approval_agent ON approval (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX approval_status ON approval (workspace_id, status, id);
CREATE INDEX approval_transfer ON approval (workspace_id, transfer_id) WHERE status = 'pending';
-- What is due, by table (docs/architecture.md "Time").
CREATE INDEX approval_due ON approval (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX approval_due_workspace ON approval (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX approval_leased ON approval (workspace_id) WHERE lease_until IS NOT NULL;
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE approval ADD CONSTRAINT approval_pkey PRIMARY KEY (workspace_id, id);

CREATE TABLE limit_crossing (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  counter text NOT NULL,
  "window" text NOT NULL,
  mark bigint NOT NULL,
  used bigint NOT NULL,
  at timestamptz(3) NOT NULL,
  due_at timestamptz(3),
  lease_until timestamptz(3)
);
ALTER TABLE limit_crossing ADD CONSTRAINT limit_crossing_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX limit_crossing_due ON limit_crossing (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX limit_crossing_due_workspace ON limit_crossing (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX limit_crossing_leased ON limit_crossing (workspace_id) WHERE lease_until IS NOT NULL;

CREATE TABLE breaker (
  workspace_id uuid NOT NULL,
  detectors jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
ALTER TABLE breaker ADD CONSTRAINT breaker_pkey PRIMARY KEY (workspace_id);

CREATE TYPE breaker_action AS ENUM ('freeze', 'approve', 'notify');

CREATE TABLE breaker_trip (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  agent_id uuid NOT NULL,
  kind text NOT NULL,
  action breaker_action NOT NULL,
  evidence jsonb NOT NULL,
  at timestamptz(3) NOT NULL,
  ends_at timestamptz(3) NOT NULL
);
ALTER TABLE breaker_trip ADD CONSTRAINT breaker_trip_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX breaker_trip_workspace_id_agent_id_id_idx ON breaker_trip (workspace_id, agent_id, id);
CREATE INDEX breaker_trip_watched ON breaker_trip (workspace_id, ends_at) WHERE action = 'approve';

CREATE TABLE breaker_look (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  agent_id uuid NOT NULL,
  since timestamptz(3) NOT NULL,
  due_at timestamptz(3),
  lease_until timestamptz(3)
);
ALTER TABLE breaker_look ADD CONSTRAINT breaker_look_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX breaker_look_workspace_id_agent_id_idx ON breaker_look (workspace_id, agent_id);
CREATE INDEX breaker_look_due ON breaker_look (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX breaker_look_due_workspace ON breaker_look (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX breaker_look_leased ON breaker_look (workspace_id) WHERE lease_until IS NOT NULL;

CREATE TABLE spend_minute (
  workspace_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  minute timestamptz(3) NOT NULL,
  spends integer NOT NULL
);
ALTER TABLE spend_minute ADD CONSTRAINT spend_minute_pkey PRIMARY KEY (workspace_id, agent_id, minute);
CREATE INDEX spend_minute_old ON spend_minute (minute);

CREATE TABLE counterparty (
  workspace_id uuid NOT NULL,
  payer_id uuid NOT NULL,
  payee_id uuid NOT NULL,
  since timestamptz(3) NOT NULL
);
ALTER TABLE counterparty ADD CONSTRAINT counterparty_pkey PRIMARY KEY (workspace_id, payer_id, payee_id);

-- streams

CREATE TYPE rate_period AS ENUM ('second', 'minute', 'hour', 'day', 'month30');
CREATE TYPE stream_status AS ENUM ('pending', 'active', 'paused', 'exhausted', 'completed', 'cancelled');

CREATE TABLE stream (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  from_wallet_id uuid NOT NULL,
  to_wallet_id uuid NOT NULL,
  from_account_id uuid NOT NULL,
  to_account_id uuid NOT NULL,
  from_agent_id uuid,
  to_agent_id uuid,
  agent_id uuid,
  currency text NOT NULL,
  escrow_account_id uuid NOT NULL,
  status stream_status NOT NULL,
  status_reason text,
  rate_amount text NOT NULL,
  rate_per rate_period NOT NULL,
  rate_units numeric NOT NULL,
  accrued numeric DEFAULT 0 NOT NULL,
  checkpoint_at timestamptz(3) NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  deposited bigint DEFAULT 0 NOT NULL,
  buffer bigint NOT NULL,
  withdrawn bigint DEFAULT 0 NOT NULL,
  returned bigint DEFAULT 0 NOT NULL,
  max_total bigint,
  ends_at timestamptz(3),
  stops_at timestamptz(3),
  alerted integer DEFAULT 0 NOT NULL,
  metadata jsonb DEFAULT '{}' NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  is_revoked boolean DEFAULT false NOT NULL,
  -- What is put in is what was paid out, what went back and what is still there; the buffer never flows.
  CONSTRAINT stream_never_negative CHECK ((deposited >= 0) AND (buffer >= 0) AND (withdrawn >= 0) AND (returned >= 0)
    AND (accrued >= 0) AND (rate_units > 0)),
  CONSTRAINT stream_within_deposits CHECK ((withdrawn + returned) <= deposited)
);
CREATE INDEX stream_workspace_id_from_wallet_id_id_idx ON stream (workspace_id, from_wallet_id, id);
CREATE INDEX stream_workspace_id_to_wallet_id_id_idx ON stream (workspace_id, to_wallet_id, id);
CREATE INDEX stream_workspace_id_status_id_idx ON stream (workspace_id, status, id);
-- What belongs to agents, and what an account pays now: a freeze looks for it.
CREATE INDEX stream_agent ON stream (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX stream_from_agent ON stream (workspace_id, from_agent_id, id) WHERE from_agent_id IS NOT NULL;
CREATE INDEX stream_to_agent ON stream (workspace_id, to_agent_id, id) WHERE to_agent_id IS NOT NULL;
CREATE INDEX stream_flowing ON stream (workspace_id, from_account_id) WHERE status = 'active';
CREATE INDEX stream_due ON stream (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX stream_due_workspace ON stream (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX stream_leased ON stream (workspace_id) WHERE lease_until IS NOT NULL;
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE stream ADD CONSTRAINT stream_pkey PRIMARY KEY (workspace_id, id);

CREATE TABLE stream_checkpoint (
  workspace_id uuid NOT NULL,
  stream_id uuid NOT NULL,
  version integer NOT NULL,
  at timestamptz(3) NOT NULL,
  status stream_status NOT NULL,
  rate_amount text NOT NULL,
  rate_per rate_period NOT NULL,
  rate_units numeric NOT NULL,
  accrued numeric NOT NULL,
  deposited bigint NOT NULL,
  buffer bigint NOT NULL,
  withdrawn bigint NOT NULL,
  returned bigint NOT NULL,
  max_total bigint,
  ends_at timestamptz(3)
);
CREATE INDEX stream_checkpoint_workspace_id_stream_id_at_version_idx ON stream_checkpoint (workspace_id, stream_id, at, version);
ALTER TABLE stream_checkpoint ADD CONSTRAINT stream_checkpoint_pkey PRIMARY KEY (workspace_id, stream_id, version);

-- treasury

CREATE TABLE treasury_snapshot (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  description text,
  positions jsonb NOT NULL,
  tree_head text,
  captured_at timestamptz(3) NOT NULL,
  tree_position bigint,
  tree_size bigint
);
CREATE INDEX treasury_snapshot_noted ON treasury_snapshot (workspace_id, tree_position) WHERE tree_position IS NOT NULL;
ALTER TABLE treasury_snapshot ADD CONSTRAINT treasury_snapshot_pkey PRIMARY KEY (workspace_id, id);

-- usage

CREATE TABLE operation (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  category text NOT NULL,
  operation text NOT NULL,
  protocol protocol NOT NULL,
  success boolean NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  amount_usd bigint,
  external_cost_usd bigint DEFAULT 0 NOT NULL,
  actor_type initiator_type NOT NULL,
  actor_id uuid NOT NULL,
  agent_id uuid,
  account_id uuid,
  counterparty_id uuid,
  subject_id uuid NOT NULL,
  trace_id text,
  provider text
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX operation_agent ON operation (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX operation_trace ON operation (workspace_id, trace_id, id) WHERE trace_id IS NOT NULL;
-- The operations of an account, as customers read them with their portal tokens: of the account that pays, else of the one that is paid.
CREATE INDEX operation_owner ON operation (workspace_id, COALESCE(account_id, counterparty_id), id);
CREATE INDEX operation_rare_kind ON operation (workspace_id, protocol, category, success, id) WHERE NOT ((protocol = 'internal')
  AND (category = 'transfer') AND success);
ALTER TABLE operation ADD CONSTRAINT operation_pkey PRIMARY KEY (workspace_id, id);

CREATE TABLE usage_rollup (
  workspace_id uuid NOT NULL,
  owner_id uuid NOT NULL,
  size integer NOT NULL,
  start timestamptz(3) NOT NULL,
  protocol protocol NOT NULL,
  category text NOT NULL,
  success boolean NOT NULL,
  currency text NOT NULL,
  provider text DEFAULT '' NOT NULL,
  operations bigint NOT NULL,
  amount numeric(38,0) NOT NULL,
  amount_usd numeric(38,0) NOT NULL,
  external_cost_usd numeric(38,0) NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- Buckets of five minutes go after 400 days, the oldest first.
CREATE INDEX usage_rollup_fine ON usage_rollup (workspace_id, start) WHERE size = 300;
ALTER TABLE usage_rollup ADD CONSTRAINT usage_rollup_pkey
  PRIMARY KEY (workspace_id, owner_id, size, start, protocol, category, success, currency, provider);

CREATE TABLE counted_checkout (
  workspace_id uuid NOT NULL,
  checkout_id uuid NOT NULL
);
ALTER TABLE counted_checkout ADD CONSTRAINT counted_checkout_pkey PRIMARY KEY (workspace_id, checkout_id);

CREATE TABLE checkout_rollup (
  workspace_id uuid NOT NULL,
  size integer NOT NULL,
  start timestamptz(3) NOT NULL,
  dimension text NOT NULL,
  key text NOT NULL,
  outcome text NOT NULL,
  checkouts bigint NOT NULL,
  seconds bigint NOT NULL
);
ALTER TABLE checkout_rollup ADD CONSTRAINT checkout_rollup_pkey PRIMARY KEY (workspace_id, size, start, dimension, key, outcome);

CREATE TABLE request_count (
  workspace_id uuid NOT NULL,
  size integer NOT NULL,
  start timestamptz(3) NOT NULL,
  method text NOT NULL,
  route text NOT NULL,
  status integer NOT NULL,
  duration integer NOT NULL,
  requests bigint NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE request_count ADD CONSTRAINT request_count_pkey PRIMARY KEY (workspace_id, size, start, method, route, status, duration);

-- HTTP requests of agents and portal tokens, for their account.
CREATE TABLE account_request_count (
  workspace_id uuid NOT NULL,
  account_id uuid NOT NULL,
  start timestamptz(3) NOT NULL,
  method text NOT NULL,
  route text NOT NULL,
  status integer NOT NULL,
  requests bigint NOT NULL
);
CREATE INDEX account_request_count_workspace_id_start_idx ON account_request_count (workspace_id, start);
-- The key is made after the index that begins as it does (docs/decisions/0017).
ALTER TABLE account_request_count ADD CONSTRAINT account_request_count_pkey
  PRIMARY KEY (workspace_id, account_id, start, method, route, status);

-- webhooks

CREATE TYPE webhook_status AS ENUM ('active', 'paused', 'disabled');

CREATE TABLE webhook (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  url text NOT NULL,
  events text[],
  description text,
  status webhook_status DEFAULT 'active' NOT NULL,
  sealed_secret bytea NOT NULL,
  previous_sealed_secret bytea,
  previous_secret_expires_at timestamptz(3),
  dlq_in_a_row integer DEFAULT 0 NOT NULL,
  failing_since timestamptz(3),
  disabled_at timestamptz(3),
  disabled_reason text,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  verified_at timestamptz(3),
  verified_until timestamptz(3),
  asked integer DEFAULT 0 NOT NULL,
  due_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP,
  lease_until timestamptz(3)
);
ALTER TABLE webhook ADD CONSTRAINT webhook_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX webhook_due ON webhook (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX webhook_due_workspace ON webhook (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX webhook_leased ON webhook (workspace_id) WHERE lease_until IS NOT NULL;

CREATE TYPE delivery_status AS ENUM ('pending', 'processing', 'delivered', 'failed', 'dlq');

CREATE TABLE webhook_delivery (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  status delivery_status DEFAULT 'pending' NOT NULL,
  attempt_count integer DEFAULT 0 NOT NULL,
  max_attempts integer DEFAULT 5 NOT NULL,
  last_response_code integer,
  last_response_body text,
  last_error text,
  override_url text,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  first_attempt_at timestamptz(3),
  delivered_at timestamptz(3),
  dlq_at timestamptz(3),
  dlq_reason text,
  created_at timestamptz(3) NOT NULL,
  waits_for text
);
CREATE INDEX webhook_delivery_workspace_id_webhook_id_id_idx ON webhook_delivery (workspace_id, webhook_id, id);
CREATE INDEX webhook_delivery_workspace_id_event_id_idx ON webhook_delivery (workspace_id, event_id);
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE webhook_delivery ADD CONSTRAINT webhook_delivery_pkey PRIMARY KEY (workspace_id, id);
-- What is due, by table (docs/architecture.md "Time").
-- Free rows in the order of their time, of everybody, of a workspace and of a lane, and rows that are claimed.
CREATE INDEX webhook_delivery_due ON webhook_delivery (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX webhook_delivery_due_workspace ON webhook_delivery (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX webhook_delivery_lane ON webhook_delivery (webhook_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX webhook_delivery_leased ON webhook_delivery (workspace_id, webhook_id) WHERE lease_until IS NOT NULL;
CREATE INDEX webhook_delivery_dlq ON webhook_delivery (workspace_id, id) WHERE status = 'dlq';
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (workspace_id, waits_for, id) WHERE (waits_for IS NOT NULL)
  AND (due_at IS NULL) AND (status IN ('pending', 'failed'));
CREATE INDEX webhook_delivery_waiting_webhook ON webhook_delivery (workspace_id, webhook_id, waits_for) WHERE (waits_for IS NOT NULL)
  AND (due_at IS NULL) AND (status IN ('pending', 'failed'));

CREATE TABLE delivery_attempt (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  started_at timestamptz(3) NOT NULL,
  duration_ms integer NOT NULL,
  response_code integer,
  error text
);
ALTER TABLE delivery_attempt ADD CONSTRAINT delivery_attempt_pkey PRIMARY KEY (workspace_id, delivery_id, id);

CREATE TABLE webhook_gate (
  name text NOT NULL,
  next_at timestamp(6) with time zone NOT NULL,
  interval_us integer NOT NULL,
  burst integer NOT NULL,
  daily integer,
  day date NOT NULL,
  passed integer DEFAULT 0 NOT NULL,
  waiting boolean DEFAULT false NOT NULL
);
ALTER TABLE webhook_gate ADD CONSTRAINT webhook_gate_pkey PRIMARY KEY (name);
CREATE INDEX webhook_gate_waiting_next_at_idx ON webhook_gate (waiting, next_at);

CREATE TABLE webhook_queue (
  workspace_id uuid NOT NULL,
  gate text NOT NULL,
  turn bigserial NOT NULL
);
ALTER TABLE webhook_queue ADD CONSTRAINT webhook_queue_pkey PRIMARY KEY (workspace_id, gate);
CREATE INDEX webhook_queue_gate_turn_idx ON webhook_queue (gate, turn);

-- windows

CREATE TYPE window_frequency AS ENUM ('realtime', 'hourly', 'daily', 'weekly', 'custom');

CREATE TABLE settlement_window (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  rail text NOT NULL,
  currency text NOT NULL,
  frequency window_frequency NOT NULL,
  schedule_utc text[],
  cron_expression text,
  min_batch_amount_cents bigint NOT NULL,
  max_batch_size integer NOT NULL,
  enabled boolean NOT NULL,
  closing boolean DEFAULT false NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3),
  due_at timestamptz(3),
  lease_until timestamptz(3),
  CONSTRAINT settlement_window_bounds CHECK ((min_batch_amount_cents >= 0) AND (max_batch_size > 0))
);
-- One window of a rail and a currency takes their payouts.
CREATE UNIQUE INDEX settlement_window_enabled ON settlement_window (workspace_id, rail, currency) WHERE enabled AND (deleted_at IS NULL);
CREATE INDEX settlement_window_due ON settlement_window (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX settlement_window_due_workspace ON settlement_window (workspace_id, due_at) WHERE (due_at IS NOT NULL)
  AND (lease_until IS NULL);
CREATE INDEX settlement_window_leased ON settlement_window (workspace_id) WHERE lease_until IS NOT NULL;
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE settlement_window ADD CONSTRAINT settlement_window_pkey PRIMARY KEY (workspace_id, id);

CREATE TYPE settlement_schedule AS ENUM ('immediate', 'hourly', 'daily', 'weekly', 'manual');

CREATE TABLE settlement_config (
  workspace_id uuid NOT NULL,
  x402_fee integer DEFAULT 0 NOT NULL,
  holdback integer DEFAULT 0 NOT NULL,
  holdback_release_days integer DEFAULT 7 NOT NULL,
  auto_settlement_enabled boolean DEFAULT false NOT NULL,
  settlement_schedule settlement_schedule DEFAULT 'manual' NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT settlement_config_bounds CHECK (((x402_fee >= 0) AND (x402_fee <= 10000)) AND ((holdback >= 0) AND (holdback <= 10000))
    AND (holdback_release_days > 0))
);
ALTER TABLE settlement_config ADD CONSTRAINT settlement_config_pkey PRIMARY KEY (workspace_id);

CREATE TYPE reserve_status AS ENUM ('held', 'released', 'returned');

CREATE TABLE settlement_reserve (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  transfer_id uuid NOT NULL,
  wallet_id uuid NOT NULL,
  account_id uuid NOT NULL,
  status reserve_status DEFAULT 'held' NOT NULL,
  amount bigint NOT NULL,
  remaining bigint NOT NULL,
  currency text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  due_at timestamptz(3),
  lease_until timestamptz(3),
  -- What is held is due; what has ended holds nothing.
  CONSTRAINT settlement_reserve_held CHECK ((amount > 0) AND ((remaining >= 0) AND (remaining <= amount))
    AND ((status = 'held') = (remaining > 0)) AND ((status = 'held') = (ended_at IS NULL)) AND ((status = 'held') OR (due_at IS NULL)))
);
CREATE UNIQUE INDEX settlement_reserve_workspace_id_transfer_id_key ON settlement_reserve (workspace_id, transfer_id);
CREATE INDEX settlement_reserve_open ON settlement_reserve (workspace_id, wallet_id, id) WHERE status = 'held';
CREATE INDEX settlement_reserve_due ON settlement_reserve (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX settlement_reserve_due_workspace ON settlement_reserve (workspace_id, due_at) WHERE (due_at IS NOT NULL)
  AND (lease_until IS NULL);
CREATE INDEX settlement_reserve_leased ON settlement_reserve (workspace_id) WHERE lease_until IS NOT NULL;
ALTER TABLE settlement_reserve ADD CONSTRAINT settlement_reserve_pkey PRIMARY KEY (workspace_id, id);

CREATE TABLE settlement_timer (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  fires_at timestamptz(3) NOT NULL,
  after_wallet_id uuid,
  due_at timestamptz(3),
  lease_until timestamptz(3)
);
CREATE INDEX settlement_timer_due ON settlement_timer (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX settlement_timer_due_workspace ON settlement_timer (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX settlement_timer_leased ON settlement_timer (workspace_id) WHERE lease_until IS NOT NULL;
ALTER TABLE settlement_timer ADD CONSTRAINT settlement_timer_pkey PRIMARY KEY (workspace_id, id);

-- x402

CREATE TYPE x402_endpoint_status AS ENUM ('active', 'paused', 'disabled');
CREATE TYPE x402_scheme AS ENUM ('exact', 'upto');

CREATE TABLE x402_endpoint (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  receiver_wallet_id uuid NOT NULL,
  name text NOT NULL,
  path text,
  url text,
  method text NOT NULL,
  base_price bigint NOT NULL,
  currency text NOT NULL,
  scheme x402_scheme NOT NULL,
  network text NOT NULL,
  description text,
  volume_discounts jsonb DEFAULT '[]' NOT NULL,
  discoverable boolean NOT NULL,
  status x402_endpoint_status DEFAULT 'active' NOT NULL,
  metadata jsonb DEFAULT '{}' NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3),
  CONSTRAINT x402_endpoint_price CHECK ((base_price > 0) AND ((path IS NOT NULL) OR (url IS NOT NULL)))
);
CREATE INDEX x402_endpoint_workspace_id_account_id_id_idx ON x402_endpoint (workspace_id, account_id, id);
CREATE INDEX x402_endpoint_discoverable ON x402_endpoint (workspace_id, id) WHERE discoverable AND (status = 'active')
  AND (deleted_at IS NULL);
-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE x402_endpoint ADD CONSTRAINT x402_endpoint_pkey PRIMARY KEY (workspace_id, id);
-- Where MPP finds whom a service_url means.
CREATE INDEX x402_endpoint_url ON x402_endpoint (workspace_id, url) WHERE (url IS NOT NULL) AND (deleted_at IS NULL);

CREATE TABLE x402_endpoint_total (
  workspace_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  calls bigint NOT NULL,
  revenue bigint NOT NULL,
  CONSTRAINT x402_endpoint_total_counts CHECK ((calls >= 0) AND (revenue >= 0))
);
ALTER TABLE x402_endpoint_total ADD CONSTRAINT x402_endpoint_total_pkey PRIMARY KEY (workspace_id, endpoint_id);

CREATE TABLE x402_quote (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  wallet_id uuid,
  amount bigint NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
ALTER TABLE x402_quote ADD CONSTRAINT x402_quote_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX x402_quote_expires_at_idx ON x402_quote (expires_at);

CREATE TYPE x402_payment_status AS ENUM ('pending', 'settled', 'failed');

CREATE TABLE x402_payment (
  workspace_id uuid NOT NULL,
  id uuid NOT NULL,
  endpoint_id uuid,
  wallet_id uuid,
  agent_id uuid,
  payee_agent_id uuid,
  amount bigint NOT NULL,
  currency text NOT NULL,
  payer_wallet text NOT NULL,
  pay_to text NOT NULL,
  network text NOT NULL,
  asset text NOT NULL,
  scheme x402_scheme NOT NULL,
  nonce text NOT NULL,
  status x402_payment_status NOT NULL,
  proof text,
  payment_signature text,
  tx_hash text,
  rail text,
  transfer_id uuid,
  failure_reason text,
  expires_at timestamptz(3) NOT NULL,
  consumed_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  settled_at timestamptz(3),
  asked integer DEFAULT 0 NOT NULL,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  protocol protocol DEFAULT 'x402' NOT NULL,
  CONSTRAINT x402_payment_protocol CHECK (protocol IN ('x402', 'mpp')),
  -- What is settled says so, and by what; what waits for its chain is not consumed.
  CONSTRAINT x402_payment_settled CHECK ((amount >= 0) AND ((status = 'settled') = (settled_at IS NOT NULL)) AND ((status <> 'settled')
    OR (tx_hash IS NOT NULL)) AND ((consumed_at IS NULL) OR (status = 'settled')) AND ((due_at IS NULL) OR (status = 'pending')))
);
CREATE INDEX x402_payment_workspace_id_endpoint_id_id_idx ON x402_payment (workspace_id, endpoint_id, id);
CREATE INDEX x402_payment_workspace_id_agent_id_id_idx ON x402_payment (workspace_id, agent_id, id);
CREATE INDEX x402_payment_workspace_id_payee_agent_id_id_idx ON x402_payment (workspace_id, payee_agent_id, id);
-- An authorization pays once, whatever its signature looks like; one that failed may be tried again.
CREATE UNIQUE INDEX x402_payment_nonce ON x402_payment (workspace_id, network, asset, payer_wallet, nonce) WHERE status <> 'failed';
-- The calls of a payer, for volume discounts.
CREATE INDEX x402_payment_payer ON x402_payment (workspace_id, endpoint_id, payer_wallet, id) WHERE status = 'settled';
-- What keeps a wallet from being closed.
CREATE INDEX x402_payment_open ON x402_payment (workspace_id, wallet_id) WHERE status = 'pending';
-- The reference under which the rail's statement has it.
CREATE UNIQUE INDEX x402_payment_reference ON x402_payment (workspace_id, rail, tx_hash) WHERE (rail IS NOT NULL) AND (tx_hash IS NOT NULL);
CREATE UNIQUE INDEX x402_payment_transfer ON x402_payment (workspace_id, transfer_id) WHERE transfer_id IS NOT NULL;
CREATE INDEX x402_payment_due ON x402_payment (due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX x402_payment_due_workspace ON x402_payment (workspace_id, due_at) WHERE (due_at IS NOT NULL) AND (lease_until IS NULL);
CREATE INDEX x402_payment_leased ON x402_payment (workspace_id) WHERE lease_until IS NOT NULL;
ALTER TABLE x402_payment ADD CONSTRAINT x402_payment_pkey PRIMARY KEY (workspace_id, id);

CREATE TABLE chain_deposit (
  workspace_id uuid NOT NULL,
  network text NOT NULL,
  wallet_id uuid NOT NULL,
  address text NOT NULL
);
CREATE UNIQUE INDEX chain_deposit_workspace_id_network_address_key ON chain_deposit (workspace_id, network, address);
ALTER TABLE chain_deposit ADD CONSTRAINT chain_deposit_pkey PRIMARY KEY (workspace_id, network, wallet_id);

CREATE TABLE chain_balance (
  workspace_id uuid NOT NULL,
  network text NOT NULL,
  address text NOT NULL,
  balance bigint NOT NULL,
  CONSTRAINT chain_balance_covered CHECK (balance >= 0)
);
ALTER TABLE chain_balance ADD CONSTRAINT chain_balance_pkey PRIMARY KEY (workspace_id, network, address);

CREATE TABLE chain_authorization (
  workspace_id uuid NOT NULL,
  network text NOT NULL,
  payer text NOT NULL,
  nonce text NOT NULL,
  tx_hash text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  payee text NOT NULL,
  value bigint NOT NULL
);
ALTER TABLE chain_authorization ADD CONSTRAINT chain_authorization_pkey PRIMARY KEY (workspace_id, network, payer, nonce);

-- What ledger_post() is given, and what it answers

-- What stands in the way of a posting. `subject` begins with the workspace and names the account, guard, limit or claim that
-- refuses; `detail` has the numbers.
CREATE TYPE ledger_fault AS (
  kind text,
  subject text,
  refusal text,
  detail jsonb
);

-- A set of postings, as ledger_post() takes it: arrays that stand beside each other, one group of them for each concept. The caller
-- sends an object with members of these names (src/ledger/posting-set.ts); this is the one place that says their types.
CREATE TYPE ledger_set AS (
  account_workspace uuid[],
  account_id uuid[],
  account_debit bigint[],
  account_delta bigint[],
  account_grows boolean[],
  account_entries integer[],
  account_at timestamptz[],
  entry_account integer[],
  entry_transaction integer[],
  entry_amount bigint[],
  entry_total bigint[],
  entry_number integer[],
  entry_at timestamptz[],
  transaction_workspace uuid[],
  transaction_id uuid[],
  transaction_transfer uuid[],
  transaction_at timestamptz[],
  transaction_limits jsonb,
  transaction_first_use integer[],
  transaction_last_use integer[],
  use_limit integer[],
  use_total bigint[],
  guard_workspace uuid[],
  guard_kind text[],
  guard_id uuid[],
  guard_at timestamptz[],
  limit_workspace uuid[],
  limit_counter text[],
  limit_window text[],
  limit_used numeric[],
  limit_reserved numeric[],
  limit_maximum numeric[],
  limit_marks text[],
  limit_at timestamptz[],
  claim_workspace uuid[],
  claim_kind text[],
  claim_key text[],
  claim_reference text[],
  claim_fingerprint text[],
  claim_expires_at timestamptz[],
  left_events json,
  low_event json,
  transaction_row boolean[],
  checkout_changes json
);

-- Rows that name rows

ALTER TABLE workspace ADD CONSTRAINT workspace_tenant_id_fkey FOREIGN KEY (tenant_id)
  REFERENCES tenant(id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE api_key ADD CONSTRAINT api_key_workspace_id_fkey FOREIGN KEY (workspace_id)
  REFERENCES workspace(id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE portal_token ADD CONSTRAINT portal_token_workspace_id_fkey FOREIGN KEY (workspace_id)
  REFERENCES workspace(id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE account ADD CONSTRAINT account_workspace_id_fkey FOREIGN KEY (workspace_id)
  REFERENCES workspace(id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE wallet ADD CONSTRAINT wallet_workspace_id_fkey FOREIGN KEY (workspace_id)
  REFERENCES workspace(id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE wallet ADD CONSTRAINT wallet_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id)
  REFERENCES account(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE wallet ADD CONSTRAINT wallet_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE merchant ADD CONSTRAINT merchant_workspace_id_fkey FOREIGN KEY (workspace_id)
  REFERENCES workspace(id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE merchant ADD CONSTRAINT merchant_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id)
  REFERENCES account(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE merchant ADD CONSTRAINT merchant_workspace_id_settlement_wallet_id_fkey FOREIGN KEY (workspace_id,
  settlement_wallet_id) REFERENCES wallet(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE agent ADD CONSTRAINT agent_workspace_id_fkey FOREIGN KEY (workspace_id)
  REFERENCES workspace(id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE agent ADD CONSTRAINT agent_workspace_id_parent_account_id_fkey FOREIGN KEY (workspace_id, parent_account_id)
  REFERENCES account(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE agent_key ADD CONSTRAINT agent_key_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE agent_token ADD CONSTRAINT agent_token_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE agent_session ADD CONSTRAINT agent_session_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE agent_session ADD CONSTRAINT agent_session_workspace_id_key_id_fkey FOREIGN KEY (workspace_id, key_id)
  REFERENCES agent_key(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE kya_limit ADD CONSTRAINT kya_limit_workspace_id_fkey FOREIGN KEY (workspace_id)
  REFERENCES workspace(id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE task ADD CONSTRAINT task_workspace_id_from_agent_id_fkey FOREIGN KEY (workspace_id, from_agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE task ADD CONSTRAINT task_workspace_id_to_agent_id_fkey FOREIGN KEY (workspace_id, to_agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE task ADD CONSTRAINT task_workspace_id_wallet_id_fkey FOREIGN KEY (workspace_id, wallet_id)
  REFERENCES wallet(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE task ADD CONSTRAINT task_workspace_id_payee_wallet_id_fkey FOREIGN KEY (workspace_id, payee_wallet_id)
  REFERENCES wallet(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE task_message ADD CONSTRAINT task_message_workspace_id_task_id_fkey FOREIGN KEY (workspace_id, task_id)
  REFERENCES task(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE batch_item ADD CONSTRAINT batch_item_workspace_id_batch_id_fkey FOREIGN KEY (workspace_id, batch_id)
  REFERENCES batch(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE vaulted_card ADD CONSTRAINT vaulted_card_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id)
  REFERENCES account(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE vaulted_card ADD CONSTRAINT vaulted_card_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE card_charge ADD CONSTRAINT card_charge_workspace_id_card_id_fkey FOREIGN KEY (workspace_id, card_id)
  REFERENCES vaulted_card(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE card_verification ADD CONSTRAINT card_verification_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE card_instruction ADD CONSTRAINT card_instruction_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE card_instruction
  ADD CONSTRAINT card_instruction_workspace_id_original_id_fkey FOREIGN KEY (workspace_id, original_id)
  REFERENCES card_instruction(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE agent_channel ADD CONSTRAINT agent_channel_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE agent_connection ADD CONSTRAINT agent_connection_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE checkout ADD CONSTRAINT checkout_workspace_id_merchant_id_fkey FOREIGN KEY (workspace_id, merchant_id)
  REFERENCES merchant(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE checkout ADD CONSTRAINT checkout_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE mandate ADD CONSTRAINT mandate_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id)
  REFERENCES account(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE mandate ADD CONSTRAINT mandate_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE mpp_session ADD CONSTRAINT mpp_session_workspace_id_wallet_id_fkey FOREIGN KEY (workspace_id, wallet_id)
  REFERENCES wallet(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE mpp_session ADD CONSTRAINT mpp_session_workspace_id_payee_wallet_id_fkey FOREIGN KEY (workspace_id, payee_wallet_id)
  REFERENCES wallet(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE mpp_deposit ADD CONSTRAINT mpp_deposit_workspace_id_session_id_fkey FOREIGN KEY (workspace_id, session_id)
  REFERENCES mpp_session(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE mpp_voucher ADD CONSTRAINT mpp_voucher_workspace_id_session_id_fkey FOREIGN KEY (workspace_id, session_id)
  REFERENCES mpp_session(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE reconciliation_finding
  ADD CONSTRAINT reconciliation_finding_workspace_id_report_id_fkey FOREIGN KEY (workspace_id, report_id)
  REFERENCES reconciliation_report(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE reconciliation_finding
  ADD CONSTRAINT reconciliation_finding_workspace_id_discrepancy_id_fkey FOREIGN KEY (workspace_id, discrepancy_id)
  REFERENCES discrepancy(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE card_refund ADD CONSTRAINT card_refund_workspace_id_charge_id_fkey FOREIGN KEY (workspace_id, charge_id)
  REFERENCES card_charge(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE bank_account ADD CONSTRAINT bank_account_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id)
  REFERENCES account(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE settlement_rule ADD CONSTRAINT settlement_rule_workspace_id_wallet_id_fkey FOREIGN KEY (workspace_id, wallet_id)
  REFERENCES wallet(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE skill ADD CONSTRAINT skill_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE agent_rating ADD CONSTRAINT agent_rating_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE skill_price ADD CONSTRAINT skill_price_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id)
  REFERENCES agent(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE budget ADD CONSTRAINT budget_workspace_id_parent_id_fkey FOREIGN KEY (workspace_id, parent_id)
  REFERENCES budget(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE budget_version ADD CONSTRAINT budget_version_workspace_id_budget_id_fkey FOREIGN KEY (workspace_id, budget_id)
  REFERENCES budget(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE stream ADD CONSTRAINT stream_workspace_id_from_wallet_id_fkey FOREIGN KEY (workspace_id, from_wallet_id)
  REFERENCES wallet(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE stream ADD CONSTRAINT stream_workspace_id_to_wallet_id_fkey FOREIGN KEY (workspace_id, to_wallet_id)
  REFERENCES wallet(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE stream_checkpoint ADD CONSTRAINT stream_checkpoint_workspace_id_stream_id_fkey FOREIGN KEY (workspace_id, stream_id)
  REFERENCES stream(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE webhook ADD CONSTRAINT webhook_workspace_id_fkey FOREIGN KEY (workspace_id)
  REFERENCES workspace(id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE webhook_delivery ADD CONSTRAINT webhook_delivery_workspace_id_webhook_id_fkey FOREIGN KEY (workspace_id, webhook_id)
  REFERENCES webhook(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE webhook_delivery ADD CONSTRAINT webhook_delivery_workspace_id_event_id_fkey FOREIGN KEY (workspace_id, event_id)
  REFERENCES event(workspace_id, id) ON UPDATE RESTRICT ON DELETE CASCADE;
ALTER TABLE delivery_attempt
  ADD CONSTRAINT delivery_attempt_workspace_id_delivery_id_fkey FOREIGN KEY (workspace_id, delivery_id)
  REFERENCES webhook_delivery(workspace_id, id) ON UPDATE RESTRICT ON DELETE CASCADE;
ALTER TABLE webhook_queue ADD CONSTRAINT webhook_queue_workspace_id_fkey FOREIGN KEY (workspace_id)
  REFERENCES workspace(id) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE x402_endpoint ADD CONSTRAINT x402_endpoint_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id)
  REFERENCES account(workspace_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
