// Holds: money set aside in an escrow account of any kind, and resolved exactly once: captured, partly captured, or released. The
// uses of limits stay with the transfer, in its ledger transactions: a capture settles them, a refund may give them back.
import type { Hold } from '../generated/prisma/client.js';
import { rowOf } from '../platform/postgres/column.js';
import type { Tx } from '../platform/postgres/database.js';
import { type Leg, type LimitUse, move } from './posting.js';
import type { Records } from './record.js';

/** Money to set aside, minor units. `heldAccountId` is the escrow account, `toAccountId` where the money goes when it is captured. */
export type NewHold = Pick<
  Hold,
  'workspaceId' | 'id' | 'transferId' | 'fromAccountId' | 'heldAccountId' | 'toAccountId' | 'currency' | 'amount' | 'createdAt'
>;

/** The legs of a hold, and its row, for the posting that sets the money aside. */
export function setAside(hold: NewHold): { legs: Leg[]; records: Records } {
  const { currency, amount, fromAccountId, heldAccountId } = hold;
  return { legs: move(currency, amount, fromAccountId, heldAccountId), records: { hold: [rowOf(hold)] } };
}

/** Uses of limits that a hold reserves, instead of using them up. */
export function reserved(limits: readonly LimitUse[]): LimitUse[] {
  return limits.map((use) => ({ ...use, used: 0n, reserved: use.used }));
}

/** How a hold is resolved: `capture` (minor units, at most its amount) goes to `to`, by default where it was meant for. */
export interface Resolution {
  capture: bigint;
  to?: string;
  at: Date;
  /** All that was reserved of limits is given back, also for what is captured: its posting takes uses of its own. */
  usesAnew?: boolean;
}

/**
 * Resolves a hold inside a transaction, whose posting takes the legs and limits: what is captured goes on, the rest returns, and of
 * the limits that were reserved what was captured stays used. Throws when another transaction has resolved it.
 */
export async function resolve(tx: Tx, hold: Hold, resolution: Resolution): Promise<{ legs: Leg[]; limits: LimitUse[] }> {
  const { workspaceId, id, transferId, currency, amount, heldAccountId, fromAccountId, toAccountId } = hold;
  const { capture, to, at, usesAnew = false } = resolution;
  if (capture < 0n || capture > amount) throw new Error(`a capture of ${capture} does not fit a hold of ${amount}`);
  const { count } = await tx.hold.updateMany({
    where: { workspaceId, id, status: 'held' },
    data: { status: capture > 0n ? 'captured' : 'released', capturedAmount: capture, resolvedAt: at },
  });
  if (count === 0) throw new Error(`the hold ${id} was resolved before`);
  const rest = amount - capture;
  const legs = [
    ...(capture > 0n ? move(currency, capture, heldAccountId, to ?? toAccountId) : []),
    ...(rest > 0n ? move(currency, rest, heldAccountId, fromAccountId).map((leg): Leg => ({ ...leg, returns: true })) : []),
  ];
  const uses = await reservedUses(tx, workspaceId, transferId);
  return { legs, limits: uses.map((use) => settled(use, usesAnew ? 0n : capture, amount)) };
}

/** Uses up what a transfer without a hold has reserved of limits, in the windows in which it did: its money has come from outside. */
export async function useReserved(tx: Tx, workspaceId: string, transferId: string): Promise<LimitUse[]> {
  const uses = await reservedUses(tx, workspaceId, transferId);
  return uses.map((use) => settled(use, 1n, 1n));
}

/** Gives back all that a transfer has reserved of limits, in the windows in which it did, while its hold stays as it is. */
export async function giveBackReserved(tx: Tx, workspaceId: string, transferId: string): Promise<LimitUse[]> {
  const uses = await reservedUses(tx, workspaceId, transferId);
  return uses.map((use) => settled(use, 0n, 1n));
}

async function reservedUses(tx: Tx, workspaceId: string, transferId: string): Promise<LimitUse[]> {
  const uses = await usesOf(tx, workspaceId, transferId);
  return uses.filter((use) => use.reserved > 0n);
}

/**
 * What was reserved becomes used as far as it was captured, and is given back for the rest. A part of a unit is a whole one: a spend
 * is one, however little of it was captured, and amounts in other currencies are rounded up.
 */
function settled({ counter, window, reserved: held }: LimitUse, captured: bigint, amount: bigint): LimitUse {
  return { counter, window, used: (held * captured + amount - 1n) / amount, reserved: -held, maximum: null };
}

interface UseRow {
  counter: string;
  window: string;
  used: string;
  reserved: string;
}

/** What the postings of a transfer have used of each limit, in all: what a capture settles and a refund may give back. */
export async function usesOf(tx: Tx, workspaceId: string, transferId: string): Promise<LimitUse[]> {
  const rows = await tx.$queryRaw<UseRow[]>`
    SELECT u.counter, u."window", sum(u.used)::text AS used, sum(u.reserved)::text AS reserved
    FROM ledger_transaction t,
      jsonb_to_recordset(t.limits) AS u (counter text, "window" text, used numeric, reserved numeric)
    WHERE t.workspace_id = ${workspaceId}::uuid AND t.limits IS NOT NULL
      AND (t.id = ${transferId}::uuid OR t.transfer_id = ${transferId}::uuid AND t.transfer_id <> t.id)
    GROUP BY u.counter, u."window" ORDER BY u.counter, u."window"`;
  return rows.map(({ counter, window, used, reserved: held }) => ({
    counter,
    window,
    used: BigInt(used),
    reserved: BigInt(held),
    maximum: null,
  }));
}

/** A part of what a transfer moved that is given back, minor units: after `before`, of `whole`. */
export interface PartGivenBack {
  part: bigint;
  whole: bigint;
  before?: bigint;
}

/**
 * What comes back of the uses of a transfer with a part of its money, in the windows in which they were used: rounded down over all
 * that has come back together.
 */
export function givenBack(uses: readonly LimitUse[], { part, whole, before = 0n }: PartGivenBack): LimitUse[] {
  return uses
    .map(({ counter, window, used }) => {
      const back = (used * (before + part)) / whole - (used * before) / whole;
      return { counter, window, used: -back, reserved: 0n, maximum: null };
    })
    .filter(({ used }) => used !== 0n);
}
