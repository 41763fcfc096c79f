// What a rule is given: who asks, in which workspace, with what. A plain object per request; nothing of it lives in a module.
import type { Config } from '../config.js';
import type { Browser } from './browser.js';
import type { CoherentCache } from './cache.js';
import type { Cells } from './cell/cells.js';
import type { Clock } from './clock.js';
import type { DueBell } from './due/due-bell.js';
import type { Effect } from './effect.js';
import type { Extensions } from './extension.js';
import type { Fanout } from './fanout.js';
import type { Logger } from './log.js';
import type { Operations } from './operation.js';
import type { Outbound } from './outbound/client.js';
import type { Database, Db, Tx } from './postgres/database.js';
import type { Line } from './processes/line.js';
import type { DrawnBudget, OperatorRates } from './rate-limit.js';
import type { PrintInput } from './schema/print-input.js';
import type { SchemaChecker } from './schema-checker.js';
import type { Role } from './scope.js';
import type { Vault } from './secrets/vault.js';
import type { Signal } from './signal.js';
import type { TracePlace, TraceSpan, Tracing } from './trace.js';

export type Environment = 'test' | 'live';

/** One half of a tenant. Every scoped row carries its id. `clockOffsetMs` moves the time of a sandbox. */
export interface Workspace extends OperatorRates {
  id: string;
  tenantId: string;
  environment: Environment;
  clockOffsetMs: number;
}

/** The driver reads a bigint as text, Prisma as a bigint. */
type WorkspaceRow = Omit<Workspace, 'clockOffsetMs'> & { clockOffsetMs: bigint | string };

/** The workspace of a row as a database client reads it. */
export function workspaceOf({ id, tenantId, environment, clockOffsetMs, actorRate = null, workspaceRate = null }: WorkspaceRow): Workspace {
  return { id, tenantId, environment, clockOffsetMs: Number(clockOffsetMs), actorRate, workspaceRate };
}

/** The agent behind an actor, as last read with the credential. Postings check it again. */
export interface ActingAgent {
  id: string;
  name: string;
  status: 'active' | 'frozen' | 'suspended' | 'revoked';
  kyaTier: number;
  parentAccountId: string;
}

/** What a portal token may be given (CONTRACT.md 18). */
export const portalScopes = ['usage:read', 'transfers:read', 'agents:read'] as const;
export type PortalScope = (typeof portalScopes)[number];

/** Whose data a portal token shows: a customer reference, and the accounts that have it, oldest first. */
export interface Customer {
  reference: string;
  accountIds: readonly string[];
}

/** What a member of a tenant may decide: approvals of at most `maxAmount` minor units of `currency`; null: of any amount. */
export interface MemberAuthority {
  maxAmount: bigint | null;
  currency: string;
}

/** How a person signs in. */
export type SignInMethod = 'password' | 'passkey' | 'oidc';

/** The person behind an actor, as last read with the browser session. Postings check it again. */
export interface ActingMember {
  id: string;
  name: string;
  role: Role;
  /** Null: decides nothing. */
  authority: MemberAuthority | null;
  /** By which the person steps up. */
  methods: readonly SignInMethod[];
  /** When the person last signed in or stepped up, in real time. */
  signedInAt: Date;
}

/** The connection of a program behind an agent's actor: its token stands for the agent, within these bounds. */
export interface ActingConnection {
  id: string;
  /** OAuth scopes, `agent:read` and `agent:act`. */
  scopes: readonly string[];
  /** Who let the program in: the connection is good as long as this member is active. */
  memberId: string;
  budgetId: string | null;
  expiresAt: Date;
}

/** `user` is a JWT session, which stands for its API key; `member` a person, whom the wire calls `user` too. */
export type ActorType = 'anonymous' | 'api_key' | 'user' | 'member' | 'agent' | 'portal' | 'system';
export type CredentialKind = 'none' | 'api_key' | 'jwt' | 'login' | 'agent_token' | 'session' | 'connection' | 'portal';

/**
 * Who asks. `id` is the API key's, the member's or the agent's; `credential.id` the row of the key, token or session that was shown, or the
 * id of the JWT.
 */
export interface Actor {
  type: ActorType;
  id: string;
  name: string;
  scopes: readonly string[];
  /** `keyThumbprint`: of the agent's key that signed for it, where one did. */
  credential: { kind: CredentialKind; id: string; keyThumbprint?: string };
  agent?: ActingAgent;
  /** Of a person alone. */
  member?: ActingMember;
  /** Of an agent whose connection asks. */
  connection?: ActingConnection;
  /** Of a portal token alone. */
  customer?: Customer;
}

