// What events say of a transfer (SPEC.md "Data of transfer.* events").
import type { Transfer } from '../../generated/prisma/client.js';
import type { EventData } from '../../platform/event-catalog.js';
import { printId } from '../../platform/ids.js';
import { formatMinor } from '../../platform/money.js';

/** Data of every transfer.* event. */
export function transferData(transfer: Transfer): EventData<'transfer.completed'> {
  return {
    transfer_id: printId('transfer', transfer.id),
    type: transfer.type,
    status: transfer.status,
    amount: formatMinor(transfer.amount, transfer.currency),
    currency: transfer.currency,
    from_account_id: transfer.fromAccountId === null ? null : printId('account', transfer.fromAccountId),
    to_account_id: transfer.toAccountId === null ? null : printId('account', transfer.toAccountId),
    protocol: transfer.protocol,
    completed_at: transfer.completedAt?.toISOString() ?? null,
  };
}
