// POST /v1/quotes
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Fraction, fraction, printDecimal } from '../../../src/contexts/rates/fraction.js';
import { quoteAmounts } from '../../../src/contexts/transfers/quote.js';
import { newQuote, setHalfRate } from '../../factories/exchange.js';
import { useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const body = { from_currency: 'USD', to_currency: 'EUR', amount: '100.00', amount_side: 'send' };
const create = (extra: object = {}) => harness.test.post('/v1/quotes', { ...body, ...extra });

describe('POST /v1/quotes', () => {
  describe('201', () => {
    it('by what is sent: the fee is a part of it', async () => {
      await setHalfRate(harness.test);
      const { status, body: answer } = await create();
      const at = harness.clock.now();
      expect(status).toBe(201);
      expect(answer.data).toEqual({
        id: expect.stringMatching(/^qt_/),
        from_currency: 'USD',
        to_currency: 'EUR',
        rate: '0.5',
        inverse_rate: '2',
        amount_side: 'send',
        send_amount: '100.00',
        receive_amount: '49.75',
        fee: { amount: '0.50', currency: 'USD' },
        status: 'open',
        expires_at: new Date(at.getTime() + 30_000).toISOString(),
        created_at: at.toISOString(),
      });
    });

    it('for a rail: its fee is added in the currency that is sent', async () => {
      await setHalfRate(harness.test);
      expect((await create({ rail: 'sepa' })).body.data).toMatchObject({
        rail: 'sepa',
        fee: { amount: '0.90', currency: 'USD' },
        receive_amount: '49.55',
      });
      const byArrival = await create({ rail: 'sepa', amount: '49.55', amount_side: 'receive' });
      expect(byArrival.body.data).toMatchObject({ send_amount: '100.00', fee: { amount: '0.90' } });
    });

    it('by what arrives', async () => {
      await setHalfRate(harness.test);
      expect((await create({ amount: '49.75', amount_side: 'receive' })).body.data).toMatchObject({
        send_amount: '100.00',
        receive_amount: '49.75',
        fee: { amount: '0.50' },
      });
    });

    it('at the built-in rates, and across by USD', async () => {
      expect(await newQuote(harness.test, { from_currency: 'BRL', to_currency: 'JPY', amount: '1000.00' })).toMatchObject({
        receive_amount: expect.stringMatching(/^\d+$/),
        rate: expect.stringMatching(/^\d+\.\d+$/),
      });
    });
  });

  describe('400', () => {
    it('for one currency', async () => {
      expectInvalid(await create({ to_currency: 'USD' }), 'to_currency');
    });

    it('for an amount that comes to nothing', async () => {
      expectInvalid(await create({ to_currency: 'JPY', amount: '0.01' }), 'amount');
    });

    for (const amount of ['0', '1.001', '-1', '1e2', '1000000000000000.01']) {
      it(`for the amount ${amount}`, async () => {
        expectInvalid(await create({ amount }), 'amount');
      });
    }

    it('for what would send more than one transfer moves', async () => {
      expectInvalid(
        await create({ from_currency: 'JPY', to_currency: 'USD', amount: '900000000000000.00', amount_side: 'receive' }),
        'amount',
      );
    });

    it('for currencies that nobody knows', async () => {
      expectInvalid(await create({ from_currency: 'XAU' }), 'from_currency');
    });
  });

  describe('422', () => {
    it('for a rail that does not carry the currency', async () => {
      expectRefused(await create({ rail: 'pix' }), 422, 'unsupported_rail', { rails: ['sepa'] });
    });
  });

  describe('503', () => {
    it('for a rail that no provider serves, as in production', async () => {
      expectRefused(await harness.live.post('/v1/quotes', { ...body, rail: 'sepa' }), 503, 'rail_unavailable', {
        reason: 'not_configured',
        retry: { safe: true },
      });
    });
  });
});

describe('the amounts of a quote', () => {
  const rates = fc
    .tuple(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.bigInt({ min: 1n, max: 10n ** 12n }))
    .map(([num, den]) => fraction(num, den));
  const amounts = fc.bigInt({ min: 1n, max: 10n ** 15n });
  /** What is left of an amount after the fee, at the rate, not rounded: `num / den`. */
  const worth = (net: bigint, { num, den }: Fraction) => ({ num: net * num, den });

  it('pay what was sent less the fee, rounded down by less than a minor unit', () => {
    fc.assert(
      fc.property(amounts, rates, (amount, rate) => {
        const { sendAmount, feeAmount, receiveAmount } = quoteAmounts('send', amount, rate);
        const { num, den } = worth(sendAmount - feeAmount, rate);
        expect(sendAmount).toBe(amount);
        expect(feeAmount * 1000n >= amount * 5n && (feeAmount - 1n) * 1000n < amount * 5n).toBe(true);
        expect(receiveAmount * den <= num && (receiveAmount + 1n) * den > num).toBe(true);
      }),
    );
  });

  it('send enough for what arrives, and not a minor unit more', () => {
    fc.assert(
      fc.property(amounts, rates, (amount, rate) => {
        const { sendAmount, feeAmount, receiveAmount } = quoteAmounts('receive', amount, rate);
        expect(receiveAmount).toBe(amount);
        expect(quoteAmounts('send', sendAmount, rate).receiveAmount >= amount).toBe(true);
        expect(quoteAmounts('send', sendAmount, rate).feeAmount).toBe(feeAmount);
        if (sendAmount > 1n) expect(quoteAmounts('send', sendAmount - 1n, rate).receiveAmount < amount).toBe(true);
      }),
    );
  });

  it.each([
    [{ num: 1n, den: 2n }, '0.5'],
    [{ num: 1n, den: 3n }, '0.3333333333'],
    [{ num: 1n, den: 3000n }, '0.0003333333333'],
    [{ num: 10n ** 12n, den: 7n }, '142857142857'],
    [{ num: 155n, den: 1n }, '155'],
    [{ num: 500000n, den: 293n }, '1706.484641'],
  ])('print the rate %o as %s', (rate, text) => {
    expect(printDecimal(rate)).toBe(text);
  });
});
