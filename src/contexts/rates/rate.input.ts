// The inputs of exchange rates.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

/** Rates in one request. */
export const mostAtOnce = 200;

export const RateInput = builder.inputType('RateInput', {
  fields: (t) => ({
    from: t.field({ type: 'Currency', extensions: { example: 'EUR' } }),
    to: t.field({ type: 'Currency' }),
    rate: t.field({ type: 'ExchangeRate', description: 'Units of `to` for one unit of `from`.' }),
  }),
});
export type RateInput = typeof RateInput.$inferInput;

export const SetRatesInput = builder.inputType('SetRatesInput', {
  fields: (t) => ({
    rates: t.field({
      type: [RateInput],
      description: 'Each takes the place of what was set for its two currencies before, in both directions.',
      validate: z.array(z.unknown()).min(1).max(mostAtOnce),
    }),
    asOf: t.field({
      type: 'DateTime',
      required: false,
      description: 'The date of the figures, now by default; at most a day ahead. They hold at once whatever it is.',
    }),
  }),
});
export type SetRatesInput = typeof SetRatesInput.$inferInput;
