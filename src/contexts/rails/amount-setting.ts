// An amount in the file of rails.
import { z } from 'zod';
import { ValidationFailed } from '../../platform/errors.js';
import { type Currency, parseMinor } from '../../platform/money.js';

/** An amount of a currency, minor units, at least `least` of them. */
export function amountSetting(currency: Currency, least = 1n) {
  return z.string(quoted).transform((text, ctx) => {
    try {
      return parseMinor(text, currency, [], least);
    } catch (error) {
      if (!(error instanceof ValidationFailed)) throw error;
      ctx.issues.push({ code: 'custom', message: error.fields?.[0]?.message ?? 'is no amount', input: text });
      return z.NEVER;
    }
  });
}
const quoted = 'must be a text: write the amount in quotes, such as "100.00"';
