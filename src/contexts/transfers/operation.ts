// What a transfer leaves among the operations: one row when it becomes final (CONTRACT.md 17).
import type { Transfer } from '../../generated/prisma/client.js';
import type { Records } from '../../ledger/record.js';
import type { TransferOperation } from '../../manifest/noun.js';
import { aboutCategory } from '../../manifest/operation-category.js';
import type { Ctx } from '../../platform/ctx.js';
import type { RateBook } from '../rates/rate.js';
import { type NewOperation, operationRecord } from '../usage/operation.js';
import { transferSubjectOf } from './subject.js';

function kindOf(ctx: Pick<Ctx, 'platform'>, transfer: Transfer): TransferOperation {
  const { type, fromWalletId, mandateId } = transfer;
  const own = transferSubjectOf(ctx, transfer)?.operation?.(transfer);
  if (mandateId !== null && (own === undefined || !aboutCategory(own.category).keepsByMandate)) {
    return { category: 'mandate_execution', operation: 'mandate.execute' };
  }
  if (own !== undefined) return own;
  return fromWalletId === null
    ? { category: 'funding', operation: 'transfer.funding' }
    : { category: 'transfer', operation: `transfer.${type}` };
}

/**
 * The operation of a transfer that has become final at `at`; `moved` is what really moved, minor units. What is put into a stream counts
 * when it is paid out. It belongs to the agent that spends, or else to the one that asked for it.
 */
export function operationOf(ctx: Pick<Ctx, 'platform'>, transfer: Transfer, moved: bigint, at: Date): NewOperation {
  const { type, status, protocol, currency, traceId } = transfer;
  const agentId = transfer.agentId ?? (transfer.initiatedByType === 'agent' ? transfer.initiatedById : null);
  const { category, operation, subjectId } = kindOf(ctx, transfer);
  return {
    at,
    category,
    operation,
    protocol,
    success: status === 'completed',
    amount: type === 'stream_start' ? 0n : moved,
    currency,
    actorType: transfer.initiatedByType,
    actorId: transfer.initiatedById,
    agentId,
    accountId: transfer.fromAccountId,
    counterpartyId: transfer.toAccountId,
    subjectId: subjectId ?? transfer.id,
    traceId,
  };
}

/** The same as a record of the posting that makes the transfer final. */
export function transferOperation(
  ctx: Pick<Ctx, 'workspace' | 'platform'>,
  transfer: Transfer,
  moved: bigint,
  at: Date,
  rates: RateBook,
): Records {
  return { operation: [operationRecord(ctx, operationOf(ctx, transfer, moved, at), rates)] };
}
