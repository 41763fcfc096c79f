// What a transfer leaves among the operations: one row when it becomes final (CONTRACT.md 17).
import type { Transfer } from '../../generated/prisma/client.js';
import type { Records } from '../../ledger/record.js';
import type { Ctx } from '../../platform/ctx.js';
import type { RateBook } from '../rates/rate.js';
import { type NewOperation, operationRecord } from '../usage/operation.js';

function kindOf({ type, fromWalletId, refundId, streamId }: Transfer): Pick<NewOperation, 'category' | 'operation'> {
  if (refundId !== null) return { category: 'refund', operation: `refund.${type}` };
  if (streamId !== null) return { category: 'stream_action', operation: type.replace('_', '.') };
  return { category: 'transfer', operation: fromWalletId === null ? 'transfer.funding' : `transfer.${type}` };
}

/** The operation of a transfer that has become final at `at`; `moved` is what really moved, minor units. */
export function operationOf(transfer: Transfer, moved: bigint, at: Date): NewOperation {
  const { status, protocol, currency, agentId, traceId } = transfer;
  return {
    at,
    ...kindOf(transfer),
    protocol,
    success: status === 'completed',
    amount: moved,
    currency,
    actorType: transfer.initiatedByType,
    actorId: transfer.initiatedById,
    agentId,
    accountId: transfer.fromAccountId,
    counterpartyId: transfer.toAccountId,
    subjectId: transfer.id,
    traceId,
  };
}

/** The same as a record of the posting that makes the transfer final. */
export function transferOperation(ctx: Pick<Ctx, 'workspace'>, transfer: Transfer, moved: bigint, at: Date, rates: RateBook): Records {
  return { operation: [operationRecord(ctx, operationOf(transfer, moved, at), rates)] };
}
