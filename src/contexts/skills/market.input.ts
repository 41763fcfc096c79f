// The filters of the market.
import type { InputShapeFromFields } from '@pothos/core';
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

export const marketFilters = builder.args((t) => ({
  skillId: t.string({ required: false, description: 'Only agents with a skill of this id.', validate: z.string().max(64) }),
  minRating: t.float({
    required: false,
    description: 'Only agents whose average rating is at least this, 1 to 5.',
    validate: z.number().min(1).max(5),
  }),
  maxPrice: t.field({ type: 'Amount', required: false, description: 'The most that the skill may cost, in `currency`.' }),
  currency: t.field({
    type: 'Currency',
    required: false,
    description: 'The currency of `max_price`, USD by default; other prices are converted.',
  }),
}));
export type MarketFilters = InputShapeFromFields<typeof marketFilters>;
