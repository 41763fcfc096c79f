// The row of a refund: the same for one between wallets, which is completed at once, and for one that goes back to a card.
import type { Prisma, Refund, RefundReason, Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';
import { initiatorOf } from '../spending/approval/approval-request.js';

/** What somebody asks to be refunded; the lock of the original is held. */
export interface RefundRequest {
  original: Transfer;
  /** Minor units of the currency that the original was sent in; null: all that is left. */
  amount: bigint | null;
  reason: RefundReason;
  reasonDetails?: string | null | undefined;
  disputeId?: string;
}

/** What is decided of it when it is written. */
export interface RefundMade {
  id: string;
  sum: bigint;
  at: Date;
  transferId: string;
  status: 'completed' | 'processing';
  payerAgentId: string | null;
  payeeAgentId: string | null;
}

/** The members of a new refund. */
export function refundData(
  ctx: Ctx,
  { original, reason, reasonDetails, disputeId }: RefundRequest,
  made: RefundMade,
): Prisma.RefundCreateInput {
  const { id, sum, at, transferId, status, payerAgentId, payeeAgentId } = made;
  return {
    id,
    originalTransferId: original.id,
    amount: sum,
    currency: original.currency,
    reason,
    reasonDetails: reasonDetails ?? null,
    status,
    refundTransferId: transferId,
    disputeId: disputeId ?? null,
    payerAgentId,
    payeeAgentId,
    initiatedByType: initiatorOf(ctx.actor.type),
    initiatedById: ctx.actor.id,
    createdAt: at,
    completedAt: status === 'completed' ? at : null,
  };
}

/** What a refund is, for the evidence of its transfer: without what was written about it. */
export function refundOutcome({
  id,
  amount,
  currency,
  reason,
  status,
  originalTransferId,
  refundTransferId,
  disputeId,
}: Refund): Record<string, unknown> {
  return {
    amount: formatMinor(amount, currency),
    currency,
    dispute_id: disputeId && printId('dispute', disputeId),
    id: printId('refund', id),
    original_transfer_id: printId('transfer', originalTransferId),
    reason,
    refund_transfer_id: refundTransferId && printId('transfer', refundTransferId),
    status,
  };
}
