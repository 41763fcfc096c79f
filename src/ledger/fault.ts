// What stands in the way of a posting, as numbers: the ledger words nothing. Every fault is reported, and whoever asked says which
// of them counts, and how it reads.
import type { Claim, Guard, LimitUse, Posting } from './posting.js';
import type { RowChange } from './record.js';

/**
 * One fault. `subject` begins with the workspace and names the account, guard, limit or claim. Refusals:
 * - account: not_found, wallet_closed, wallet_frozen, insufficient_balance, balance_too_large
 * - guard: what the function of its kind answers
 * - limit: limit_exceeded
 * - claim: claimed
 *
 * `detail` has amounts as minor units in decimal text: owner_id, currency, available, requested of an account; counter, window,
 * maximum, used, requested of a limit; kind and id of a guard; kind and key of a claim.
 */
export interface Fault {
  kind: 'account' | 'limit' | 'guard' | 'claim';
  subject: string;
  refusal: string;
  detail: Readonly<Record<string, string>>;
}

/** A posting was refused and had no effect. `faults` are all that stood in its way. */
export class PostingRefused extends Error {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(`the ledger refused a posting: ${faults.map(({ subject, refusal }) => `${subject} ${refusal}`).join(', ')}`);
    this.faults = faults;
  }
}

/** The subject of a fault of an account. */
export function accountSubject(workspaceId: string, accountId: string): string {
  return `${workspaceId} ${accountId}`;
}

/** The subject of a fault of a guard. */
export function guardSubject(workspaceId: string, { kind, id }: Guard): string {
  return `${workspaceId} ${kind} ${id}`;
}

/** The subject of a fault of a limit. */
export function limitSubject(workspaceId: string, { counter, window }: Pick<LimitUse, 'counter' | 'window'>): string {
  return `${workspaceId} ${counter} ${window}`;
}

/** The subject of a fault of a claim. */
export function claimSubject(workspaceId: string, { kind, key }: Pick<Claim, 'kind' | 'key'>): string {
  return `${workspaceId} ${kind} ${key}`;
}

/** The subject of a fault of a row that a posting changes; its kind is `guard`. */
export function changeSubject(workspaceId: string, { kind, id }: Pick<RowChange, 'kind' | 'id'>): string {
  return `${workspaceId} ${kind} ${id}`;
}

/** Refusals that concern only what takes money out of the account. */
const ofDebits = new Set(['insufficient_balance', 'wallet_frozen']);

/** True when the fault of a set stands in the way of this posting of it. */
export function concerns({ kind, subject, refusal }: Fault, { workspaceId, legs, guards, limits, claims, changes = [] }: Posting): boolean {
  switch (kind) {
    case 'account':
      return legs.some(
        ({ accountId, amount }) => accountSubject(workspaceId, accountId) === subject && (amount < 0n || !ofDebits.has(refusal)),
      );
    case 'guard':
      return (
        guards.some((guard) => guardSubject(workspaceId, guard) === subject) ||
        changes.some((change) => changeSubject(workspaceId, change) === subject)
      );
    case 'limit':
      return limits.some((use) => limitSubject(workspaceId, use) === subject);
    case 'claim':
      return claims.some((claim) => claimSubject(workspaceId, claim) === subject);
  }
}
