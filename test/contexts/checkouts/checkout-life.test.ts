// Properties of checkouts: what a basket comes to, that any order of requests leads along the lifecycle with money that agrees, and what a
// payment asks of the database.
import fc from 'fast-check';
import pg from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { checkoutLifecycle } from '../../../src/contexts/checkouts/checkout.js';
import { type CheckoutItem, checkoutTotalOf, itemsOf, storedItems } from '../../../src/contexts/checkouts/item.js';
import { maxAmountMinor } from '../../../src/platform/money.js';
import { trip } from '../../factories/approval.js';
import { newShop, type Shop } from '../../factories/checkout.js';
import { balanceOf } from '../../factories/payment.js';
import { type Answer, type Json, useHarness } from '../../harness.js';

const price = fc.bigInt({ min: 1n, max: 10n ** 13n });
const item = fc.record({ sku: fc.string({ minLength: 1 }), quantity: fc.integer({ min: 1, max: 1_000_000 }), unitPrice: price });
const basket = fc
  .array(item, { minLength: 1, maxLength: 100 })
  .map((items): CheckoutItem[] => items.map((one) => ({ ...one, currency: 'USD' })));
const charges = fc.record({ fulfillment: fc.bigInt({ min: 0n, max: 10n ** 9n }), tax: fc.bigInt({ min: 0n, max: 10n ** 9n }) });

describe('the total of a basket', () => {
  it('is what its items and charges come to, or is refused beyond the largest amount', () => {
    fc.assert(
      fc.property(basket, charges, (items, extra) => {
        let sum = extra.fulfillment + extra.tax;
        for (const { quantity, unitPrice } of items) sum += BigInt(quantity) * unitPrice;
        if (sum > maxAmountMinor) expect(() => checkoutTotalOf(items, 'USD', extra)).toThrow();
        else expect(checkoutTotalOf(items, 'USD', extra)).toBe(sum);
      }),
    );
  });

  it('does not hang on the order of the items, and survives being stored', () => {
    const none = { fulfillment: 0n, tax: 0n };
    const small = basket.filter(
      (items) => items.reduce((sum, { quantity, unitPrice }) => sum + BigInt(quantity) * unitPrice, 0n) <= maxAmountMinor,
    );
    fc.assert(
      fc.property(small, (items) => {
        const stored = itemsOf({ items: JSON.parse(JSON.stringify(storedItems(items))), currency: 'USD' });
        expect(stored).toEqual(items);
        expect(checkoutTotalOf([...items].reverse(), 'USD', none)).toBe(checkoutTotalOf(stored, 'USD', none));
      }),
    );
  });
});

describe('the life of a checkout', () => {
  const harness = useHarness();
  let shop: Shop;
  let careful: Shop;
  beforeAll(async () => {
    shop = await newShop(harness.test, { funded: '100000.00' });
    careful = await newShop(harness.test, { funded: '100000.00' });
    await trip(harness, careful.uuid);
  });

  const decide = async (word: string, { approval }: { approval: Json | undefined }) =>
    approval === undefined ? undefined : harness.test.post(`/v1/approvals/${approval.id}/${word}`, {});
  const steps = ['complete', 'approve', 'reject', 'cancel', 'fulfill', 'refund', 'expire', 'change'] as const;

  it('follows its lifecycle whatever is asked for in whatever order, and money moves when it is paid alone', async () => {
    const lives = fc.asyncProperty(
      fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (asked, isCareful) => {
        const buyer = isCareful ? careful : shop;
        // What an earlier life has left waiting expires, and gives its money back.
        await harness.advance(60);
        const before = await balanceOf(harness.test, buyer.wallet);
        const checkout = await buyer.begin({ expires_in: 60 });
        const known: { status: string; approval: Json | undefined } = { status: 'created', approval: undefined };
        let isRefunded = false;
        const post = (verb: string, body: object = {}) => harness.test.post(`${buyer.path}/${checkout.id}/${verb}`, body);
        const doing: Record<(typeof steps)[number], () => Promise<Answer | undefined>> = {
          complete: async () => {
            const answer = await buyer.complete(checkout);
            known.approval = answer.body.approval ?? known.approval;
            return answer;
          },
          approve: () => decide('approve', known),
          reject: () => decide('reject', known),
          cancel: () => post('cancel'),
          fulfill: () => post('fulfill'),
          refund: async () => {
            const answer = await post('refund', { reason: 'other' });
            isRefunded ||= answer.status === 201;
            return answer;
          },
          expire: async () => void (await harness.advance(60)),
          change: () => harness.test.patch(`${buyer.path}/${checkout.id}`, { metadata: { changed: true } }),
        };
        for (const step of asked) {
          const answer = await doing[step]();
          expect(answer?.status ?? 200, `${step}: ${JSON.stringify(answer?.body)}`).toBeLessThan(500);
          const { status } = await buyer.read(checkout);
          const from = known.status as keyof typeof checkoutLifecycle.steps;
          if (status !== from) expect(checkoutLifecycle.steps[from], `${step}: ${from} to ${status}`).toContain(status);
          if (answer !== undefined && answer.status >= 400) expect(status, step).toBe(known.status);
          known.status = status;
        }
        const after = await balanceOf(harness.test, buyer.wallet);
        const spent = ['paid', 'fulfilled'].includes(known.status) && !isRefunded ? 27.5 : 0;
        const held = known.status === 'pending_payment' ? 27.5 : 0;
        expect([Number(after.available), Number(after.held)]).toEqual([
          Number(before.available) - spent - held,
          Number(before.held) + held,
        ]);
      },
    );
    await fc.assert(lives, { numRuns: 25 });
  }, 120_000);

  it('asks the database eight things for a payment under a key: the transaction, the key, the lock, the merchant, the posting, the row, the answer', async () => {
    const shop = await newShop(harness.test);
    await shop.complete(await shop.begin());
    const checkout = await shop.begin();
    const headers = { 'Idempotency-Key': `warm-${shop.uuid}` };
    const query = vi.spyOn(pg.Client.prototype, 'query');
    try {
      expect((await shop.complete(checkout, {}, { headers })).status).toBe(200);
      expect(query.mock.calls.length).toBeLessThanOrEqual(8);
    } finally {
      query.mockRestore();
    }
  });
});
