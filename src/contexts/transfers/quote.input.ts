// The inputs of quotes.
import { z } from 'zod';
import { AmountSide } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const AmountSideEnum = builder.enumType(AmountSide, {
  name: 'AmountSide',
  description: 'Which side of a quote its amount is: `send`, what leaves the payer, or `receive`, what reaches the payee.',
});

export const CreateQuoteInput = builder.inputType('CreateQuoteInput', {
  description: 'A change of currency to quote.',
  fields: (t) => ({
    fromCurrency: t.field({ type: 'Currency', description: 'The currency that the payer sends.' }),
    toCurrency: t.field({
      type: 'Currency',
      description: 'The currency that the payee receives; another one than `from_currency`.',
      extensions: { example: 'EUR' },
    }),
    amount: t.field({ type: 'Amount', description: 'In `from_currency` for `send`, in `to_currency` for `receive`.' }),
    amountSide: t.field({
      type: AmountSideEnum,
      description: 'Whether `amount` is what leaves the payer (`send`) or what reaches the payee (`receive`).',
    }),
    rail: t.string({
      required: false,
      description: 'The rail, such as `sepa`, where the money leaves the platform; its fee is then part of the quote.',
      validate: z.string().min(1).max(64),
    }),
  }),
});
export type CreateQuoteInput = typeof CreateQuoteInput.$inferInput;
