// GET /v1/quotes/{id}
import { describe, expect, it } from 'vitest';
import { newQuote, quotedBody, setHalfRate, walletsOfTwo } from '../../factories/exchange.js';
import { useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const read = async (id: string) => (await harness.test.get(`/v1/quotes/${id}`)).body.data;

describe('GET /v1/quotes/{id}', () => {
  describe('200', () => {
    it('open, then expired, after 30 seconds', async () => {
      const quote = await newQuote(harness.test);
      expect(await read(quote.id)).toEqual(quote);
      harness.clock.advance(29.999);
      expect((await read(quote.id)).status).toBe('open');
      harness.clock.advance(0.001);
      expect(await read(quote.id)).toEqual({ ...quote, status: 'expired' });
    });

    it('used, also when it has expired', async () => {
      await setHalfRate(harness.test);
      const { from, to } = await walletsOfTwo(harness.test);
      const quote = await newQuote(harness.test);
      await harness.test.make('/v1/transfers', quotedBody(from, to, quote));
      harness.clock.advance(60);
      expect((await read(quote.id)).status).toBe('used');
    });
  });

  describe('404', () => {
    it('for an agent, of a quote that it did not ask for', async () => {
      const [one, other] = [await enrol(harness.test), await enrol(harness.test)];
      const body = { from_currency: 'USD', to_currency: 'EUR', amount: '1.00', amount_side: 'send' };
      const { data } = (await harness.test.post('/v1/quotes', body, { as: one.token })).body;
      expect((await harness.test.get(`/v1/quotes/${data.id}`, { as: one.token })).status).toBe(200);
      expect((await harness.test.get(`/v1/quotes/${data.id}`, { as: other.token })).status).toBe(404);
    });
  });
});
