// What a transfer is a part of: the thing for whose sake its money moves. Each is a column of its row.
import type { Transfer } from '../../generated/prisma/client.js';

/** The columns that name such a thing. */
type LinkColumn =
  | 'batchId'
  | 'streamId'
  | 'refundId'
  | 'payoutId'
  | 'fundingId'
  | 'executionId'
  | 'mandateId'
  | 'checkoutId'
  | 'cardChargeId'
  | 'taskId';

/** Bare ids. */
export type TransferLinks = Partial<Record<LinkColumn, string>>;

/** The columns of the row. */
export function linkColumns(links: TransferLinks = {}): Pick<Transfer, LinkColumn> {
  return {
    batchId: links.batchId ?? null,
    streamId: links.streamId ?? null,
    refundId: links.refundId ?? null,
    payoutId: links.payoutId ?? null,
    fundingId: links.fundingId ?? null,
    executionId: links.executionId ?? null,
    mandateId: links.mandateId ?? null,
    checkoutId: links.checkoutId ?? null,
    cardChargeId: links.cardChargeId ?? null,
    taskId: links.taskId ?? null,
  };
}
