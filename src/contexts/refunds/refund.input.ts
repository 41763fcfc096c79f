// The inputs of refunds.
import { z } from 'zod';
import { RefundReason } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const RefundReasonEnum = builder.enumType(RefundReason, { name: 'RefundReason', description: 'Why money goes back.' });

export const CreateRefundInput = builder.inputType('CreateRefundInput', {
  description: 'A new refund.',
  fields: (t) => ({
    originalTransferId: t.field({ type: 'TransferId', description: 'The completed transfer whose money goes back.' }),
    amount: t.field({
      type: 'Amount',
      required: false,
      description: 'How much goes back, in the currency that was sent; all that is left by default.',
    }),
    reason: t.field({ type: RefundReasonEnum }),
    reasonDetails: t.string({
      required: false,
      description: 'More about the reason, at most 1,000 characters.',
      validate: z.string().min(1).max(1000),
    }),
  }),
});
export type CreateRefundInput = typeof CreateRefundInput.$inferInput;
