// What answers with each code of quotes, rails, refunds, tasks, mandates, checkouts, x402 and MPP.

import { printChallenge } from '../../src/contexts/mpp/challenge.js';
import { type Answer, type Harness, openWallet } from '../harness.js';
import { newShop } from './checkout.js';
import { newQuote, quotedBody, walletsOfTwo } from './exchange.js';
import { newHolder } from './mandate.js';
import { newMppSession } from './mpp.js';
import { ledgerChallenge } from './mpp-call.js';
import { newSeller } from './offer.js';
import { payment, refundBody } from './refund.js';
import { newHand, newSides, offerTask, stepTask } from './task.js';
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
    task_already_claimed: async () => {
      const sides = await newSides(harness.test);
      const task = await offerTask(harness.test, sides);
      await stepTask(harness.test, task, 'claim', sides.worker);
      return stepTask(harness.test, task, 'claim', await newHand(harness.test));
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
      const { account } = await openWallet(harness.live, { currency: 'USDC' });
      return harness.live.post('/v1/x402/endpoints', endpointBody(account, { network: 'eip155:8453' }));
    },
  };
}

/** What MPP refuses with codes that others have too. */
export function mppCauses(harness: Harness): readonly (readonly [string, () => Promise<Answer>])[] {
  return [
    ['insufficient_balance', async () => (await newMppSession(harness.test)).voucher({ amount: '100.01' })],
    ['forbidden', async () => ((made) => made.voucher({ amount: '1.00' }, { as: made.payee.token }))(await newMppSession(harness.test))],
    [
      'idempotency_key_reused',
      async () => {
        const { voucher } = await newMppSession(harness.test);
        await voucher({ amount: '1.00', request_id: 'r-1' });
        return voucher({ amount: '2.00', request_id: 'r-1' });
      },
    ],
    [
      'state_conflict',
      async () => {
        const { session, voucher } = await newMppSession(harness.test);
        await harness.test.make(`/v1/mpp/sessions/${session.id}/close`, {});
        return voucher({ amount: '1.00' });
      },
    ],
    [
      'payment_invalid',
      async () => {
        const [{ uuid, wallet, token }, endpoint] = [await newBuyer(harness.test), await newEndpoint(harness.test)];
        const challenge = printChallenge(await ledgerChallenge(harness.test, endpoint));
        const service_url = `${harness.test.url}/x402/${endpoint.id}`;
        const pay = () =>
          harness.test.post('/v1/mpp/pay', { service_url, amount: '0.10', agent_id: uuid, wallet_id: wallet.id, challenge }, { as: token });
        await pay();
        return pay();
      },
    ],
  ];
}

/** The codes of checkouts. */
export function checkoutCauses(harness: Harness): Record<string, () => Promise<Answer>> {
  /** Asks a merchant with an offer, which `changes` change before, for something. */
  const sell = async (asked: object, changes: object = {}): Promise<Answer> => {
    const { merchant } = await newSeller(harness.test);
    await harness.test.patch(`/v1/merchants/${merchant.id}`, changes);
    const item = { sku: 'song', quantity: 1, unit_price: '1.00', currency: 'USD', ...asked };
    return harness.test.post('/v1/acp/checkouts', { merchant_id: merchant.id, items: [item] });
  };
  return {
    shop_host_taken: async () => {
      const account = await harness.test.make('/v1/accounts', { type: 'business', name: 'Pots' });
      const merchant = { name: 'Pots', category: 'retail', account_id: account.id, shop_hosts: ['pots.shop.example'] };
      await harness.test.make('/v1/merchants', merchant);
      return harness.test.post('/v1/merchants', merchant);
    },
    checkout_expired: async () => {
      const shop = await newShop(harness.test);
      const checkout = await shop.begin({ metadata: { order: 7 } });
      harness.clock.advance(1_800);
      return shop.complete(checkout);
    },
    price_changed: () => sell({ unit_price: '0.50' }),
    out_of_stock: () => sell({ sku: 'gone', unit_price: '99.00' }),
    buyer_prices_refused: () => sell({}, { accepts_buyer_prices: false, metadata: {} }),
  };
}
