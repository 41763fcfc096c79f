// Money that is disputed while it is still in escrow: its transfer is pending, so nothing is refunded. Resolving the dispute splits the
// escrow, as the noun whose money it is does (CONTRACT.md 13).
import type { Transfer } from '../../generated/prisma/client.js';
import type { TransferSubject } from '../../manifest/noun.js';
import type { Ctx } from '../../platform/ctx.js';
import { transferSubjectOf } from '../transfers/subject.js';

/** The escrow that holds the money of a transfer; undefined for what is paid, or was never in one. */
export function escrowOf(ctx: Pick<Ctx, 'platform'>, transfer: Transfer): TransferSubject['escrow'] {
  return transfer.status === 'pending' ? transferSubjectOf(ctx, transfer)?.escrow : undefined;
}
