// What answers with each code of quotes, rails and refunds.
import type { Answer, Harness } from '../harness.js';
import { newQuote, quotedBody, walletsOfTwo } from './exchange.js';
import { payment, refundBody } from './refund.js';

export function moneyCauses(harness: Harness): Record<string, () => Promise<Answer>> {
  return {
    quote_expired: async () => {
      const { from, to } = await walletsOfTwo(harness.test);
      const quote = await newQuote(harness.test);
      harness.clock.advance(30);
      return harness.test.post('/v1/transfers', quotedBody(from, to, quote));
    },
    quote_used: async () => {
      const { from, to } = await walletsOfTwo(harness.test);
      const quote = await newQuote(harness.test);
      await harness.test.post('/v1/transfers', quotedBody(from, to, quote));
      return harness.test.post('/v1/transfers', quotedBody(from, to, quote));
    },
    refund_exceeds_original: async () => {
      const { transfer } = await payment(harness.test);
      return harness.test.post('/v1/refunds', refundBody(transfer, { amount: '100.01' }));
    },
    unsupported_rail: () => {
      const body = { from_currency: 'USD', to_currency: 'EUR', amount: '1.00', amount_side: 'send', rail: 'ach' };
      return harness.test.post('/v1/quotes', body);
    },
  };
}
