// The events of batches, and what they say (SPEC.md "Data of batch.* events").
import { z } from 'zod';
import { count, currency, exampleId, id, money } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import type { Batch } from '../../generated/prisma/client.js';
import { formatMinor } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';

const data = z.strictObject({
  batch_id: id('bat'),
  status: z.enum(['pending', 'processing', 'completed', 'failed']),
  total_count: count,
  success_count: count,
  failed_count: count,
  total_amount: money,
  currency,
});
type BatchData = z.infer<typeof data>;

const payroll: BatchData = {
  batch_id: exampleId('bat'),
  status: 'completed',
  total_count: 3,
  success_count: 2,
  failed_count: 1,
  total_amount: '300.00',
  currency: 'USD',
};
const subject = 'batch_id';

export const { events, emit } = declareEvents({
  'batch.created': {
    description: 'batch queued',
    data,
    subject,
    example: { ...payroll, status: 'pending', success_count: 0, failed_count: 0 },
  },
  'batch.processing': {
    description: 'batch processing started',
    data,
    subject,
    example: { ...payroll, status: 'processing', success_count: 0, failed_count: 0 },
  },
  'batch.completed': { description: 'all items processed', data, subject, example: payroll },
  'batch.failed': {
    description: 'batch failed at batch level',
    data,
    subject,
    example: { ...payroll, status: 'failed', success_count: 0, failed_count: 1 },
  },
});

/** In which currency the amount of a batch is said: US dollars where its items have several. */
export function currencyOfTotal({ currency: only }: Pick<Batch, 'currency'>): string {
  return only ?? 'USD';
}

/** Data of every batch.* event. */
export function batchData(batch: Batch): BatchData {
  const currency = currencyOfTotal(batch);
  return {
    batch_id: printId('batch', batch.id),
    status: batch.status,
    total_count: batch.totalCount,
    success_count: batch.successCount,
    failed_count: batch.failedCount,
    total_amount: formatMinor(batch.totalAmount, currency),
    currency,
  };
}

/** What every event of a batch is about. */
export function batchEventSubject({ id: objectId, agentId }: Batch): { objectId: string; agentId: string | null } {
  return { objectId, agentId };
}
