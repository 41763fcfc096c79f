// POST /v1/x402/verify, POST /v1/x402/payments/{id}/consume, GET /v1/x402/payments(/{id})
import { describe, expect, it } from 'vitest';
import { newBuyer, newEndpoint, payFor, storedPayment } from '../../factories/x402.js';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
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

describe('what was answered to a paid call', () => {
  const consumeWith = (payment: Json, body: Json) => harness.test.post(`/v1/x402/payments/${payment.id}/consume`, body);
  const delivered = async (transferId: string) => {
    const { leaves } = (await harness.test.get(`/v1/transfers/${transferId}/evidence?parts=delivery`)).body;
    const shown = leaves.flatMap(({ disclosures }: Json) => disclosures);
    return shown.map((text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())[2]);
  };

  it.each([
    ['exact', {}, {}],
    ['upto', { scheme: 'upto', base_price: '1.00' }, { max_amount: '0.80' }],
  ])('200: is what the payee delivered for the transfer (%s)', async (_scheme, extra, asked) => {
    const [endpoint, buyer] = [await newEndpoint(harness.test, extra), await newBuyer(harness.test)];
    const payment = await payFor(harness.test, buyer, endpoint, asked);
    expect((await consumeWith(payment, { response_sha256: 'AB'.repeat(32) })).status).toBe(200);
    const said = await delivered(payment.transfer_id);
    expect(said).toMatchObject([{ sha256: 'ab'.repeat(32), by: { side: 'payee' }, transfer_id: `tx_${payment.transfer_id}` }]);
    const again = await harness.test.post(`/v1/transfers/${payment.transfer_id}/delivery`, { sha256: 'ab'.repeat(32) });
    expect([again.status, again.body.repeated]).toEqual([200, true]);
  });

  it('409 where the payee has said otherwise, which uses nothing up; what it said before is taken', async () => {
    const { payment } = await paid();
    await harness.test.make(`/v1/transfers/${payment.transfer_id}/delivery`, { sha256: '1'.repeat(64) });
    expectRefused(await consumeWith(payment, { response_sha256: '2'.repeat(64) }), 409, 'state_conflict');
    expect((await consumeWith(payment, { response_sha256: '1'.repeat(64) })).status).toBe(200);
    expect(await delivered(payment.transfer_id)).toHaveLength(1);
  });

  it('400 for what is no hash', async () => {
    const { payment } = await paid();
    for (const response_sha256 of ['1'.repeat(63), 'g'.repeat(64)])
      expectInvalid(await consumeWith(payment, { response_sha256 }), 'response_sha256');
  });

  it('409 where no transfer carries the payment; without a hash it is used up', async () => {
    const endpoint = await newEndpoint(harness.live);
    const expiresAt = new Date(harness.clock.now().getTime() + 60_000);
    const { id } = await storedPayment(harness, endpoint.id, {
      status: 'settled',
      expiresAt,
      settledAt: expiresAt,
      proof: 'of a chain',
      txHash: `0x${'1'.repeat(64)}`,
    });
    const consume = `/v1/x402/payments/${id}/consume`;
    expectRefused(await harness.live.post(consume, { response_sha256: '1'.repeat(64) }), 409, 'state_conflict');
    expect((await harness.live.post(consume, {})).status).toBe(200);
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
