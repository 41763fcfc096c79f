// POST /v1/transfers with type: cross_border
import { describe, expect, it } from 'vitest';
import { ownersKey } from '../../factories/approval.js';
import { newQuote, quotedBody, setHalfRate, walletsOfTwo } from '../../factories/exchange.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const create = (body: object, as?: string) => harness.test.post('/v1/transfers', body, as === undefined ? {} : { as });
const available = async (wallet: Json) => (await balanceOf(harness.test, wallet)).available;

async function ready() {
  await setHalfRate(harness.test);
  return { ...(await walletsOfTwo(harness.test)), quote: await newQuote(harness.test) };
}

describe('POST /v1/transfers, cross_border', () => {
  describe('201', () => {
    it('pays another currency, through clearing, at the rate of the quote', async () => {
      const { from, to, quote } = await ready();
      await harness.test.put('/v1/rates', { rates: [{ from: 'USD', to: 'EUR', rate: '0.1' }] });
      const { status, body } = await create(quotedBody(from, to, quote, { reference: 'abroad' }));
      expect(status).toBe(201);
      expect(body.data).toMatchObject({
        type: 'cross_border',
        protocol: 'cross_border',
        status: 'completed',
        amount: '100.00',
        currency: 'USD',
        destination_amount: '49.75',
        destination_currency: 'EUR',
        fee: { amount: '0.50', currency: 'USD' },
        quote_id: quote.id,
      });
      expect([await available(from), await available(to)]).toEqual(['900.00', '49.75']);
      expect((await eventsOf(harness, body.data.id)).map(({ type }) => type)).toEqual(['transfer.created', 'transfer.completed']);
      const { data: entries } = (await harness.test.get(`/v1/transfers/${body.data.id}/entries`)).body;
      expect(entries.map(({ direction, amount, currency }: Json) => `${direction} ${amount} ${currency}`).sort()).toEqual([
        'credit 0.50 USD',
        'credit 49.75 EUR',
        'credit 99.50 USD',
        'debit 100.00 USD',
        'debit 49.75 EUR',
      ]);
      expect((await harness.test.get(`/v1/transfers?quote_id=${quote.id}`)).body.data).toEqual([body.data]);
    });

    it('to a destination that is a wallet, from the default wallet of an account', async () => {
      const { from, to, quote } = await ready();
      const destination = { type: 'wallet', ref: `wal_${to.id}`, name: 'Shop' };
      const { body } = await create({ type: 'cross_border', from_account_id: from.account_id, destination, quote_id: quote.id });
      expect(body.data).toMatchObject({ status: 'completed', from_wallet_id: from.id, to_wallet_id: to.id });
    });

    it('held, and captured in part: the shares are rounded', async () => {
      const { from, to, quote } = await ready();
      const { body } = await create(quotedBody(from, to, quote, { capture: 'manual' }));
      expect(body.data).toMatchObject({ status: 'pending', destination_amount: '49.75' });
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '900.00', held: '100.00' });
      harness.clock.advance(60);
      const { body: captured } = await harness.test.post(`/v1/transfers/${body.data.id}/capture`, { amount: '33.33' });
      expect(captured.data).toMatchObject({ status: 'completed', destination_amount: '16.58', fee: { amount: '0.17' } });
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '966.67', held: '0.00' });
      expect(await available(to)).toBe('16.58');
    });

    it('held, and cancelled: all of it comes back', async () => {
      const { from, to, quote } = await ready();
      const { body } = await create(quotedBody(from, to, quote, { capture: 'manual' }));
      await harness.test.make(`/v1/transfers/${body.data.id}/cancel`, {});
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '1000.00', held: '0.00' });
    });

    it('after an approval, at the rate of the quote', async () => {
      await setHalfRate(harness.test);
      const { from, to } = await walletsOfTwo(harness.test);
      const approval = { threshold: '10.00', currency: 'USD' };
      await harness.test.make('/v1/policies', { name: 'Ask', target: { type: 'wallet', id: from.id }, rules: [], approval });
      const { status, body } = await create(quotedBody(from, to, await newQuote(harness.test)));
      expect(status).toBe(202);
      const key = await ownersKey(harness);
      harness.clock.advance(60);
      const approved = await harness.test.post(`/v1/approvals/${body.approval.id}/approve`, {}, { as: key });
      expect(approved.status, JSON.stringify(approved.body)).toBe(200);
      expect((await harness.test.get(`/v1/transfers/${body.data.id}`)).body.data).toMatchObject({
        status: 'completed',
        destination_amount: '49.75',
      });
      expect([await available(from), await available(to)]).toEqual(['900.00', '49.75']);
    });
  });

  describe('400', () => {
    it('without a quote, or with an amount beside it', async () => {
      const { from, to, quote } = await ready();
      expectInvalid(
        await create({ type: 'cross_border', from_wallet_id: from.id, to_wallet_id: to.id, amount: '1.00', currency: 'USD' }),
        'quote_id',
      );
      expectInvalid(await create(quotedBody(from, to, quote, { amount: '1.00', currency: 'USD' })), 'amount', 'currency');
      expectInvalid(await create(quotedBody(from, to, quote, { type: 'internal' })), 'quote_id');
      expectInvalid(await create(quotedBody(from, to, quote, { scheduled_for: '2030-01-01T00:00:00Z' })), 'scheduled_for');
      expectInvalid(await create(quotedBody(from, to, quote, { destination_currency: 'BRL' })), 'destination_currency');
    });

    it('for a change of currency without a quote', async () => {
      const { from, to } = await ready();
      const body = { type: 'internal', from_wallet_id: from.id, to_wallet_id: to.id, amount: '1.00', currency: 'USD' };
      expectInvalid(await create({ ...body, destination_currency: 'EUR' }), 'quote_id');
    });

    it('for no payee, and for two', async () => {
      const { from, to, quote } = await ready();
      expectInvalid(await create({ type: 'cross_border', from_wallet_id: from.id, quote_id: quote.id }), 'to_wallet_id');
      expectInvalid(await create(quotedBody(from, to, quote, { to_account_id: to.account_id })), 'to_wallet_id');
    });
  });

  describe('404', () => {
    it('for a quote of nobody, and one of another agent', async () => {
      const { from, to } = await ready();
      expectRefused(await create(quotedBody(from, to, { id: `qt_${nowhere}` })), 404, 'not_found');
      const [one, other] = [await enrol(harness.test, { wallet: { currency: 'USD' } }), await enrol(harness.test)];
      const body = { from_currency: 'USD', to_currency: 'EUR', amount: '1.00', amount_side: 'send' };
      const { data: quote } = (await harness.test.post('/v1/quotes', body, { as: other.token })).body;
      const wallet = { id: one.agent.default_wallet_id };
      expectRefused(await create(quotedBody(wallet, to, quote), one.token), 404, 'not_found');
    });
  });

  describe('409', () => {
    it('for a quote that was used', async () => {
      const { from, to, quote } = await ready();
      await harness.test.make('/v1/transfers', quotedBody(from, to, quote));
      const answer = await create(quotedBody(from, to, quote));
      expectRefused(answer, 409, 'quote_used');
      const [{ rel, path, body }] = answer.body.details.next_actions;
      expect([rel, path]).toEqual(['new_quote', '/v1/quotes']);
      const next = await harness.test.make(path, body);
      expect(next).toMatchObject({ status: 'open', send_amount: quote.send_amount, receive_amount: quote.receive_amount });
      expect(await available(from)).toBe('900.00');
    });

    it('of twenty at once, one uses it', async () => {
      const { from, to, quote } = await ready();
      const answers = await Promise.all(Array.from({ length: 20 }, () => create(quotedBody(from, to, quote))));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
      expect(new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body.code))).toEqual(new Set(['quote_used']));
      expect([await available(from), await available(to)]).toEqual(['900.00', '49.75']);
    });

    it('for one that has expired', async () => {
      const { from, to, quote } = await ready();
      harness.clock.advance(30);
      const refused = await create(quotedBody(from, to, quote));
      expectRefused(refused, 409, 'quote_expired');
      const [{ path, body }] = refused.body.details.next_actions;
      const { data: another } = (await harness.test.post(path, body)).body;
      expect((await create(quotedBody(from, to, another))).status).toBe(201);
    });
  });

  describe('422', () => {
    it('for a rail that does not carry the currency', async () => {
      const { from } = await ready();
      const body = {
        type: 'cross_border',
        from_wallet_id: from.id,
        amount: '1.00',
        currency: 'USD',
        destination: { type: 'pix', ref: 'ada@example.com' },
      };
      expectRefused(await create(body), 422, 'unsupported_rail', { rail: 'pix', currency: 'USD' });
      expectRefused(await harness.test.post('/v1/transfers?dry_run=true', body), 422, 'unsupported_rail');
    });

    it('for wallets in other currencies than those of the quote', async () => {
      const { from, to, quote } = await ready();
      expectRefused(await create(quotedBody(to, from, quote)), 422, 'currency_mismatch');
    });

    it('for too little money; the quote can be used then', async () => {
      const { from, to, quote } = await ready();
      const { data: large } = (await harness.test.post('/v1/quotes', { ...quoteBody, amount: '1000.01' })).body;
      expectRefused(await create(quotedBody(from, to, large)), 422, 'insufficient_balance');
      expect((await harness.test.get(`/v1/quotes/${large.id}`)).body.data.status).toBe('open');
      expect((await create(quotedBody(from, to, quote))).status).toBe(201);
    });
  });

  describe('503', () => {
    it.each([
      [{ type: 'pix', ref: 'ada@example.com' }, 'BRL'],
      [{ type: 'spei', ref: '032180000118359719' }, 'MXN'],
      [{ type: 'address', ref: '0x52908400098527886E0F7030069857D2E4169EE7' }, 'USDC'],
    ])('in production, for money out of the platform to %o: no provider is connected', async (destination, currency) => {
      const { wallet } = await openWallet(harness.live, { currency });
      const body = { type: 'internal', from_wallet_id: wallet.id, destination, amount: '1.00', currency };
      expectRefused(await harness.live.post('/v1/transfers', body), 503, 'rail_unavailable', {
        reason: 'not_configured',
        retry: { safe: true },
      });
    });
  });

  it('a dry run says through which accounts it goes, and uses nothing up', async () => {
    const { from, to, quote } = await ready();
    const { body } = await harness.test.post('/v1/transfers?dry_run=true', quotedBody(from, to, quote));
    expect(body.data.would_post).toEqual([
      { account: 'wallet.available', direction: 'debit', amount: '100.00', currency: 'USD' },
      { account: 'fx.clearing', direction: 'credit', amount: '99.50', currency: 'USD' },
      { account: 'fees', direction: 'credit', amount: '0.50', currency: 'USD' },
      { account: 'fx.clearing', direction: 'debit', amount: '49.75', currency: 'EUR' },
      { account: 'wallet.available', direction: 'credit', amount: '49.75', currency: 'EUR' },
    ]);
    expect((await create(quotedBody(from, to, quote))).status).toBe(201);
  });

  it('a key is good for one of them: the answer is the same', async () => {
    const { from, to, quote } = await ready();
    const options = { headers: { 'idempotency-key': 'abroad-1' } };
    const first = await harness.test.post('/v1/transfers', quotedBody(from, to, quote), options);
    const second = await harness.test.post('/v1/transfers', quotedBody(from, to, quote), options);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it('limits count what is sent, the fee included', async () => {
    const { from, to, quote } = await ready();
    const scope = { type: 'account', id: from.account_id };
    await harness.test.make('/v1/budgets', { name: 'Abroad', scope, amount: '100.00', currency: 'USD', period: 'day' });
    expect((await create(quotedBody(from, to, quote))).status).toBe(201);
    const more = await newQuote(harness.test, { amount: '0.10' });
    expectRefused(await create(quotedBody(from, to, more)), 403, 'budget_exceeded');
  });
});

const quoteBody = { from_currency: 'USD', to_currency: 'EUR', amount: '100.00', amount_side: 'send' };
