// GET /v1/api-keys
import { describe, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { expectRefused, issueKey, signIn } from './sign-in.js';

const harness = useHarness();

describe('200', () => {
  it('lists the keys of this workspace alone, newest first, ended ones too and none with its text', async () => {
    harness.clock.advance(60);
    const since = harness.clock.now().toISOString();
    const [one, two] = [await issueKey(harness.test, { name: 'One' }), await issueKey(harness.test, { name: 'Two' })];
    await issueKey(harness.other, { name: 'Foreign' });
    await issueKey(harness.live, { name: 'Live' });
    await harness.test.delete(`/v1/api-keys/${one.id}`);

    const { status, body } = await harness.test.get(`/v1/api-keys?since=${since}`);
    expect(status).toBe(200);
    expect(body.data.map((key: { id: string }) => key.id)).toEqual([two.id, one.id]);
    expect(body.data.map((key: { status: string }) => key.status)).toEqual(['active', 'revoked']);
    expect(body.pagination).toMatchObject({ page: 1, limit: 50, total: 2, totalPages: 1 });
    for (const key of body.data) expect(key).not.toHaveProperty('key');
  });

  it('pages by number and by cursor', async () => {
    const all = (await harness.test.get('/v1/api-keys')).body.data.map((key: { id: string }) => key.id);
    const first = await harness.test.get('/v1/api-keys?limit=1');
    expect(first.body.pagination).toMatchObject({ has_more: true, total: all.length, totalPages: all.length });
    expect((await harness.test.get('/v1/api-keys?limit=1&page=2')).body.data[0].id).toBe(all[1]);
    expect((await harness.test.get(`/v1/api-keys?limit=1&starting_after=${all[0]}`)).body.data[0].id).toBe(all[1]);
  });

  it('is the same over GraphQL, where a key is never told again', async () => {
    const { body } = await harness.test.graphql('{ apiKeys { nodes { name prefix key status } pagination { total } } }');
    expect(body.errors).toBeUndefined();
    for (const node of body.data.apiKeys.nodes) expect(node.key).toBeNull();
    expect(body.data.apiKeys.pagination.total).toBe(body.data.apiKeys.nodes.length);
  });
});

describe('400', () => {
  for (const query of ['limit=0', 'limit=201', 'page=0', 'since=now', 'status=active', 'starting_after=acc_1']) {
    it(query, async () => {
      expect(await harness.test.get(`/v1/api-keys?${query}`)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    });
  }
});

describe('401', () => {
  it('without a credential', async () => {
    expectRefused(await harness.test.get('/v1/api-keys', { as: null }), 'missing_credential');
  });
});

describe('403', () => {
  it('a session', async () => {
    expect(await harness.test.get('/v1/api-keys', { as: await signIn(harness.test) })).toMatchObject({
      status: 403,
      body: { code: 'api_key_required' },
    });
  });
});

describe('429', () => {
  const limited = useHarness({ limits: { sandbox: 2 } });

  it('has the general budget', async () => {
    await limited.test.get('/v1/api-keys');
    await limited.test.get('/v1/api-keys');
    const refused = await limited.test.get('/v1/api-keys');
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ error: 'rate_limit_exceeded', retry_after: expect.any(Number) });
  });
});
