// A skill whose price was raised: what a task at its price costs whoever has read the card before (CONTRACT.md 29).
import { describe, expect, it } from 'vitest';
import { callAgent, textMessage } from '../../factories/a2a.js';
import { type Json, useHarness } from '../../harness.js';
import { enrol, type TestAgent } from '../agents/identity.js';

const harness = useHarness();
const usd = (amount: string) => ({ amount, currency: 'USD' });
interface Market {
  buyer: TestAgent;
  seller: TestAgent;
}

/** A buyer with money, and a seller whose first skill costs something. */
async function market(price: Json | null = usd('10.00')): Promise<Market> {
  const skills = [{ id: 'translate', ...(price && { price }) }, 'greet'];
  const [buyer, seller] = [
    await enrol(harness.test, { wallet: { currency: 'USD' } }),
    await enrol(harness.test, { wallet: { currency: 'USD' }, skills }),
  ];
  await harness.test.make(`/v1/wallets/${buyer.agent.default_wallet_id}/fund`, { amount: '1000.00' });
  return { buyer, seller };
}
const raise = async ({ seller }: Market, price: Json | null) =>
  expect((await harness.test.patch(`/v1/agents/${seller.id}/skills/translate`, { price }, { as: seller.token })).status).toBe(200);
/** What a message costs, or the platform's error. */
async function send({ buyer, seller }: Market, metadata: Json = {}): Promise<Json> {
  const { body } = await callAgent(
    harness.test,
    seller,
    'SendMessage',
    { message: textMessage('Hello', { metadata }) },
    { as: buyer.token },
  );
  return body.error === undefined ? body.result.task.metadata.payment.amount : body.error;
}
const post = ({ buyer, seller }: Market, payment: Json = {}, query = '') =>
  harness.test.post(
    `/v1/a2a/tasks${query}`,
    { to_agent_id: seller.id, skill_id: 'translate', payload: {}, payment: { method: 'wallet', ...payment } },
    { as: buyer.token },
  );
const held = async ({ buyer }: Market) =>
  (await harness.test.get(`/v1/wallets/${buyer.agent.default_wallet_id}`)).body.data.balance.available;

