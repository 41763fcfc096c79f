// GET /v1/rates/{id}
import { describe, expect, it } from 'vitest';
import { type Client, type Json, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();

async function setRate(client: Client, rate = '0.31'): Promise<Json> {
  const { status, body } = await client.put('/v1/rates', { rates: [{ from: 'MXN', to: 'BRL', rate }] });
  expect(status).toBe(200);
  return body.data[0];
}

describe('200', () => {
  it('reads a rate by either form of its id, also after another has replaced it', async () => {
    const old = await setRate(harness.test);
    await setRate(harness.test, '0.32');
    for (const id of [old.id, old.id.slice('rate_'.length), old.id.toUpperCase().replace('RATE_', 'rate_')]) {
      const answer = await harness.test.get(`/v1/rates/${id}`);
      expect([answer.status, answer.body]).toEqual([200, { data: old }]);
    }
  });

  it('reads a built-in rate in every workspace, also where it is replaced, and as an agent', async () => {
    const [builtin] = (await harness.test.get('/v1/rates?from=USD&to=JPY')).body.data;
    await harness.test.put('/v1/rates', { rates: [{ from: 'JPY', to: 'USD', rate: '0.0066' }] });
    const { token } = await enrol(harness.test);
    for (const [client, as] of [
      [harness.test, harness.test.key],
      [harness.test, token],
      [harness.other, harness.other.key],
      [harness.live, harness.live.key],
    ] as const) {
      expect((await client.get(`/v1/rates/${builtin.id}`, { as })).body).toEqual({ data: builtin });
    }
  });

  it('is a field of GraphQL too', async () => {
    const { id } = await setRate(harness.test, '0.33');
    const { body } = await harness.test.graphql('query ($id: RateId!) { rate(id: $id) { id rate source } }', { id });
    expect(body.data).toEqual({ rate: { id, rate: '0.33', source: 'workspace' } });
  });
});
