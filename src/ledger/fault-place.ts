// Which posting of a set a fault is about. Faults of a set speak of its sums: the posting is the one with which the sum has passed.
import { accountSubject, concerns, type Fault, limitSubject } from './fault.js';
import type { Posting } from './posting.js';

/**
 * The index of the posting that a fault of the set stands in the way of, as if they were posted one after the other. -1 for a fault that
 * concerns none of them.
 */
export function faultyPosting(fault: Fault, set: readonly Posting[]): number {
  const concerned = set.flatMap((posting, index) => (concerns(fault, posting) ? [index] : []));
  const [first = -1] = concerned;
  const left = roomOf(fault);
  if (left === undefined) return first;
  let sum = 0n;
  for (const index of concerned) {
    sum += takenBy(set[index] as Posting, fault);
    if (sum > left) return index;
  }
  return concerned.at(-1) ?? -1;
}

/** What the set could have taken; undefined for a fault that is about no sum. */
function roomOf({ kind, refusal, detail }: Fault): bigint | undefined {
  if (refusal === 'insufficient_balance') return BigInt(detail['available'] ?? '0');
  if (kind === 'limit') return BigInt(detail['maximum'] ?? '0') - BigInt(detail['used'] ?? '0');
  return undefined;
}

/** What a posting takes of the account or the limit that a fault is about. */
function takenBy({ workspaceId, legs, limits }: Posting, { kind, subject }: Fault): bigint {
  if (kind === 'limit') {
    return limits
      .filter((use) => limitSubject(workspaceId, use) === subject)
      .reduce((sum, { used, reserved }) => sum + used + reserved, 0n);
  }
  return legs
    .filter(({ accountId, amount }) => amount < 0n && accountSubject(workspaceId, accountId) === subject)
    .reduce((sum, { amount }) => sum - amount, 0n);
}
