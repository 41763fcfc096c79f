// A posting is a pure value: legs that sum to zero per currency, limits that must hold, guards and claims, and the rows that are
// recorded with it. ledger_post() applies it wholly or not at all (prisma/functions; docs/architecture.md 5).
import type { Actor, Ctx } from '../platform/ctx.js';
import type { Effect } from '../platform/effect.js';
import type { Row } from '../platform/postgres/column.js';
import { newId } from '../platform/schema/id.js';
import type { TraceSpan } from '../platform/trace.js';
import type { Records, RowChange } from './record.js';
import { recordsItsTransfer } from './transaction.js';

/** One signed movement on one ledger account, minor units: positive raises the balance. */
export interface Leg {
  accountId: string;
  currency: string;
  amount: bigint;
  /** Money that was held and goes back where it came from: it always fits (see G-11). */
  returns?: true;
}

/**
 * A use of a limit: `used + reserved` of the counter in this window may not pass `maximum`; without one nothing is checked. Negative
 * amounts give back.
 */
export interface LimitUse {
  counter: string;
  window: string;
  used: bigint;
  reserved: bigint;
  maximum: bigint | null;
  /** Amounts whose passing, upwards, is recorded as a limit_crossing. */
  marks?: readonly bigint[] | undefined;
}

/** A row whose state must hold at the moment of posting. One SQL function for each kind says when it does (guard_refusal). */
export interface Guard {
  kind:
    | 'workspace'
    | 'api_key'
    | 'jwt'
    | 'login'
    | 'member'
    | 'session'
    | 'agent'
    | 'agent_token'
    | 'connection'
    | 'payee'
    | 'payer'
    | 'mandate';
  id: string;
  /** Real time by which a row that expires is judged; the time of the posting by default. */
  at?: Date;
}

/** Something that a posting uses up, once for ever, or until `expiresAt`. `key` is unique within its kind and workspace. */
export interface Claim {
  kind: 'idempotency_key' | 'reference' | 'quote' | 'batch_item' | 'x402_nonce' | 'mpp_challenge';
  key: string;
  /** What it was used for. */
  reference?: string;
  /** What another use is compared with, to tell a repetition from a mistake. */
  fingerprint?: string;
  expiresAt?: Date;
}

export interface Posting {
  /** Id of the ledger transaction, a transfer's own for that which records it; a second posting with it is refused by the database. */
  id: string;
  workspaceId: string;
  at: Date;
  /** The transfer that this posting belongs to. Its uses of limits are found again by it. */
  transferId: string | null;
  /** The row of that transfer as its transaction leaves it, where it is changed after the posting. */
  transferAfter?: Row;
  legs: readonly Leg[];
  limits: readonly LimitUse[];
  guards: readonly Guard[];
  claims: readonly Claim[];
  records: Records;
  /** Rows that it changes, each as it was read: a posting is refused where one has become another. */
  changes?: readonly RowChange[];
  /** Of the request that posts: it notes what may have been committed, for what a failure says. */
  effect?: Effect;
  /** What the request is doing, when it is traced. */
  span?: TraceSpan | undefined;
}

/** Two legs that move `amount` from one account to another. */
export function move(currency: string, amount: bigint, from: string, to: string): Leg[] {
  return [
    { accountId: from, currency, amount: -amount },
    { accountId: to, currency, amount },
  ];
}

/** The guards of whoever asks: its credential, and the agent that spends (`agentId` when an API key acts for one). */
export function guardsOf({ actor, platform }: Pick<Ctx, 'actor' | 'platform'>, agentId = actor.agent?.id): Guard[] {
  const guards = credentialGuards(actor, platform.clock.now());
  return agentId === undefined ? guards : [...guards, { kind: 'agent', id: agentId }];
}

function credentialGuards({ type, id, credential }: Actor, at: Date): Guard[] {
  if (credential.kind === 'session') return [{ kind: 'session', id: credential.id }];
  if (credential.kind === 'agent_token') return [{ kind: 'agent_token', id: credential.id, at }];
  // What a person has set up goes on after the browser session, as long as the person is a member: it names the member in its place.
  if (credential.kind === 'login') return [credential.id === id ? { kind: 'member', id } : { kind: 'login', id: credential.id, at }];
  if (credential.kind === 'connection') return [{ kind: 'connection', id: credential.id, at }];
  // A JWT session dies with the key that it was made with, whose id the user has, and may be signed out before.
  if (credential.kind === 'jwt') {
    return [
      { kind: 'api_key', id },
      { kind: 'jwt', id: credential.id },
    ];
  }
  // What a key has set up goes on without it: it shows none.
  if (credential.kind === 'none') return [];
  return type === 'api_key' || type === 'user' ? [{ kind: 'api_key', id }] : [];
}

/** A posting of the request: id, workspace and time come from `ctx`, the rest from `parts`. */
export function posting(ctx: Ctx, parts: Pick<Posting, 'legs' | 'transferId'> & Partial<Posting>): Posting {
  const at = parts.at ?? ctx.clock.now();
  const { effect, span, workspace } = ctx;
  return { id: newId(at), workspaceId: workspace.id, at, limits: [], guards: [], claims: [], records: {}, effect, span, ...parts };
}

/**
 * Throws when a posting is not one: it moves nothing (unless it changes uses of limits, asks guards, or records rows, alone), has a zero
 * leg, a currency that does not sum to zero, or the id of a transfer that it does not record. A fault of ours.
 */
export function checkPosting({
  legs,
  limits = [],
  guards = [],
  records = {},
  id,
  transferId,
}: Pick<Posting, 'legs'> & Partial<Posting>): void {
  const sums = new Map<string, bigint>();
  for (const { currency, amount } of legs) {
    if (amount === 0n) throw new Error('a leg of a posting moves nothing');
    sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  }
  if (id !== undefined && id === transferId && !recordsItsTransfer({ id, transferId, records })) {
    throw new Error('only the posting that records a transfer has its id');
  }
  const others = limits.length + guards.length + Object.keys(records).length;
  if (legs.length < 2 && (legs.length > 0 || others === 0)) throw new Error('a posting has at least two legs');
  for (const [currency, sum] of sums) if (sum !== 0n) throw new Error(`the legs of a posting in ${currency} sum to ${sum}`);
}
