// What answers with each code of quotes, rails, refunds, mandates, checkouts and x402.
import { type Answer, type Harness, openWallet } from '../harness.js';
import { newShop } from './checkout.js';
import { newQuote, quotedBody, walletsOfTwo } from './exchange.js';
import { newHolder } from './mandate.js';
import { payment, refundBody } from './refund.js';
import { endpointBody, newBuyer, newEndpoint, payBody } from './x402.js';

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

/** The codes of mandates. */
export function mandateCauses(harness: Harness): Record<string, () => Promise<Answer>> {
  return {
    mandate_revoked: async () => {
      const holder = await newHolder(harness.test);
      await harness.test.make(`/v1/ap2/mandates/${holder.mandate.id}/revoke`, {});
      return holder.spend('1.00');
    },
    mandate_expired: async () => {
      const holder = await newHolder(harness.test);
      const soon = new Date(harness.clock.now().getTime() + 1_000).toISOString();
      await harness.test.patch(`/v1/ap2/mandates/${holder.mandate.id}`, { expires_at: soon });
      harness.clock.advance(1);
      return holder.spend('1.00');
    },
    invalid_mandate_jwt: async () => (await newHolder(harness.test)).spend('1.00', { mandate_jwt: 'x' }),
    // A limit of a day, which AP2 cannot say.
    validation_failed: async () => {
      const { mandate } = await newHolder(harness.test);
      return harness.test.get(`/v1/ap2/mandates/${mandate.id}?format=ap2`);
    },
  };
}

/** The codes of x402. */
export function x402Causes(harness: Harness): Record<string, () => Promise<Answer>> {
  return {
    payment_invalid: async () => {
      const [endpoint, buyer] = [await newEndpoint(harness.test), await newBuyer(harness.test)];
      return harness.test.post('/v1/x402/pay', payBody(buyer, endpoint, { max_amount: '0.01' }));
    },
    unsupported_network: async () => {
      const { account } = await openWallet(harness.test, { currency: 'USDC' });
      return harness.test.post('/v1/x402/endpoints', endpointBody(account, { network: 'eip155:1' }));
    },
  };
}

/** The codes of checkouts. */
export function checkoutCauses(harness: Harness): Record<string, () => Promise<Answer>> {
  return {
    checkout_expired: async () => {
      const shop = await newShop(harness.test);
      const checkout = await shop.begin({ metadata: { order: 7 } });
      harness.clock.advance(1_800);
      return shop.complete(checkout);
    },
  };
}
