import { describe, expect, it } from 'vitest';
import { nowhere, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const price = { amount: '2.50', currency: 'USD' };
const worker = () => enrol(harness.test, { skills: [{ id: 'sum', name: 'Sums', tags: ['a'], price, input_schema: { type: 'object' } }] });

describe('PATCH /v1/agents/{id}/skills/{skill_id}', () => {
  it('200: changes what is named, takes away what is null', async () => {
    const { id, token } = await worker();
    harness.clock.advance(5);
    const path = `/v1/agents/${id}/skills/sum`;
    const answer = await harness.test.patch(path, { description: 'Adds up.', price: { amount: '3', currency: 'EUR' } }, { as: token });
    expect(answer.body.data).toMatchObject({
      name: 'Sums',
      description: 'Adds up.',
      tags: ['a'],
      input_schema: { type: 'object' },
      price: { amount: '3.00', currency: 'EUR' },
      updated_at: harness.clock.now().toISOString(),
    });
    const bare = (await harness.test.patch(path, { price: null, input_schema: null, tags: null })).body.data;
    expect([bare.price, bare.input_schema, bare.tags]).toEqual([undefined, undefined, []]);
  });

  it('400: a price of too many digits, a member that is none', async () => {
    const { id } = await worker();
    const path = `/v1/agents/${id}/skills/sum`;
    expect((await harness.test.patch(path, { price: { amount: '1.001', currency: 'USD' } })).body.details.fields[0].path).toBe(
      'price.amount',
    );
    expect((await harness.test.patch(path, { id: 'other' })).body.details.fields[0].path).toBe('id');
  });

  it('401 without a credential', async () => {
    expect((await harness.test.patch(`/v1/agents/${nowhere}/skills/sum`, {}, { as: null })).status).toBe(401);
  });

  it("404: missing, another tenant's, another agent's", async () => {
    const [mine, other] = [await worker(), await worker()];
    const theirs = await enrol(harness.other, { skills: ['sum'] });
    expect((await harness.test.patch(`/v1/agents/${mine.id}/skills/none`, {})).status).toBe(404);
    expect((await harness.test.patch(`/v1/agents/${theirs.id}/skills/sum`, {})).status).toBe(404);
    expect((await harness.test.patch(`/v1/agents/${other.id}/skills/sum`, {}, { as: mine.token })).status).toBe(404);
  });
});

describe('DELETE /v1/agents/{id}/skills/{skill_id}', () => {
  it('200: the skill is gone; 404 after it, and for another agent; 401 without a credential', async () => {
    const [mine, other] = [await worker(), await worker()];
    const path = `/v1/agents/${mine.id}/skills/sum`;
    expect((await harness.test.delete(path, { as: null })).status).toBe(401);
    expect((await harness.test.delete(path, { as: other.token })).status).toBe(404);
    const key = { as: mine.token, headers: { 'Idempotency-Key': 'delete-skill' } };
    const answer = await harness.test.delete(path, key);
    expect([answer.status, answer.body.data]).toEqual([200, { id: 'sum', deleted: true }]);
    expect((await harness.test.delete(path, key)).body).toEqual(answer.body);
    expect((await harness.test.delete(path)).status).toBe(404);
    expect((await harness.test.get(`/v1/agents/${mine.id}`)).body.data.skills).toEqual([]);
  });
});
