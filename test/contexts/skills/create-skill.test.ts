import { describe, expect, it } from 'vitest';
import { nowhere, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();

const skill = {
  id: 'translate.de',
  name: 'Translation',
  description: 'English into German.',
  tags: ['language'],
  input_schema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
  output_schema: { type: 'object', required: ['text'] },
  price: { amount: '2.5', currency: 'USDC' },
};
const post = (id: string, body: object, options = {}) => harness.test.post(`/v1/agents/${id}/skills`, body, options);

describe('POST /v1/agents/{id}/skills', () => {
  it('201 by the agent or by an operator: a skill that everybody in the workspace reads, after those before it', async () => {
    const [worker, other] = [await enrol(harness.test, { skills: ['first'] }), await enrol(harness.test)];
    const answer = await post(worker.id, skill, { as: worker.token });
    const at = harness.clock.now().toISOString();
    expect([answer.status, answer.body.data]).toEqual([
      201,
      { ...skill, price: { amount: '2.50', currency: 'USDC' }, created_at: at, updated_at: at },
    ]);
    expect((await post(worker.id, { id: 'free', name: 'Free', description: 'For nothing.' })).body.data).not.toHaveProperty('price');
    const read = await harness.test.get(`/v1/agents/${worker.uuid}/skills/${skill.id}`, { as: other.token });
    expect(read.body.data).toEqual(answer.body.data);
    const list = await harness.test.get(`/v1/agents/${worker.id}/skills`, { as: other.token });
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual(['first', skill.id, 'free']);
    expect((await harness.test.get(`/v1/agents/${worker.id}`)).body.data.skills).toEqual(list.body.data);
    expect((await harness.test.get(`/v1/agents/${other.id}/skills`, { as: worker.token })).body.data).toEqual([]);
  });

  it('201 again with the same key: the skill, once', async () => {
    const worker = await enrol(harness.test);
    const once = { headers: { 'Idempotency-Key': 'skill-once' } };
    const first = await post(worker.id, skill, once);
    const again = await post(worker.id, skill, once);
    expect([again.status, again.body, again.headers.get('Idempotent-Replayed')]).toEqual([201, first.body, 'true']);
    await harness.platform.database.pool.query('DELETE FROM keyed_answer');
    expect((await post(worker.id, skill, once)).body).toEqual(first.body);
  });

  it('400: an id, a price or a schema that cannot be; one more than an agent may have', async () => {
    const { id } = await enrol(harness.test, { skills: Array.from({ length: 32 }, (_, n) => `s${n}`) });
    const bad = {
      id: 'two words',
      name: ' ',
      description: 'x',
      price: { amount: '1.001', currency: 'DEM' },
      input_schema: 'object',
      cost: 1,
    };
    const { body } = await post(id, bad);
    expect(body.details.fields.map(({ path }: { path: string }) => path).sort()).toEqual([
      'cost',
      'id',
      'input_schema',
      'name',
      'price.currency',
    ]);
    const other = await enrol(harness.test);
    expect((await post(other.id, { ...skill, price: { amount: '0.00', currency: 'USD' } })).body.details.fields[0].path).toBe(
      'price.amount',
    );
    const badSchemas = { input_schema: { type: 'objekt' }, output_schema: { $ref: 'https://example.com/schema.json' } };
    expect((await post(other.id, { ...skill, ...badSchemas })).body.details.fields.map(({ path }: { path: string }) => path)).toEqual([
      'input_schema',
      'output_schema.$ref',
    ]);
    expect((await post(id, skill)).body).toMatchObject({ code: 'validation_failed', details: { fields: [{ rule: 'max' }] } });
  });

  it('401 without a credential', async () => {
    expect((await post(nowhere, skill, { as: null })).status).toBe(401);
  });

  it("404: missing, another tenant's, another agent's", async () => {
    const [mine, other, theirs] = [await enrol(harness.test), await enrol(harness.test), await enrol(harness.other)];
    for (const id of [nowhere, theirs.id]) expect((await post(id, skill)).status).toBe(404);
    expect((await post(other.id, skill, { as: mine.token })).status).toBe(404);
    for (const path of [`${theirs.id}/skills`, `${mine.id}/skills/none`, `${nowhere}/skills`, `${theirs.id}/skills/x`])
      expect((await harness.test.get(`/v1/agents/${path}`)).status, path).toBe(404);
  });

  it('409: an id that the agent has, an agent that was revoked', async () => {
    const { id } = await enrol(harness.test, { skills: [skill.id] });
    expect((await post(id, skill)).body.code).toBe('already_exists');
    await harness.test.post(`/v1/agents/${id}/revoke`, {});
    expect((await post(id, { ...skill, id: 'other' })).body).toMatchObject({
      code: 'state_conflict',
      details: { current_status: 'revoked' },
    });
  });
});