describe('a raised price', () => {
  it('binds ten minutes after the raise; a message before is refused with both prices, and costs nothing', async () => {
    const sides = await market();
    await raise(sides, usd('25.00'));
    const binds_at = new Date(harness.clock.now().getTime() + 600_000).toISOString();
    await harness.advance(599);
    const refused = await send(sides);
    expect(refused).toMatchObject({
      code: -32000,
      data: [
        { reason: 'PRICE_CHANGED' },
        {
          code: 'price_changed',
          details: {
            skill_id: 'translate',
            price: usd('25.00'),
            previous_price: usd('10.00'),
            binds_at,
            next_actions: [{ rel: 'read', method: 'GET', path: `/v1/agents/${sides.seller.id}/skills/translate` }],
          },
        },
      ],
    });
    expect(await held(sides)).toBe('1000.00');
    await harness.advance(1);
    expect(await send(sides)).toBe('25.00');
  });

  it('binds at once for a message whose max_price covers it, and never beyond one', async () => {
    const sides = await market();
    await raise(sides, usd('25.00'));
    expect(await send(sides, { max_price: '25.00' })).toBe('25.00');
    expect(await send(sides, { max_price: usd('30.00'), skill_id: 'translate' })).toBe('25.00');
    const { details } = (await send(sides, { max_price: '24.99' })).data[1];
    expect(details).toMatchObject({ price: usd('25.00'), max_price: usd('24.99') });
    await harness.advance(600);
    for (const max_price of ['24.99', usd('24.99'), { amount: '99.00', currency: 'EUR' }])
      expect((await send(sides, { max_price })).data[1]).toMatchObject({ code: 'price_changed', details: { price: usd('25.00') } });
    expect(await held(sides)).toBe('950.00');
  });

  it('of several raises the lowest price of the last ten minutes counts; a lower price binds at once', async () => {
    const sides = await market();
    await raise(sides, usd('20.00'));
    await harness.advance(300);
    await raise(sides, usd('30.00'));
    expect((await send(sides)).data[1].details.previous_price).toEqual(usd('10.00'));
    await harness.advance(300);
    expect((await send(sides)).data[1].details.previous_price).toEqual(usd('20.00'));
    await raise(sides, usd('15.00'));
    expect(await send(sides)).toBe('15.00');
    await raise(sides, usd('30.00'));
    await harness.advance(300);
    expect((await send(sides)).data[1].details.previous_price).toEqual(usd('15.00'));
    await harness.advance(300);
    expect(await send(sides)).toBe('30.00');
  });

  it('is raised as well by a price at all, another currency, a skill made again, and another first skill', async () => {
    const free = await market(null);
    await raise(free, usd('1.00'));
    expect((await send(free)).data[1].details).toMatchObject({ price: usd('1.00'), previous_price: null });

    const abroad = await market({ amount: '10.00', currency: 'EUR' });
    await raise(abroad, usd('5.00'));
    for (const metadata of [{}, { max_price: '5.00' }])
      expect((await send(abroad, metadata)).data[1].details.previous_price).toEqual({ amount: '10.00', currency: 'EUR' });
    expect(await send(abroad, { max_price: usd('5.00') })).toBe('5.00');

    const again = await market();
    const { id, token: as } = again.seller;
    await harness.test.delete(`/v1/agents/${id}/skills/translate`, { as });
    await harness.test.make(
      `/v1/agents/${id}/skills`,
      { id: 'translate', name: 'Translation', description: 'Dear', price: usd('90.00') },
      { as },
    );
    expect((await send(again, { skill_id: 'translate' })).data[1].details.previous_price).toEqual(usd('10.00'));

    const swapped = await market();
    const skills = [
      { id: 'dear', price: usd('90.00') },
      { id: 'translate', price: usd('10.00') },
    ];
    await harness.test.patch(`/v1/agents/${swapped.seller.id}`, { skills }, { as: swapped.seller.token });
    expect((await send(swapped)).data[1].details).toMatchObject({ skill_id: 'dear', previous_price: usd('10.00') });
    expect(await send(swapped, { skill_id: 'dear' })).toBe('90.00');
    expect(await send(swapped, { skill_id: 'translate' })).toBe('10.00');
  });

  it('holds for POST /v1/a2a/tasks without an amount, and its dry run; an amount of its own is what it says', async () => {
    const sides = await market();
    await raise(sides, usd('25.00'));
    for (const query of ['', '?dry_run=true']) {
      const { status, body } = await post(sides, {}, query);
      expect([status, body.code, body.details.price, body.details.previous_price]).toEqual([
        409,
        'price_changed',
        usd('25.00'),
        usd('10.00'),
      ]);
    }
    expect((await post(sides, { max_price: '20.00' })).body.details).toMatchObject({ price: usd('25.00'), max_price: usd('20.00') });
    expect((await post(sides, { max_price: '25.00' })).body.data.payment.amount).toBe('25.00');
    expect((await post(sides, { amount: '12.00' })).body.data.payment.amount).toBe('12.00');
    const beyond = await post(sides, { amount: '12.00', max_price: '11.00' });
    expect([beyond.status, beyond.body.details.fields[0].path]).toEqual([400, 'payment.amount']);
  });

  it('400 for a max_price that is none', async () => {
    const sides = await market();
    for (const max_price of [5, '-1', 'ten', { amount: '5.00' }, usd('0.0001')]) {
      const { code, data } = await send(sides, { max_price });
      expect([code, data[1].details.fields[0].path]).toEqual([-32602, expect.stringMatching(/^params\.message\.metadata\.max_price/)]);
    }
  });
});
