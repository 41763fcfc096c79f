// The inputs of exchange rates.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

/** Rates in one request. */
export const mostAtOnce = 200;

export const RateInput = builder.inputType('RateInput', {
  description: 'A rate of one currency pair.',
  fields: (t) => ({
    from: t.field({ type: 'Currency', description: 'The currency that is changed.', extensions: { example: 'EUR' } }),
    to: t.field({ type: 'Currency', description: 'The currency that it is changed to; another one than `from`.' }),
    rate: t.field({
      type: 'ExchangeRate',
      description: 'Units of `to` for one unit of `from`, a decimal string of at most 10 significant digits.',
    }),
  }),
});
export type RateInput = typeof RateInput.$inferInput;

export const SetRatesInput = builder.inputType('SetRatesInput', {
  description: 'Rates of the workspace.',
  fields: (t) => ({
    rates: t.field({
      type: [RateInput],
      description: 'The pairs to set. Each replaces what was set for its two currencies before, in both directions.',
      validate: z.array(z.unknown()).min(1).max(mostAtOnce),
    }),
    asOf: t.field({
      type: 'DateTime',
      required: false,
      description: 'The date of the figures, at most a day ahead; now by default. The rates hold at once, whatever it is.',
    }),
  }),
});
export type SetRatesInput = typeof SetRatesInput.$inferInput;
