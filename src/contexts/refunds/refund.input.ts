// The inputs of refunds.
import { z } from 'zod';
import { RefundReason } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const RefundReasonEnum = builder.enumType(RefundReason, { name: 'RefundReason' });

export const CreateRefundInput = builder.inputType('CreateRefundInput', {
  fields: (t) => ({
    originalTransferId: t.field({ type: 'TransferId' }),
    amount: t.field({
      type: 'Amount',
      required: false,
      description: 'In the currency that the original was sent in; all that is left by default.',
    }),
    reason: t.field({ type: RefundReasonEnum }),
    reasonDetails: t.string({ required: false, validate: z.string().min(1).max(1000) }),
  }),
});
export type CreateRefundInput = typeof CreateRefundInput.$inferInput;