/** The most that a field asks of an actor; checked before any input is read. `operator` is everyone but agents. */
export type Audience = 'public' | 'any' | 'operator' | 'api_key';

/** The background work of one workspace, for a sandbox whose clock is advanced. */
export interface Agenda {
  /** Tables whose rows have a due_at. */
  tables: readonly string[];
  /** Publishes what the workspace wrote, and lets listeners hear it. */
  publish(workspaceId: string): Promise<void>;
  /** Publishes what the workspace wrote, lets listeners hear it, and runs what is due, until nothing is left that can be taken. */
  settle(workspaceId: string): Promise<void>;
  /** True while a listener has not heard what was published in it: another process may be about to. */
  isUnheard(workspaceId: string): Promise<boolean>;
}

/**
 * Long-lived parts of a cell, made once for each that the process serves and handed to every request and worker. Of one cell are its database
 * and what rests on it: cache, fanout, agenda and bells. The rest is the process's, for all of its cells.
 */
export interface Platform {
  /** The name of the cell. */
  cell: string;
  /** The cells of the process. */
  cells: Cells<Platform>;
  config: Config;
  database: Database;
  cache: CoherentCache;
  /** Announces items to the readers of every process. */
  fanout: Fanout;
  /** Milliseconds between the heartbeats of a stream. */
  heartbeatMs: number;
  vault: Vault;
  /** Prints inputs of requests, by the schema. */
  printInput: PrintInput;
  /** Runs operations of REST for rules. */
  operations: Operations<Ctx>;
  /** Holds values to JSON Schemas of callers. */
  schemas: SchemaChecker;
  /** Sends to places that tenants name. */
  outbound: Outbound;
  /** Real time. Credentials and rate limits live in it. */
  clock: Clock;
  log: Logger;
  agenda: Agenda;
  /** What contexts hand to those below them. */
  extensions: Extensions;
  /** Rung when this process has written rows that become due soon. */
  due: DueBell;
  /** Rung when this process has published events. */
  published: Signal;
  /** Absent where nothing is traced. */
  tracing?: Tracing;
  /** The first process, which counts what this one shares with others; absent in a process that was started alone. */
  primary?: Line;
}

/** What a request with a key carries. `key` is a digest of scope and key, `replayOf` the reference of the first run. */
export interface IdempotencyClaim {
  key: string;
  fingerprint: string;
  expiresAt: Date;
  replayOf?: string;
  /** Set once the claim is written with the effect. */
  recorded: boolean;
  /** Set where a replay makes the very answer of the first run again from its reference, over REST: none is stored then. */
  remade?: boolean;
}

// Gap G-365: An entry is written for each transaction of a mutation, door or due step; refusals, dry runs and repeats make none.
/** What is being done, as the audit log names it. */
export interface Act {
  /** The operation: a mutation, a door, or `due.` and the table of what became due. */
  action: string;
  /** The noun that it is about, and the id where the request names it; else the result's is taken. */
  resourceType?: string;
  resourceId?: string;
  /** What was asked for, without secrets; made when it is written. */
  changes?: () => Record<string, unknown> | null;
  /** What it came to, where that is a part of its leaf. */
  outcome?: Readonly<Record<string, unknown>>;
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
  /** Trace of the request, from its `traceparent`: 32 hexadecimal digits. Kept as `trace_id` on what the request makes. */
  traceId?: string;
  /** Where in its trace the request stands; its id is `traceId`. */
  trace?: TracePlace;
  /** What is under way, when the request is traced: spans begin below it. */
  span?: TraceSpan;
  ip: string;
  /** Where callers reach the listener that the request came by; absent where it came by none. */
  origin?: () => string;
  effect: Effect;
  /** The transaction that every change of this ctx is a part of (platform/idempotency.ts, `joining`); absent where each has its own. */
  joins?: Tx;
  /** Set when the request carries an Idempotency-Key. */
  idempotency?: IdempotencyClaim;
  /** What the audit log is told of its changes; null: nothing, for work that keeps books. */
  act?: Act | null;
  /** The budgets that the request has drawn on; absent where it came by no listener. */
  budgets?: readonly DrawnBudget[];
  /** What a browser that asks is given beside the answer; absent where its cookies count for nothing. */
  browser?: Browser;
}

/** The ctx for rules that only read, inside a transaction: they take no second connection, for which everybody may be waiting. */
export function within(ctx: Ctx, tx: Tx): Ctx {
  return { ...ctx, db: tx as Db };
}
