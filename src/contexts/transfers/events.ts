// The events of transfers, what they say, and what the channels of the agents on either side show of them (SPEC.md "Data of
// transfer.* events").
import { z } from 'zod';
import { currency, exampleId, exampleTime, id, money, time } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import type { EventRow, Roles } from '../../events/event.js';
import type { Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';
import type { WalletRef } from '../accounts/wallet-ref.js';
import { type EnforcedMandate, mandateLeft } from '../spending/pipeline/mandate-rule.js';

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

const executedData = z.strictObject({
  mandate_id: id('ap2_mnd'),
  execution_id: id('ap2_exec'),
  agent_id: id('agt'),
  /** Null for a transfer to somebody who is no merchant. */
  merchant_id: id('mer').nullable(),
  amount: money,
  currency,
  /** Null without such a limit. */
  remaining_daily: money.nullable(),
  remaining_monthly: money.nullable(),
});

export const { events, emit, event } = declareEvents({
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
  // Emitted by transfers, which know when one was carried out, however that came.
  'ap2.mandate.executed': {
    description: 'mandate execution recorded',
    data: executedData,
    subject: 'execution_id',
    example: {
      mandate_id: exampleId('ap2_mnd'),
      execution_id: exampleId('ap2_exec'),
      agent_id: exampleId('agt'),
      merchant_id: exampleId('mer'),
      amount: '12.50',
      currency: 'USD',
      remaining_daily: '87.50',
      remaining_monthly: '987.50',
    },
  },
  'transfer.refunded': { description: 'transfer refunded', data, subject, example: paid },
  // Nothing else is told of it, and rules that watch a balance look when something is published.
  '_transfer.released': {
    description: 'money that was held or kept back has come to its wallet',
    data: z.strictObject({ transfer_id: id('tx') }),
    subject,
    example: { transfer_id: exampleId('tx') },
  },
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

/**
 * The events of a transfer that has paid; of an execution of a mandate that as well, whose `mandate` is needed then. They are written with
 * the posting that pays, which knows what the mandate has left.
 */
export function completedEvents(
  ctx: Pick<Ctx, 'clock' | 'traceId'>,
  transfer: Transfer,
  { mandate, ...about }: { objectId: string; agentId: string | null; at: Date; roles?: Roles; mandate: EnforcedMandate | undefined },
): EventRow[] {
  const completed = event(ctx, 'transfer.completed', transferData(transfer), about);
  if (transfer.mandateId === null) return [completed];
  if (mandate === undefined) throw new Error(`the transfer ${transfer.id} has paid without its mandate`);
  const { roles: _, ...head } = about;
  const executed = event(ctx, 'ap2.mandate.executed', executionData(transfer, mandate), head);
  return [completed, { ...executed, left: mandateLeft(mandate, about.at) }];
}

/** What says that a transfer was made, where the posting that made it pays: what says so has the same data, which is stored once. */
export function sharingData(created: EventRow, [completed]: readonly EventRow[]): EventRow {
  return completed === undefined ? created : { ...created, dataOf: completed.id };
}

function executionData(transfer: Transfer, mandate: EnforcedMandate): z.infer<typeof executedData> {
  const { id: transferId, agentId, amount, capturedAmount, currency: of, protocolMetadata } = transfer;
  return {
    mandate_id: printId('mandate', mandate.id),
    execution_id: printId('mandateExecution', transferId),
    agent_id: printId('agent', agentId ?? ''),
    merchant_id: merchantOf({ protocolMetadata }),
    amount: formatMinor(capturedAmount ?? amount, of),
    currency: of,
    // What is left where there is a limit, the posting says.
    remaining_daily: null,
    remaining_monthly: null,
  };
}

/** The merchant that an execution pays, as it is printed; null for somebody who is none. */
export function merchantOf({ protocolMetadata }: Pick<Transfer, 'protocolMetadata'>): string | null {
  return (protocolMetadata as { merchant_id?: string } | null)?.merchant_id ?? null;
}

type Owned = Pick<WalletRef, 'agentId'>;

// Gap G-84: An agent on both sides sees transfer_completed once on its channel, as the payer.
// Gap G-142: `transfer_completed` of a stream deposit is shown to the payer's agent only.
/**
 * The agents whose channels show a transfer: those whose wallets the money leaves and reaches, and the one that it was made for. An agent
 * on both sides is the payer. What is put into a stream has not reached the payee.
 */
export function transferRoles({ type, agentId }: Pick<Transfer, 'type' | 'agentId'>, from: Owned | null, to: Owned | null): Roles {
  const roles: Record<string, string> = {};
  if (to?.agentId != null && type !== 'stream_start') roles[to.agentId] = 'payee';
  if (from?.agentId != null) roles[from.agentId] = 'payer';
  if (agentId != null) roles[agentId] = 'payer';
  return roles;
}
