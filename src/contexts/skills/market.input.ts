// The filters of the market.
import type { InputShapeFromFields } from '@pothos/core';
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

export const marketFilters = builder.args((t) => ({
  skillId: t.string({ required: false, description: 'Agents that have a skill of this id.', validate: z.string().max(64) }),
  minRating: t.float({ required: false, description: 'The least average of their ratings.', validate: z.number().min(1).max(5) }),
  maxPrice: t.field({ type: 'Amount', required: false, description: 'The most that the skill may cost.' }),
  currency: t.field({ type: 'Currency', required: false, description: 'Of the price; USD by default. Others are compared by rate.' }),
}));
export type MarketFilters = InputShapeFromFields<typeof marketFilters>;
