// A posting is a pure value: entries that sum to zero per currency, limits that must hold, and what is recorded with them.
// ledger_post() applies it wholly or not at all (prisma/migrations/*_ledger). ARCHITECTURE: docs/architecture.md "The ledger".
import type { Transfer } from '../generated/prisma/client.js';
import type { Actor, Ctx, Environment } from '../platform/ctx.js';
import type { Tx } from '../platform/database.js';
import type { EventRow } from '../platform/events.js';
import type { IdempotencyClaim } from '../platform/idempotency.js';
import { newId } from '../platform/ids.js';
import { refusalError } from './errors.js';
import { encodeSet, type Fault, postSet } from './posting-set.js';

/** One signed movement on one ledger account, minor units: positive raises the balance. */
export interface Leg {
  accountId: string;
  currency: string;
  amount: bigint;
}

/** A use of a limit: `used + reserved` of the counter in this window may not pass `maximum`. Negative amounts give back. */
export interface LimitUse {
  counter: string;
  window: string;
  used: bigint;
  reserved: bigint;
  maximum: bigint | null;
}

/** Money set aside by a posting, to be resolved by another. */
export interface NewHold {
  id: string;
  fromAccountId: string;
  heldAccountId: string;
  toAccountId: string;
  currency: string;
  amount: bigint;
  limits: readonly LimitUse[];
}

/** Whose authority a posting spends under: checked again inside the posting. */
export interface Spender {
  agentId?: string | undefined;
  sessionId?: string | undefined;
  apiKeyId?: string | undefined;
}

export interface Posting {
  /** Id of the ledger transaction, a transfer's own for its first; a second posting with it is refused by the database. */
  id: string;
  workspaceId: string;
  environment: Environment;
  at: Date;
  legs: readonly Leg[];
  limits: readonly LimitUse[];
  spender: Spender;
  /** The transfer that this posting belongs to. */
  transferId: string | null;
  /** Recorded with the posting. */
  transfer?: Transfer;
  hold?: NewHold;
  events: readonly EventRow[];
  claim?: { key: IdempotencyClaim; reference: string };
}

/** Two legs that move `amount` from one account to another. */
export function move(currency: string, amount: bigint, from: string, to: string): Leg[] {
  return [
    { accountId: from, currency, amount: -amount },
    { accountId: to, currency, amount },
  ];
}

/** The credential of `actor` as a spender. `agentId` names the agent that an API key acts for. */
export function spenderOf(actor: Actor, agentId?: string): Spender {
  const { kind, id } = actor.credential;
  return {
    agentId: actor.agent?.id ?? agentId,
    sessionId: kind === 'session' ? id : undefined,
    apiKeyId: actor.type === 'api_key' || actor.type === 'user' ? actor.id : undefined,
  };
}

/** A posting of the request: id, workspace, time and idempotency key come from `ctx`, the rest from `parts`. */
export function posting(ctx: Ctx, parts: Pick<Posting, 'legs' | 'transferId' | 'events'> & Partial<Posting>): Posting {
  const at = parts.at ?? ctx.clock.now();
  return { id: newId(at), workspaceId: ctx.workspace.id, environment: ctx.workspace.environment, at, limits: [], spender: {}, ...parts };
}

/** Throws when a posting is not one: no legs, a zero leg, or a currency that does not sum to zero. A fault of ours. */
export function checkPosting({ legs }: Pick<Posting, 'legs'>): void {
  const sums = new Map<string, bigint>();
  for (const { currency, amount } of legs) {
    if (amount === 0n) throw new Error('a leg of a posting moves nothing');
    sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  }
  if (legs.length < 2) throw new Error('a posting has at least two legs');
  for (const [currency, sum] of sums) if (sum !== 0n) throw new Error(`the legs of a posting in ${currency} sum to ${sum}`);
}

/**
 * Posts inside a transaction that also writes other rows. Call it last: its locks are then held shortly.
 * Throws the refusal as an error of the contract, which rolls the transaction back.
 */
export async function post(tx: Tx, value: Posting): Promise<void> {
  checkPosting(value);
  const [fault] = await tx.$queryRawUnsafe<Fault[]>(postSet, ...encodeSet([value]));
  if (fault !== undefined) throw refusalError(fault, value);
}
