// The events of transfers, what they say, and what the channels of the agents on either side show of them (SPEC.md "Data of
// transfer.* events").
import { z } from 'zod';
import { currency, exampleId, exampleTime, id, money, time } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import type { Roles } from '../../events/event.js';
import type { Transfer } from '../../generated/prisma/client.js';
import { formatMinor } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';
import type { WalletRef } from '../accounts/wallet-ref.js';

const data = z.strictObject({
  transfer_id: id('tx'),
  type: z.enum(['cross_border', 'internal', 'stream_start', 'stream_withdraw', 'stream_cancel', 'wrap', 'unwrap']),
  status: z.enum(['pending', 'processing', 'completed', 'failed', 'cancelled']),
  amount: money,
  currency,
  from_account_id: id('acc').nullable(),
  to_account_id: id('acc').nullable(),
  protocol: z.enum(['ucp', 'acp', 'ap2', 'x402', 'mpp', 'internal', 'cross_border']),
  completed_at: time.nullable(),
});
type TransferData = z.infer<typeof data>;

const paid: TransferData = {
  transfer_id: exampleId('tx'),
  type: 'internal',
  status: 'completed',
  amount: '42.00',
  currency: 'USD',
  from_account_id: exampleId('acc'),
  to_account_id: exampleId('acc', true),
  protocol: 'internal',
  completed_at: exampleTime,
};
const subject = 'transfer_id';

export const { emit, event } = declareEvents({
  'transfer.created': {
    description: 'transfer record created',
    data,
    subject,
    example: { ...paid, status: 'pending', completed_at: null },
  },
  'transfer.completed': {
    description: 'transfer settled',
    data,
    subject,
    example: paid,
    channel: {
      type: 'transfer_completed',
      data: z.strictObject({
        transfer_id: id('tx'),
        amount: money,
        currency,
        direction: z.enum(['inbound', 'outbound']),
        counterparty_account_id: id('acc').nullable(),
        protocol: z.string(),
      }),
      roles: ['payer', 'payee'],
      line: (transfer, role) => ({
        transfer_id: transfer.transfer_id,
        amount: transfer.amount,
        currency: transfer.currency,
        direction: role === 'payer' ? 'outbound' : 'inbound',
        counterparty_account_id: role === 'payer' ? transfer.to_account_id : transfer.from_account_id,
        protocol: transfer.protocol,
      }),
    },
  },
  'transfer.failed': {
    description: 'transfer settlement failed',
    data,
    subject,
    example: { ...paid, status: 'failed', completed_at: null },
  },
  'transfer.refunded': { description: 'transfer refunded', data, subject, example: paid },
});

/** Data of every transfer.* event. */
export function transferData(transfer: Transfer): TransferData {
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

type Owned = Pick<WalletRef, 'agentId'>;

/**
 * The agents whose channels show a transfer: those whose wallets the money leaves and reaches, and the one that it was made for.
 * An agent on both sides is the payer (Gap G-84). What is put into a stream has not reached the payee (Gap G-142).
 */
export function transferRoles({ type, agentId }: Pick<Transfer, 'type' | 'agentId'>, from: Owned | null, to: Owned | null): Roles {
  const roles: Record<string, string> = {};
  if (to?.agentId != null && type !== 'stream_start') roles[to.agentId] = 'payee';
  if (from?.agentId != null) roles[from.agentId] = 'payer';
  if (agentId != null) roles[agentId] = 'payer';
  return roles;
}
