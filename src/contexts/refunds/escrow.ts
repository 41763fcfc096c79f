// Money that is disputed while it is still in escrow: its transfer is pending, so nothing is refunded. Resolving the dispute splits the
// escrow, which the context whose money it is declares (CONTRACT.md 13).
import type { Dispute, Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';

/** Gives so much of what is in escrow back, minor units, and pays the rest. Called under the lock of the dispute. */
export type EscrowSplit = (ctx: Ctx, tx: Tx, dispute: Dispute, refunded: bigint) => Promise<void>;

const splits: EscrowSplit[] = [];

/** Declares who splits what is disputed in escrow. Throws when there is one. */
export function declareEscrowSplit(split: EscrowSplit): void {
  if (splits.length > 0) throw new Error('who splits an escrow is declared twice');
  splits.push(split);
}

/** True for a transfer whose money is in the escrow of something that can be disputed. */
export function isInEscrow({ status, taskId }: Pick<Transfer, 'status' | 'taskId'>): boolean {
  return taskId !== null && status === 'pending';
}

/** Splits the escrow behind a dispute. */
export async function splitEscrow(ctx: Ctx, tx: Tx, dispute: Dispute, refunded: bigint): Promise<void> {
  const [split] = splits;
  if (split === undefined) throw new Error('nobody splits what is in escrow');
  await split(ctx, tx, dispute, refunded);
}
