// GET /v1/spending
import { describe, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();

describe('GET /v1/spending', () => {
  it('200: not frozen unless somebody froze it, over REST and GraphQL', async () => {
    expect((await harness.test.get('/v1/spending')).body).toEqual({ data: { frozen: false } });
    await harness.test.make('/v1/spending/freeze', { reason: 'why not' });
    const { body } = await harness.test.graphql('{ spending { frozen reason since } }');
    expect(body.data.spending).toEqual({ frozen: true, reason: 'why not', since: harness.clock.now().toISOString() });
  });

  it('200 for agents and JWT sessions', async () => {
    const { token } = await enrol(harness.test);
    const session = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
    for (const as of [token, session.token]) expect((await harness.test.get('/v1/spending', { as })).status).toBe(200);
  });
});
