// What a rule is given: who asks, in which workspace, with what. A plain object per request; nothing of it lives in a module.
import type { Config } from '../config.js';
import type { CoherentCache } from './cache.js';
import type { Clock } from './clock.js';
import type { Vault } from './crypto.js';
import type { Database, Db } from './database.js';
import type { Fanout } from './fanout.js';
import type { IdempotencyClaim } from './idempotency.js';
import type { Logger } from './log.js';
import type { Outbound } from './outbound.js';
import type { Signal } from './signal.js';

export type Environment = 'test' | 'live';

/** One half of a tenant. Every scoped row carries its id. `clockOffsetMs` moves the time of a sandbox. */
export interface Workspace {
  id: string;
  tenantId: string;
  environment: Environment;
  clockOffsetMs: number;
}

/** The agent behind an actor, as last read with the credential. Postings check it again. */
export interface ActingAgent {
  id: string;
  name: string;
  status: 'active' | 'frozen' | 'suspended' | 'revoked';
  kyaTier: number;
  parentAccountId: string;
}

export type ActorType = 'anonymous' | 'api_key' | 'user' | 'agent' | 'portal' | 'system';
export type CredentialKind = 'none' | 'api_key' | 'jwt' | 'agent_token' | 'session' | 'portal';

/** Who asks. `id` is the API key's or the agent's; `credential.id` the row of the key, token or session that was shown. */
export interface Actor {
  type: ActorType;
  id: string;
  name: string;
  scopes: readonly string[];
  credential: { kind: CredentialKind; id: string };
  agent?: ActingAgent;
}

/** The most that a field asks of an actor; checked before any input is read. `operator` is everyone but agents. */
export type Audience = 'public' | 'any' | 'operator' | 'api_key';

/** What happens by itself, for those who must see to it at once: a sandbox whose clock is advanced. */
export interface Agenda {
  /** Tables whose rows have a due_at. */
  tables: readonly string[];
  /** Publishes what was written and does what is due, until nothing is left that can be taken. */
  settle(): Promise<void>;
}

/** Long-lived parts of the process, made once by main (or by the test harness) and handed to every request and worker. */
export interface Platform {
  config: Config;
  database: Database;
  cache: CoherentCache;
  /** What is told to the readers of every process. */
  fanout: Fanout;
  /** Milliseconds between the heartbeats of a stream. */
  heartbeatMs: number;
  vault: Vault;
  /** Sends to places that tenants name. */
  outbound: Outbound;
  /** Real time. Credentials and rate limits live in it. */
  clock: Clock;
  log: Logger;
  agenda: Agenda;
  /** Rung when this process has written rows that are due at once. */
  due: Signal;
  /** Rung when this process has published events. */
  published: Signal;
}

export interface Ctx {
  actor: Actor;
  workspace: Workspace;
  /** A client that sees this workspace alone. */
  db: Db;
  /** Workspace time: what happens to things. */
  clock: Clock;
  platform: Platform;
  log: Logger;
  requestId: string;
  ip: string;
  /** Set when the request carries an Idempotency-Key. */
  idempotency?: IdempotencyClaim;
}
