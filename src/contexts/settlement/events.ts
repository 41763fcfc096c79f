// The events of payouts (SPEC.md "Data of settlement.* events", which prints their members in camelCase).
import { z } from 'zod';
import { exampleId, id, money } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import { text } from '../../events/personal.js';
import type { Payout } from '../../generated/prisma/client.js';
import { formatMinor } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';

const data = z.strictObject({
  payoutId: id('po'),
  transferId: id('tx'),
  status: z.enum(['pending', 'confirmed', 'complete', 'failed', 'returned']),
  amount: money,
  destination: z.strictObject({ type: z.enum(['bank', 'wallet']), ref: text }),
});
const ended = data.extend({
  return: z.strictObject({ reason: z.string(), code: z.string() }).optional(),
  errorCode: z.string().optional(),
});
type PayoutData = z.infer<typeof data>;

const payout: PayoutData = {
  payoutId: exampleId('po'),
  transferId: exampleId('tx'),
  status: 'pending',
  amount: '1250.00',
  destination: { type: 'bank', ref: exampleId('ba') },
};
const subject = 'payoutId';

export const { events, emit, event } = declareEvents({
  'settlement.initiated': { description: 'payout submitted (status pending)', data, subject, example: payout },
  'settlement.processing': {
    description: 'payout accepted by rail (status confirmed)',
    data,
    subject,
    example: { ...payout, status: 'confirmed' },
  },
  'settlement.completed': { description: 'payout finalized', data, subject, example: { ...payout, status: 'complete' } },
  'settlement.failed': {
    description: 'payout rejected by rail',
    data: ended,
    subject,
    example: { ...payout, status: 'failed', return: { reason: 'account closed', code: 'R02' }, errorCode: 'account_closed' },
  },
  'settlement.returned': {
    description: 'payout returned',
    data: ended,
    subject,
    example: { ...payout, status: 'returned', return: { reason: 'no account', code: 'R03' }, errorCode: 'no_account' },
  },
});

/** Data of the events of a payout that goes its way. */
export function payoutData(row: Payout): PayoutData {
  return {
    payoutId: printId('payout', row.id),
    transferId: printId('transfer', row.transferId),
    status: row.status,
    amount: formatMinor(row.amount, row.currency),
    destination: { type: row.destinationType, ref: row.destinationRef },
  };
}

/** The same of one that failed or came back: why. */
export function endedData(row: Payout): z.infer<typeof ended> {
  const { returnReason: reason, returnCode: code, errorCode } = row;
  return {
    ...payoutData(row),
    ...(reason !== null && code !== null && { return: { reason, code } }),
    ...(errorCode !== null && { errorCode }),
  };
}

/** What every event of a payout is about. */
export function aboutPayout({ id: objectId, agentId, walletAgentId }: Payout): { objectId: string; agentId: string | null } {
  return { objectId, agentId: agentId ?? walletAgentId };
}
