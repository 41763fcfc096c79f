// POST /v1/x402/verify, POST /v1/x402/payments/{id}/consume, GET /v1/x402/payments(/{id})
import { describe, expect, it } from 'vitest';
import { newBuyer, newEndpoint, payFor } from '../../factories/x402.js';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const verify = async (body: Json, client = harness.test) => (await client.post('/v1/x402/verify', body)).body.data;
const consume = (payment: Json, as = harness.test.key) => harness.test.post(`/v1/x402/payments/${payment.id}/consume`, {}, { as });

const paid = async (extra: object = {}) => {
  const [endpoint, buyer] = [await newEndpoint(harness.test, extra), await newBuyer(harness.test)];
  return { endpoint, buyer, payment: await payFor(harness.test, buyer, endpoint) };
};

describe('POST /v1/x402/verify', () => {
  it('says what a proof proves', async () => {
    const { endpoint, buyer, payment } = await paid();
    expect(await verify({ proof: payment.proof, endpoint_id: endpoint.id, resource: '/weather' })).toEqual({
      valid: true,
      payment_id: payment.id,
      amount: '0.10',
      currency: 'USDC',
      payer_wallet: buyer.wallet.id,
      endpoint_id: endpoint.id,
      consumed: false,
    });
  });

  it('knows the resource by what its 402 calls it', async () => {
    for (const extra of [{}, { url: 'https://api.example.com/weather' }]) {
      const { endpoint, payment } = await paid(extra);
      const { resource } = (await harness.test.get(`/x402/${endpoint.id}`, { as: null })).body;
      expect(await verify({ proof: payment.proof, resource: resource.url })).toMatchObject({ valid: true });
    }
  });

  it('says why a proof is no good', async () => {
    const { payment } = await paid();
    const other = await newEndpoint(harness.test);
    for (const resource of [`${harness.test.url}/x402/${other.id}`, 'mailto:weather', 'https://'])
      expect(await verify({ proof: payment.proof, resource })).toMatchObject({ valid: false, reason: 'wrong_resource' });
    const { proof } = payment;
    expect(await verify({ proof, endpoint_id: other.id })).toMatchObject({ valid: false, reason: 'wrong_endpoint' });
    expect(await verify({ proof, resource: '/else' })).toMatchObject({ valid: false, reason: 'wrong_resource' });
    expect(await verify({ proof: `${proof.slice(0, -4)}AAAA` })).toEqual({ valid: false, reason: 'invalid_payload' });
    expect(await verify({ proof }, harness.other)).toEqual({ valid: false, reason: 'invalid_payload' });
    await consume(payment);
    expect(await verify({ proof })).toMatchObject({ valid: false, consumed: true, reason: 'consumed' });
    const late = await paid();
    harness.clock.advance(3_600);
    expect(await verify({ proof: late.payment.proof })).toMatchObject({ valid: false, reason: 'expired' });
    expectRefused(await consume(late.payment), 409, 'state_conflict', { reason: 'expired' });
  });

  it('400 without a proof', async () => {
    expectRefused(await harness.test.post('/v1/x402/verify', {}), 400, 'validation_failed');
  });
});

describe('POST /v1/x402/payments/{id}/consume', () => {
  it('once, however many ask', async () => {
    const { payment } = await paid();
    const answers = await Promise.all(Array.from({ length: 10 }, () => consume(payment)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });

  it('by the agent that was paid, and not by the one that paid', async () => {
    const seller = await enrol(harness.test, { wallet: { currency: 'USDC' } });
    const receiver_wallet_id = seller.agent.default_wallet_id;
    const { buyer, payment } = await paid({ account_id: seller.account.id, receiver_wallet_id });
    expectRefused(await consume(payment, buyer.token), 403, 'forbidden');
    expect((await consume(payment, seller.token)).body.data.consumed_at).toBe(harness.clock.now().toISOString());
  });
});

describe('GET /v1/x402/payments', () => {
  it('by endpoint, agent and status; an agent sees its own', async () => {
    const { endpoint, buyer, payment } = await paid();
    const second = await payFor(harness.test, await newBuyer(harness.test), endpoint);
    const ids = async (query: string, as = harness.test.key) =>
      (await harness.test.get(`/v1/x402/payments${query}`, { as })).body.data.map(({ id }: Json) => id);
    expect(await ids(`?endpoint_id=${endpoint.id}`)).toEqual([second.id, payment.id]);
    expect(await ids(`?endpoint_id=${endpoint.id}&status=pending`)).toEqual([]);
    expect(await ids(`?agent_id=${buyer.uuid}`)).toEqual([payment.id]);
    expect(await ids('', buyer.token)).toEqual([payment.id]);
    expectRefused(await harness.test.get(`/v1/x402/payments/${second.id}`, { as: buyer.token }), 404, 'not_found');
  });
});
