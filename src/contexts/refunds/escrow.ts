// Money that is disputed while it is still in escrow: its transfer is pending, so nothing is refunded. Resolving the dispute splits the
// escrow, which the context whose money it is does (CONTRACT.md 13).
import type { Dispute, Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { onePart } from '../../platform/extension.js';
import type { Tx } from '../../platform/postgres/database.js';

/** Gives so much of what is in escrow back, minor units, and pays the rest. Called under the lock of the dispute. */
export type EscrowSplit = (ctx: Ctx, tx: Tx, dispute: Dispute, refunded: bigint) => Promise<void>;

/** Who splits what is disputed in escrow. */
export const escrowSplit = onePart<EscrowSplit>('who splits an escrow');

/** True for a transfer whose money is in the escrow of something that can be disputed. */
export function isInEscrow({ status, subjectType }: Pick<Transfer, 'status' | 'subjectType'>): boolean {
  return subjectType === 'task' && status === 'pending';
}

/** Splits the escrow behind a dispute. */
export async function splitEscrow(ctx: Ctx, tx: Tx, dispute: Dispute, refunded: bigint): Promise<void> {
  await ctx.platform.extensions.of(escrowSplit)(ctx, tx, dispute, refunded);
}
