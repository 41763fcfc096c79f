// What a transfer was when it was made, from its row: the answer of a keyed request is printed again from it, and not stored (decision 0062).
import type { Transfer } from '../../generated/prisma/client.js';

/** True for a transfer that its own posting completed: nothing of it changes later but what was refunded, and when that was. */
function isMadeComplete({ status, holdId, approvalId, scheduledFor, createdAt, completedAt }: Transfer): boolean {
  const waited = holdId !== null || approvalId !== null || scheduledFor !== null;
  return status === 'completed' && !waited && completedAt?.getTime() === createdAt.getTime();
}

/** The transfer as it was made, where that is known; else as it is. */
export function asMade(transfer: Transfer): Transfer {
  return isMadeComplete(transfer) ? { ...transfer, refundedAmount: 0n, updatedAt: transfer.createdAt } : transfer;
}

/** Whether asMade() of its row prints like the transfer that was just made, to the byte. PostgreSQL keeps no order of members. */
export function isRemade(made: Transfer): boolean {
  return isMadeComplete(made) && [made.metadata, made.sharedMetadata, made.protocolMetadata].every(keepsItsOrder);
}

/** True where a value reads like it did before jsonb had it, which puts members in order of their length, then of their bytes. */
function keepsItsOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const members = Object.entries(value);
  if (Array.isArray(value) || members.length < 2) return members.every(([, member]) => keepsItsOrder(member));
  const names = members.map(([name]) => Buffer.from(name));
  return names.every((name, at) => isBefore(names[at - 1], name)) && members.every(([, member]) => keepsItsOrder(member));
}

function isBefore(one: Buffer | undefined, other: Buffer): boolean {
  if (one === undefined || one.length < other.length) return true;
  return one.length === other.length && one.compare(other) < 0;
}
