// The inputs of batches.
import { z } from 'zod';
import { BatchItemStatus, BatchKind, BatchMode, BatchStatus } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { CreateTransferInput } from '../transfers/transfer.input.js';

/** Transfers in one batch. */
export const mostTransfers = 500;
export const BatchKindEnum = builder.enumType(BatchKind, {
  name: 'BatchKind',
  description: 'What the items are: transfers, or checkouts of ACP or UCP.',
});
export const BatchStatusEnum = builder.enumType(BatchStatus, {
  name: 'BatchStatus',
  description: '`pending`: not begun. `processing`: being carried out. `completed`: every item was tried. `failed`: nothing was done.',
});
export const BatchModeEnum = builder.enumType(BatchMode, {
  name: 'BatchMode',
  description: '`independent`: each item succeeds or fails by itself. `atomic`: all of them, or none.',
});
export const BatchItemStatusEnum = builder.enumType(BatchItemStatus, {
  name: 'BatchItemStatus',
  description:
    '`pending`: not tried yet. `succeeded`: what it asks for exists. `failed`: it was refused. `skipped`: the batch failed or was cancelled.',
});

export const CreateTransferBatchInput = builder.inputType('CreateTransferBatchInput', {
  description: 'A new batch of transfers.',
  fields: (t) => ({
    transfers: t.field({
      type: [CreateTransferInput],
      description: '1 to 500 transfers, each as in `POST /v1/transfers`.',
      validate: z.array(z.unknown()).min(1).max(mostTransfers),
    }),
    mode: t.field({
      type: BatchModeEnum,
      required: false,
      description: 'Whether items stand alone or succeed only together; `independent` by default.',
    }),
    // Gap G-148: `reference` of a batch is the caller's own name for it and not unique.
    reference: t.string({ required: false, description: 'Your own reference of the batch.', validate: z.string().min(1).max(128) }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type CreateTransferBatchInput = typeof CreateTransferBatchInput.$inferInput;

export const CancelBatchInput = builder.inputType('CancelBatchInput', {
  description: 'Why a batch is cancelled.',
  fields: (t) => ({
    reason: t.string({
      required: false,
      description: 'Why; kept with the batch.',
      validate: z.string().min(1).max(500),
      extensions: { example: 'Ordered twice.' },
    }),
  }),
});
