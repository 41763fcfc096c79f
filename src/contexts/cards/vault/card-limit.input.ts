// The inputs of the limits of cards.
import { z } from 'zod';
import { builder } from '../../../platform/schema/builder.js';
import { category } from '../../accounts/category.js';

export const CardLimitsInput = builder.inputType('CardLimitsInput', {
  description: 'All limits of a card. What is left out is no limit any more.',
  fields: (t) => ({
    currency: t.field({ type: 'Currency', description: 'Spends in another one are converted.' }),
    perTx: t.field({ type: 'Amount', required: false }),
    daily: t.field({ type: 'Amount', required: false, description: 'In a UTC day.' }),
    monthly: t.field({ type: 'Amount', required: false, description: 'In a UTC month.', extensions: { example: '500.00' } }),
    allowedCategories: t.stringList({
      required: false,
      description: 'Categories of merchants that it pays; any by default.',
      validate: z.array(category).max(200),
      extensions: { example: ['retail'] },
    }),
  }),
});
export type CardLimitsInput = typeof CardLimitsInput.$inferInput;
