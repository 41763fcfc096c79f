// GET /v1/treasury/snapshots/{id}
import { describe, expect, it } from 'vitest';
import { pay } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { balances, exposure, newBooks } from './books.js';

const harness = useHarness();

describe('GET /v1/treasury/snapshots/{id}', () => {
  it('200: what was held, owed and promised, and stays so', async () => {
    const { client, from, to } = await newBooks(harness);
    const taken = (await client.post('/v1/treasury/snapshot', { description: 'Month end' })).body;
    const read = async () => (await client.get(`/v1/treasury/snapshots/${taken.id}`)).body;
    const expected = { data: { ...taken, description: 'Month end', balances, exposure, tree_head: null } };
    expect(await read()).toEqual(expected);
    await pay(client, from, to, '9.00', { capture: 'manual' });
    await client.make(`/v1/wallets/${to.id}/fund`, { amount: '77.00' });
    harness.clock.advance(86_400);
    expect(await read()).toEqual(expected);
  });

  it('200 without a description', async () => {
    const { id } = (await harness.test.post('/v1/treasury/snapshot', {})).body;
    expect((await harness.test.get(`/v1/treasury/snapshots/${id}`)).body.data).not.toHaveProperty('description');
  });
});
