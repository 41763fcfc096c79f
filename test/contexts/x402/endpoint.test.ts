// GET, PATCH and DELETE /v1/x402/endpoints(/{id})
import { describe, expect, it } from 'vitest';
import { newBuyer, newEndpoint, payBody, payFor } from '../../factories/x402.js';
import { useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const at = ({ id }: { id: string }) => `/v1/x402/endpoints/${id}`;

describe('GET /v1/x402/endpoints/{id}', () => {
  it('counts what was paid', async () => {
    const endpoint = await newEndpoint(harness.test);
    const buyer = await newBuyer(harness.test);
    await payFor(harness.test, buyer, endpoint);
    await payFor(harness.test, buyer, endpoint);
    await harness.runDue();
    expect((await harness.test.get(at(endpoint))).body.data).toMatchObject({ total_calls: 2, total_revenue: '0.20' });
  });

  it('counts no test event, also of a payment that was made', async () => {
    const endpoint = await newEndpoint(harness.test);
    const { id: object_id } = await payFor(harness.test, await newBuyer(harness.test), endpoint);
    harness.clock.advance(1);
    await harness.test.make('/v1/test/events/trigger', { type: 'x402.payment.completed', object_id });
    await harness.runDue();
    expect((await harness.test.get(at(endpoint))).body.data).toMatchObject({ total_calls: 1, total_revenue: '0.10' });
  });

  it('shows an agent its public side alone', async () => {
    const endpoint = await newEndpoint(harness.test, { metadata: { secret: true } });
    const { token } = await newBuyer(harness.test);
    const { data } = (await harness.test.get(at(endpoint), { as: token })).body;
    expect(data).toMatchObject({ id: endpoint.id, base_price: '0.10', pay_to: endpoint.pay_to });
    for (const hidden of ['account_id', 'receiver_wallet_id', 'metadata', 'total_calls', 'total_revenue'])
      expect(data).not.toHaveProperty(hidden);
  });
});

describe('GET /v1/x402/endpoints', () => {
  it('lists by account and status, newest first', async () => {
    const [one, two] = [await newEndpoint(harness.test), await newEndpoint(harness.test)];
    const all = (await harness.test.get('/v1/x402/endpoints?limit=2')).body.data;
    expect(all.map(({ id }: { id: string }) => id)).toEqual([two.id, one.id]);
    await harness.test.patch(at(one), { status: 'paused' });
    const paused = (await harness.test.get(`/v1/x402/endpoints?account_id=${one.account_id}&status=paused`)).body.data;
    expect(paused.map(({ id }: { id: string }) => id)).toEqual([one.id]);
  });
});

describe('PATCH /v1/x402/endpoints/{id}', () => {
  it('changes what it says, and what the next call costs', async () => {
    const endpoint = await newEndpoint(harness.test);
    const buyer = await newBuyer(harness.test);
    await payFor(harness.test, buyer, endpoint);
    harness.clock.advance(1);
    const { data } = (
      await harness.test.patch(at(endpoint), { base_price: '0.25', name: 'Storms', url: 'https://a.example/w', path: null })
    ).body;
    expect(data).toMatchObject({
      base_price: '0.25',
      name: 'Storms',
      url: 'https://a.example/w',
      updated_at: harness.clock.now().toISOString(),
    });
    expect(data.path).toBeUndefined();
    expect((await payFor(harness.test, buyer, endpoint)).amount).toBe('0.25');
  });

  it('takes no payments while it is paused', async () => {
    const endpoint = await newEndpoint(harness.test);
    const buyer = await newBuyer(harness.test);
    await harness.test.patch(at(endpoint), { status: 'paused' });
    const refused = await harness.test.post('/v1/x402/pay', payBody(buyer, endpoint), { as: buyer.token });
    expectRefused(refused, 409, 'state_conflict', { current_status: 'paused', allowed_from: ['active'] });
    await harness.test.patch(at(endpoint), { status: 'active' });
    expect((await payFor(harness.test, buyer, endpoint)).status).toBe('settled');
  });

  it('400 for an endpoint that would be nowhere', async () => {
    const endpoint = await newEndpoint(harness.test);
    expectInvalid(await harness.test.patch(at(endpoint), { path: null }), 'path');
  });
});

describe('DELETE /v1/x402/endpoints/{id}', () => {
  it('ends it, and keeps what was paid', async () => {
    const endpoint = await newEndpoint(harness.test);
    const buyer = await newBuyer(harness.test);
    const payment = await payFor(harness.test, buyer, endpoint);
    expect((await harness.test.delete(at(endpoint))).body).toEqual({ data: { id: endpoint.id, deleted: true } });
    expectRefused(await harness.test.get(at(endpoint)), 404, 'not_found');
    expectRefused(await harness.test.delete(at(endpoint)), 404, 'not_found');
    expectRefused(await harness.test.post('/v1/x402/pay', payBody(buyer, endpoint)), 404, 'not_found');
    expect((await harness.test.get(`/v1/x402/payments/${payment.id}`)).body.data.endpoint_id).toBe(endpoint.id);
  });
});
