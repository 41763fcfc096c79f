// What events say of a transfer (SPEC.md "Data of transfer.* events").
import type { Transfer } from '../../generated/prisma/client.js';
import type { EventData } from '../../platform/event-catalog.js';
import type { Sides } from '../../platform/events.js';
import { printId } from '../../platform/ids.js';
import { formatMinor } from '../../platform/money.js';
import type { Purse } from '../accounts/purse.js';

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

type Owned = Pick<Purse, 'agentId'>;

/** The agents that are told of a transfer: those whose wallets the money leaves and reaches, and the one that it was made for. */
export function transferSides({ agentId }: Pick<Transfer, 'agentId'>, from: Owned | null, to: Owned | null): Sides | null {
  const payers = [...new Set([from?.agentId, agentId].filter((id) => id != null))];
  const payees = to?.agentId == null ? [] : [to.agentId];
  return payers.length + payees.length === 0 ? null : { from: payers, to: payees };
}
