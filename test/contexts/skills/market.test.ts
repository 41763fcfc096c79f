import { beforeAll, describe, expect, it } from 'vitest';
import { addRating } from '../../../src/contexts/skills/rating.sql.js';
import { transact } from '../../../src/platform/idempotency.js';
import { ctxAs } from '../../factories/card.js';
import { type Json, useHarness } from '../../harness.js';
import { enrol, type TestAgent } from '../agents/identity.js';

const harness = useHarness();
const priced = (id: string, amount: string, currency: string) => ({ id, name: id, price: { amount, currency } });
let cheap: TestAgent;
let dear: TestAgent;
let free: TestAgent;
let idle: TestAgent;

beforeAll(async () => {
  cheap = await enrol(harness.test, {
    name: 'Cheap',
    metadata: { secret: 1 },
    skills: [priced('sum', '1.00', 'USDC'), priced('write', '90.00', 'USD')],
  });
  dear = await enrol(harness.test, { name: 'Dear', description: 'The best.', skills: [priced('sum', '40.00', 'EUR')] });
  free = await enrol(harness.test, { name: 'Free', skills: ['sum'] });
  idle = await enrol(harness.test, { name: 'Idle' });
  await enrol(harness.other, { name: 'Theirs', skills: ['sum'] });
});

const find = (query = '', as = idle.token) => harness.test.get(`/v1/a2a/agents${query}`, { as });
const namesIn = async (query = '') => (await find(query)).body.data.map(({ name }: Json) => name);

describe('GET /v1/a2a/agents', () => {
  it('200: the public side of agents that have skills, newest first, page by page', async () => {
    const { data, pagination } = (await find()).body;
    expect(data.map(({ name }: Json) => name)).toEqual(['Free', 'Dear', 'Cheap']);
    expect(pagination.total).toBe(3);
    expect(data[1]).toEqual({
      id: dear.id,
      name: 'Dear',
      description: 'The best.',
      skills: [expect.objectContaining({ id: 'sum', price: { amount: '40.00', currency: 'EUR' } })],
      agent_card: `/a2a/agents/${dear.id}/.well-known/agent-card.json`,
      created_at: dear.agent.created_at,
    });
    const first = (await find('?skill_id=sum&limit=2')).body;
    const next = await find(`?skill_id=sum&limit=2&starting_after=${first.pagination.next_cursor}`);
    expect([...first.data, ...next.body.data].map(({ name }: Json) => name)).toEqual(['Free', 'Dear', 'Cheap']);
  });

  it('200 by skill and by the price of that skill, in any currency by the rate of the day', async () => {
    expect(await namesIn('?skill_id=write')).toEqual(['Cheap']);
    expect(await namesIn('?skill_id=nothing')).toEqual([]);
    expect(await namesIn('?skill_id=sum&max_price=1.00')).toEqual(['Free', 'Cheap']);
    expect(await namesIn('?skill_id=sum&max_price=0.99')).toEqual(['Free']);
    // 40.00 EUR is more than 40.00 USD, and exactly 40.00 EUR.
    expect(await namesIn('?skill_id=sum&max_price=40.00')).toEqual(['Free', 'Cheap']);
    expect(await namesIn('?skill_id=sum&max_price=40.00&currency=EUR')).toEqual(['Free', 'Dear', 'Cheap']);
    expect(await namesIn('?skill_id=write&max_price=89.99')).toEqual([]);
    expect(await namesIn('?skill_id=sum&max_price=1000000000000000.00')).toEqual(['Free', 'Dear', 'Cheap']);
  });

  it('200 by rating: the average of what those who gave tasks have said', async () => {
    const ctx = await ctxAs(harness, harness.test.key);
    const rate = (agent: TestAgent, rating: number) =>
      transact(
        ctx,
        (tx) => addRating(ctx, tx, agent.uuid, rating),
        () => agent.uuid,
      );
    await Promise.all([5, 4, 4].map((rating) => rate(cheap, rating)));
    await rate(dear, 3);
    const found = (await find('?min_rating=4.33')).body.data;
    expect(found.map(({ name, rating }: Json) => [name, rating])).toEqual([['Cheap', { average: 4.33, count: 3 }]]);
    expect(await namesIn('?min_rating=4.34')).toEqual([]);
    expect(await namesIn('?min_rating=3')).toEqual(['Dear', 'Cheap']);
    await Promise.all([4, 5].map((rating) => rate(cheap, rating)));
    expect(await namesIn('?min_rating=4.4')).toEqual(['Cheap']);
    expect(await namesIn('?min_rating=4.41')).toEqual([]);
  });

  it('400: a rating out of range, a price that is none, what it does not know', async () => {
    for (const query of ['min_rating=0.5', 'min_rating=6', 'min_rating=x', 'max_price=-1', 'max_price=1.001', 'skil_id=sum'])
      expect((await find(`?${query}`)).status, query).toBe(400);
  });

  it('401 without a credential', async () => {
    expect((await harness.test.get('/v1/a2a/agents', { as: null })).status).toBe(401);
  });

  it('leaves out who is frozen, suspended or revoked, and takes back who is active again', async () => {
    await harness.test.post(`/v1/agents/${free.id}/freeze`, {});
    expect(await namesIn('?skill_id=sum')).toEqual(['Dear', 'Cheap']);
    await harness.test.post(`/v1/agents/${free.id}/unfreeze`, {});
    await harness.test.post(`/v1/agents/${dear.id}/revoke`, {});
    expect(await namesIn('?skill_id=sum')).toEqual(['Free', 'Cheap']);
  });
});
