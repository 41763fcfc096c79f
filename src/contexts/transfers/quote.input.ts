// The inputs of quotes.
import { z } from 'zod';
import { AmountSide } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const AmountSideEnum = builder.enumType(AmountSide, { name: 'AmountSide', description: 'Which side of a quote its amount is of.' });

export const CreateQuoteInput = builder.inputType('CreateQuoteInput', {
  fields: (t) => ({
    fromCurrency: t.field({ type: 'Currency' }),
    toCurrency: t.field({ type: 'Currency', extensions: { example: 'EUR' } }),
    amount: t.field({ type: 'Amount' }),
    amountSide: t.field({ type: AmountSideEnum, description: 'Whether `amount` is what leaves the payer or what reaches the payee.' }),
    rail: t.string({ required: false, description: 'Where the money leaves the platform.', validate: z.string().min(1).max(64) }),
  }),
});
export type CreateQuoteInput = typeof CreateQuoteInput.$inferInput;
