// The inputs of batches.
import { z } from 'zod';
import { BatchItemStatus, BatchKind, BatchMode, BatchStatus } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { CreateTransferInput } from '../transfers/transfer.input.js';

/** Transfers in one batch. */
export const mostTransfers = 500;
export const BatchKindEnum = builder.enumType(BatchKind, { name: 'BatchKind' });
export const BatchStatusEnum = builder.enumType(BatchStatus, { name: 'BatchStatus' });
export const BatchModeEnum = builder.enumType(BatchMode, {
  name: 'BatchMode',
  description: 'independent: each item stands alone. atomic: all of them, or none.',
});
export const BatchItemStatusEnum = builder.enumType(BatchItemStatus, { name: 'BatchItemStatus' });

export const CreateTransferBatchInput = builder.inputType('CreateTransferBatchInput', {
  fields: (t) => ({
    transfers: t.field({
      type: [CreateTransferInput],
      description: 'Each as for a transfer by itself.',
      validate: z.array(z.unknown()).min(1).max(mostTransfers),
    }),
    mode: t.field({ type: BatchModeEnum, required: false, description: 'independent by default.' }),
    // Not unique. Gap G-148
    reference: t.string({ required: false, description: 'Yours.', validate: z.string().min(1).max(128) }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type CreateTransferBatchInput = typeof CreateTransferBatchInput.$inferInput;

export const CancelBatchInput = builder.inputType('CancelBatchInput', {
  fields: (t) => ({
    reason: t.string({ required: false, validate: z.string().min(1).max(500), extensions: { example: 'Ordered twice.' } }),
  }),
});
