// The stated limits on the whole platform: 100 per minute in production, 1,000 in the sandbox, 5 for signing in, each listener
// with its own budgets (SPEC.md "Limits", CONTRACT.md 0 "Small decisions").
import { type Redis, Redis as RedisClient } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config.js';
import { limitsOf } from '../src/http/budget.js';
import { type Answer, type Client, nowhere, useHarness } from './harness.js';
import { findRedis } from './http/redis.js';

const budgetOf = ({ headers }: Answer) => ['limit', 'remaining'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
const { rateLimit } = loadConfig({});
const stated = { general: rateLimit.general, sandbox: rateLimit.sandbox, auth: rateLimit.auth };

/** Takes `count` points of the budget of a client's address, without a credential: the cheapest way. */
async function drain(client: Client, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await client.get('/v1/me', { as: null });
}

async function expectRefused(answer: Answer, limit: number): Promise<void> {
  expect(answer.status).toBe(429);
  expect(budgetOf(answer)).toEqual([limit, 0]);
  const after = Number(answer.headers.get('retry-after'));
  expect(answer.body).toEqual({ error: 'rate_limit_exceeded', retry_after: after });
  expect(Number.isInteger(after) && after >= 1 && after <= 60).toBe(true);
}

describe('by default', () => {
  it('the numbers are those of the specification', () => {
    expect(limitsOf(loadConfig({}), 'live')).toEqual({ general: 100, auth: 5 });
    expect(limitsOf(loadConfig({}), 'test')).toEqual({ general: 1_000, auth: 5 });
  });
});

describe('production', () => {
  const h = useHarness({ limits: stated });

  it('says what is left on every answer, whatever it is', async () => {
    const answers: [number, Answer][] = [
      [200, await h.live.get('/v1/me')],
      [401, await h.live.get('/v1/me', { as: null })],
      [400, await h.live.get('/v1/me?no_such=1')],
      [404, await h.live.get(`/v1/wallets/${nowhere}`)],
      [404, await h.live.get('/v1/no-such-path')],
      [405, await h.live.call('DELETE', '/v1/me')],
      [413, await h.live.post('/v1/accounts', { name: 'x'.repeat(300_000) })],
      [415, await h.live.call('POST', '/v1/accounts', { raw: 'a', headers: { 'Content-Type': 'text/plain' } })],
      [200, await h.live.get('/v1/openapi.json')],
      [200, await h.live.graphql('{ me { environment } }')],
    ];
    expect(answers.map(([, { status }]) => status)).toEqual(answers.map(([status]) => status));
    expect(answers.map(([, answer]) => budgetOf(answer))).toEqual(answers.map((_, taken) => [100, 99 - taken]));
  });

  it('refuses the request after the hundredth, before it looks at the credential', async () => {
    await drain(h.live, 90);
    await expectRefused(await h.live.get('/v1/me'), 100);
    await expectRefused(await h.live.get('/v1/me', { as: 'nonsense' }), 100);
    const graphql = await h.live.graphql('{ me { environment } }');
    expect(graphql.status).toBe(429);
    expect(budgetOf(graphql)).toEqual([100, 0]);
    expect(graphql.body.errors[0].extensions).toMatchObject({
      code: 'rate_limit_exceeded',
      details: { retry_after: Number(graphql.headers.get('retry-after')) },
    });
  });

  it('keeps /health, /ready and /metrics open, and the sandbox untouched', async () => {
    for (const path of ['/health', '/ready', '/metrics']) expect((await h.live.get(path)).status).toBe(200);
    expect(budgetOf(await h.test.get('/v1/me'))).toEqual([1_000, 999]);
  });

  it('has a budget of its own for signing in', async () => {
    const answer = await h.live.post('/v1/auth/session', { api_key: h.live.key }, { as: null });
    expect(answer.status).toBe(201);
    expect(budgetOf(answer)).toEqual([5, 4]);
  });
});

describe('sandbox', () => {
  const h = useHarness({ limits: stated });

  it('takes five requests of the auth class a minute together, apart from the others', async () => {
    const signIns = [
      () => h.test.post('/v1/auth/session', { api_key: h.test.key }, { as: null }),
      () => h.test.post(`/v1/agents/${nowhere}/challenge`, undefined, { as: null }),
      () => h.test.post(`/v1/agents/${nowhere}/authenticate`, { challenge: 'x', signature: 'x' }, { as: null }),
    ];
    for (let n = 0; n < 5; n += 1) expect(budgetOf((await signIns[n % 3]?.()) as Answer)).toEqual([5, 4 - n]);
    for (const signIn of signIns) await expectRefused(await signIn(), 5);
    expect(budgetOf(await h.test.get('/v1/me'))).toEqual([1_000, 999]);
  });

  it('refuses the request after the thousandth', async () => {
    await Promise.all(Array.from({ length: 37 }, () => drain(h.test, 27)));
    expect(budgetOf(await h.test.get('/v1/me'))).toEqual([1_000, 0]);
    await expectRefused(await h.test.get('/v1/me'), 1_000);
  });
});

const found = await findRedis();
describe.skipIf(found === null)('with Redis', () => {
  const h = useHarness({ limits: { general: 3, sandbox: 4, auth: 2 }, env: { REDIS_URL: found?.url ?? '' } });
  let redis: Redis;
  const ours = async () => (await redis.keys('rl:*')).filter((key) => /:(127\.0\.0\.1|::1|ip|actor)/.test(key));

  beforeAll(async () => {
    redis = new RedisClient(found?.url ?? '');
    const left = await ours();
    if (left.length > 0) await redis.del(left);
  });
  afterAll(async () => {
    const left = await ours();
    if (left.length > 0) await redis.del(left);
    redis.disconnect();
    await found?.stop();
  });

  it('counts there, for each listener apart', async () => {
    await expect.poll(async () => (await h.live.get('/ready')).body.checks.redis.status, { interval: 20 }).toBe('ok');
    expect(budgetOf(await h.live.get('/v1/me'))).toEqual([3, 2]);
    expect(budgetOf(await h.test.get('/v1/me'))).toEqual([4, 3]);
    await drain(h.live, 2);
    await expectRefused(await h.live.get('/v1/me'), 3);
    expect(budgetOf(await h.test.get('/v1/me'))).toEqual([4, 2]);
    const keys = await ours();
    expect(keys.filter((key) => key.includes(':live:')).length).toBeGreaterThan(0);
    expect(keys.filter((key) => key.includes(':test:')).length).toBeGreaterThan(0);
    expect(Math.max(...(await Promise.all(keys.map((key) => redis.ttl(key)))))).toBeLessThanOrEqual(60);
  });
});
