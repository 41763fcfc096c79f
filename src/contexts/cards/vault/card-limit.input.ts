// The inputs of the limits of cards.
import { z } from 'zod';
import { builder } from '../../../platform/schema/builder.js';
import { category } from '../../accounts/category.js';

export const CardLimitsInput = builder.inputType('CardLimitsInput', {
  description: 'All limits of a card. A limit that is left out is removed.',
  fields: (t) => ({
    currency: t.field({ type: 'Currency', description: 'The currency of the limits; spends in others are converted.' }),
    perTx: t.field({ type: 'Amount', required: false, description: 'The most of one payment; no limit without it.' }),
    daily: t.field({ type: 'Amount', required: false, description: 'The most per UTC day; no limit without it.' }),
    monthly: t.field({
      type: 'Amount',
      required: false,
      description: 'The most per UTC month; no limit without it.',
      extensions: { example: '500.00' },
    }),
    allowedCategories: t.stringList({
      required: false,
      description: 'Only merchants of these categories are paid; any by default.',
      validate: z.array(category).max(200),
      extensions: { example: ['retail'] },
    }),
  }),
});
export type CardLimitsInput = typeof CardLimitsInput.$inferInput;
