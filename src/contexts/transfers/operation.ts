// What a transfer leaves among the operations: one row when it becomes final (CONTRACT.md 17).
import type { Transfer } from '../../generated/prisma/client.js';
import type { Records } from '../../ledger/record.js';
import type { Ctx } from '../../platform/ctx.js';
import type { RateBook } from '../rates/rate.js';
import { type NewOperation, operationRecord } from '../usage/operation.js';

function kindOf({
  type,
  fromWalletId,
  refundId,
  streamId,
  mandateId,
  checkoutId,
  taskId,
  cardChargeId,
  protocol,
  capture,
  protocolMetadata,
}: Transfer): Pick<NewOperation, 'category' | 'operation'> {
  if (refundId !== null) return { category: 'refund', operation: `refund.${type}` };
  if (checkoutId !== null) return { category: 'checkout', operation: 'checkout.complete' };
  if (taskId !== null) return { category: 'task_payment', operation: 'task.pay' };
  if (mandateId !== null) return { category: 'mandate_execution', operation: 'mandate.execute' };
  const isTopUp = (protocolMetadata as { top_up?: true } | null)?.top_up === true;
  if (streamId !== null) return { category: 'stream_action', operation: isTopUp ? 'stream.top_up' : type.replace('_', '.') };
  if (cardChargeId !== null) return { category: 'checkout', operation: 'checkout.charge' };
  if (protocol === 'x402') return { category: 'x402_payment', operation: 'x402.pay' };
  if (protocol === 'mpp') return { category: 'mpp_payment', operation: capture === 'manual' ? 'mpp.session' : 'mpp.pay' };
  return { category: 'transfer', operation: fromWalletId === null ? 'transfer.funding' : `transfer.${type}` };
}

/**
 * The operation of a transfer that has become final at `at`; `moved` is what really moved, minor units. What is put into a stream counts
 * when it is paid out. It belongs to the agent that spends, or else to the one that asked for it.
 */
export function operationOf(transfer: Transfer, moved: bigint, at: Date): NewOperation {
  const { type, status, protocol, currency, traceId } = transfer;
  const agentId = transfer.agentId ?? (transfer.initiatedByType === 'agent' ? transfer.initiatedById : null);
  return {
    at,
    ...kindOf(transfer),
    protocol,
    success: status === 'completed',
    amount: type === 'stream_start' ? 0n : moved,
    currency,
    actorType: transfer.initiatedByType,
    actorId: transfer.initiatedById,
    agentId,
    accountId: transfer.fromAccountId,
    counterpartyId: transfer.toAccountId,
    subjectId: transfer.checkoutId ?? transfer.taskId ?? transfer.id,
    traceId,
  };
}

/** The same as a record of the posting that makes the transfer final. */
export function transferOperation(ctx: Pick<Ctx, 'workspace'>, transfer: Transfer, moved: bigint, at: Date, rates: RateBook): Records {
  return { operation: [operationRecord(ctx, operationOf(transfer, moved, at), rates)] };
}
