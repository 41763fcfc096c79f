// What a basket comes to by a merchant's offer, and what keeps it from being paid.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offerOf } from '../../../src/contexts/accounts/offer.js';
import { type BasketRequest, priceBasket, type Selection, taxOf } from '../../../src/contexts/checkouts/offer.js';
import { offerMetadata } from '../../factories/offer.js';

const offerWith = (changes: object = {}) => {
  const offer = offerOf({ metadata: offerMetadata(changes) });
  if (offer === null) throw new Error('the offer of the test is none');
  return offer;
};
const standard: Selection = { optionId: 'standard', itemIds: ['mug'] };
const basket = (request: Partial<BasketRequest> = {}, changes: object = {}) =>
  priceBasket(offerWith(changes), { lines: [{ id: 'mug', quantity: 2 }], selections: [], country: null, ...request });
const codes = (...args: Parameters<typeof basket>) => basket(...args).problems.map(({ code }) => code);

describe('what a basket comes to', () => {
  it('is the merchant’s prices, the delivery and the tax of each line', () => {
    const { subtotal, fulfillment, tax, charges, total, lines, problems } = basket({ selections: [standard], country: 'US' });
    expect([subtotal, fulfillment, tax, total]).toEqual([2500n, 499n, 206n, 3205n]);
    expect(charges).toEqual({ fulfillment: 499n, tax: 206n });
    expect(lines).toMatchObject([{ base: 2500n, tax: 206n, total: 2706n, quantity: 2 }]);
    expect(problems).toEqual([]);
  });

  it('has tax on the delivery where the merchant says so', () => {
    const { tax } = basket({ selections: [standard], country: 'US' }, { tax: { rate_percent: '8.25', on_fulfillment: true } });
    expect(tax).toBe(206n + 41n);
  });

  it('contains the tax where prices do: nothing comes on top', () => {
    const { tax, charges, total } = basket({}, { tax: { rate_percent: '19', included: true } });
    expect([tax, charges.tax, total]).toEqual([399n, 0n, 2500n]);
  });

  it('has none where the merchant names none', () => {
    expect(basket({}, { tax: undefined })).toMatchObject({ tax: 0n, total: 2500n });
  });

  it('is said to be too large beyond the numbers of JSON', () => {
    const items = [{ id: 'mug', title: 'Mug', unit_price: '90071992547409.91' }];
    expect(basket({ lines: [{ id: 'mug', quantity: 1 }] }, { items, tax: undefined }).isTooLarge).toBe(false);
    expect(basket({}, { items, tax: undefined }).isTooLarge).toBe(true);
  });

  it('adds up: lines and charges to the total, the tax to the nearest minor unit', () => {
    const quantity = fc.integer({ min: 1, max: 1_000 });
    const rate = fc.tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 9_999 }));
    fc.assert(
      fc.property(quantity, quantity, rate, fc.boolean(), fc.boolean(), (mugs, pens, [whole, part], included, onFulfillment) => {
        const ratePercent = `${whole}.${String(part).padStart(4, '0')}`;
        const { lines, charges, total, subtotal, offer } = basket(
          {
            lines: [
              { id: 'mug', quantity: mugs },
              { id: 'pen', quantity: pens },
            ],
            selections: [standard],
          },
          { tax: { rate_percent: ratePercent, included, on_fulfillment: onFulfillment } },
        );
        expect(total).toBe(subtotal + charges.fulfillment + charges.tax);
        const delivered = onFulfillment && !included && offer.tax ? taxOf(499n, offer.tax) : 0n;
        expect(lines.reduce((sum, line) => sum + line.total, 0n) + 499n + delivered).toBe(total);
        for (const { base, tax } of lines) {
          const exact = included
            ? Number(base) - Number(base) / (1 + Number(ratePercent) / 100)
            : (Number(base) * Number(ratePercent)) / 100;
          expect(Math.abs(Number(tax) - exact)).toBeLessThanOrEqual(0.500001);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('a basket may be paid', () => {
  it('when its goods are digital, or the merchant delivers nothing', () => {
    expect(codes({ lines: [{ id: 'song', quantity: 1 }] })).toEqual([]);
    expect(codes({}, { fulfillment: [] })).toEqual([]);
  });

  it('without a destination when everything is picked up', () => {
    expect(codes({ selections: [{ optionId: 'shop', itemIds: ['mug'] }] })).toEqual([]);
  });

  it('with several ways of delivery, each paid for', () => {
    const lines = [
      { id: 'mug', quantity: 1 },
      { id: 'pen', quantity: 1 },
      { id: 'song', quantity: 1 },
    ];
    const selections = [standard, { optionId: 'express', itemIds: ['pen'] }, { optionId: 'download', itemIds: ['song'] }];
    expect(basket({ lines, selections, country: 'US' })).toMatchObject({ problems: [], fulfillment: 499n + 1500n });
  });
});

describe('a basket may not be paid', () => {
  it.each<[string, Partial<BasketRequest>]>([
    ['unknown_item', { lines: [{ id: 'none', quantity: 1 }] }],
    ['out_of_stock', { lines: [{ id: 'gone', quantity: 1 }], selections: [{ optionId: 'standard', itemIds: ['gone'] }], country: 'US' }],
    [
      'out_of_stock',
      {
        lines: [
          { id: 'mug', quantity: 6 },
          { id: 'mug', quantity: 5 },
        ],
        selections: [standard],
        country: 'US',
      },
    ],
    [
      'quantity_exceeded',
      { lines: [{ id: 'pen', quantity: 51 }], selections: [{ optionId: 'standard', itemIds: ['pen'] }], country: 'US' },
    ],
    ['destination_missing', { selections: [standard] }],
    ['option_missing', { country: 'US' }],
    ['undeliverable', { country: 'FR' }],
  ])('%s', (code, request) => {
    expect(codes(request, code === 'undeliverable' ? { fulfillment: [{ ...us, id: 'standard' }] } : {})).toEqual([code]);
  });

  it.each<[string, Selection[]]>([
    ['unknown_option', [{ optionId: 'none', itemIds: ['mug'] }]],
    ['option_out_of_reach', [{ optionId: 'express', itemIds: ['mug'] }]],
    ['option_unsuited', [{ optionId: 'download', itemIds: ['mug'] }]],
    ['option_unsuited', [{ optionId: 'standard', itemIds: ['pen'] }]],
    ['option_repeated', [standard, { optionId: 'shop', itemIds: ['mug'] }]],
  ])('%s', (code, selections) => {
    expect(codes({ selections, country: 'DE' })).toContain(code);
  });

  it('of which only those ways are told that go there and suit', () => {
    const ids = (country: string | null, id = 'mug') =>
      basket({ country, lines: [{ id, quantity: 1 }] }).options.map((option) => option.id);
    expect(ids(null)).toEqual(['standard', 'express', 'shop']);
    expect(ids('DE')).toEqual(['standard', 'shop']);
    expect(ids('DE', 'song')).toEqual(['download']);
  });
});

const us = { type: 'shipping', title: 'Standard', amount: '4.99', countries: ['US'] };
